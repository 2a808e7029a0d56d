//! Positions of queries and keys as tensors, for what the fused attention's options do not express.

use crate::operand::positions;
use crate::problem::Sequences;
use candle::cuda_backend::kernelgen::{ops, DType, Stream, Tensor};
use candle::{CudaDevice, Result};

/// i64 tensors that broadcast to [batch, 1, queries, keys].
pub(crate) struct Positions<'a> {
    stream: Option<&'a Stream>,
    /// Query t of n is at position t + keys - n among the keys.
    position: Tensor,
    key: Tensor,
    query_exists: Tensor,
    key_exists: Tensor,
}

/// Integers as i64, which holds every difference of positions.
fn numbers(x: &Tensor, shape: &[i64], stream: Option<&Stream>) -> Result<Tensor> {
    Ok(ops::to_dtype_with(x, DType::I64, None, stream)?.reshape(shape)?)
}

impl<'a> Positions<'a> {
    pub fn new(device: &'a CudaDevice, sequences: &Sequences) -> Result<Self> {
        let stream = device.stream();
        let lengths = |lengths: &Option<Tensor>, most: usize| match lengths {
            Some(lengths) => numbers(lengths, &[lengths.shape()[0], 1, 1, 1], stream),
            None => Ok(Tensor::full(device.kernelgen(), most as i64, DType::I64, &[1, 1, 1, 1])?),
        };
        let query_count = lengths(&sequences.query_lengths, sequences.queries)?;
        let key_count = lengths(&sequences.key_lengths, sequences.keys)?;
        let (queries, keys) = (sequences.queries, sequences.keys);
        let query = positions(device, queries, DType::I64, &[1, 1, queries as i64, 1])?;
        let key = positions(device, keys, DType::I64, &[1, 1, 1, keys as i64])?;
        let ahead = ops::sub_with(&key_count, &query_count, None, stream)?;
        Ok(Self {
            stream,
            position: ops::add_with(&query, &ahead, None, stream)?,
            query_exists: ops::lt_with(&query, &query_count, None, stream)?,
            key_exists: ops::lt_with(&key, &key_count, None, stream)?,
            key,
        })
    }

    fn le(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        Ok(ops::le_with(a, b, None, self.stream)?)
    }

    fn and(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        Ok(ops::minimum_with(a, b, None, self.stream)?)
    }

    fn or(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        Ok(ops::maximum_with(a, b, None, self.stream)?)
    }

    /// begin <= x < end.
    fn within(&self, x: &Tensor, begin: &Tensor, end: &Tensor) -> Result<Tensor> {
        self.and(&self.le(begin, x)?, &ops::lt_with(x, end, None, self.stream)?)
    }

    /// u8 [batch or 1, 1, 1, keys].
    pub fn key_exists(&self) -> &Tensor {
        &self.key_exists
    }

    /// |position of the query - position of the key|, as f32.
    pub fn distance(&self) -> Result<Tensor> {
        let difference = ops::sub_with(&self.position, &self.key, None, self.stream)?;
        let difference = ops::to_dtype_with(&difference, DType::F32, None, self.stream)?;
        Ok(ops::abs_with(&difference, None, self.stream)?)
    }

    /// Whether the query sees the key, as u8. `left` and `right` are the keys of the window beside the query's position;
    /// queries and keys within the same of `prefix_ranges` [batch, ranges, 2] see each other regardless of the window.
    pub fn visible(&self, left: Option<i64>, right: Option<i64>, prefix_ranges: Option<&Tensor>) -> Result<Tensor> {
        let existing = self.and(&self.query_exists, &self.key_exists)?;
        let mut seen = existing.clone();
        if let Some(left) = left {
            let first = ops::affine_with(&self.position, 1, -left, None, self.stream)?;
            seen = self.and(&seen, &self.le(&first, &self.key)?)?;
        }
        if let Some(right) = right {
            let last = ops::affine_with(&self.position, 1, right, None, self.stream)?;
            seen = self.and(&seen, &self.le(&self.key, &last)?)?;
        }
        let Some(ranges) = prefix_ranges else { return Ok(seen) };
        let (batch, count) = (ranges.shape()[0], ranges.shape()[1]);
        for range in 0..count {
            let range = ranges.narrow(1, range, 1)?;
            let bound = |side| numbers(&range.narrow(2, side, 1)?, &[batch, 1, 1, 1], self.stream);
            let (begin, end) = (bound(0)?, bound(1)?);
            let query = self.within(&self.position, &begin, &end)?;
            let both = self.and(&query, &self.within(&self.key, &begin, &end)?)?;
            seen = self.or(&seen, &self.and(&existing, &both)?)?;
        }
        Ok(seen)
    }
}
