//! One attention over padded sequences: what both of the crate's operations come down to.

use crate::mask::Positions;
use crate::operand::view;
use crate::wide;
use candle::cuda_backend::kernelgen::ops::{self, AttentionOptions};
use candle::cuda_backend::kernelgen::{DType, Tensor};
use candle::{CudaDevice, Result};

/// Widest head of the library's fused attention.
const WIDEST: i64 = 256;

/// How logits are made: candle's parameters.
pub(crate) struct Logits<'a> {
    pub scale: f32,
    pub soft_cap: Option<f32>,
    pub window_left: Option<usize>,
    pub window_right: Option<usize>,
    pub alibi_slopes: Option<&'a candle::Tensor>,
}

/// The sequences: their extents and, where they differ, their lengths.
#[derive(Default)]
pub(crate) struct Sequences {
    pub queries: usize,
    pub keys: usize,
    pub query_lengths: Option<Tensor>,
    pub key_lengths: Option<Tensor>,
    /// Pages [batch, pages each] of keys and values that are [pages, heads, rows of a page, width].
    pub block_table: Option<Tensor>,
    /// [batch, ranges, 2]: queries and keys within the same range see each other regardless of the window.
    pub prefix_ranges: Option<Tensor>,
}

pub(crate) struct Problem<'a> {
    pub device: &'a CudaDevice,
    pub logits: Logits<'a>,
    pub sequences: Sequences,
}

impl Problem<'_> {
    /// candle drops a side of the window that is longer than the keys.
    fn side(&self, keys: Option<usize>) -> Option<i64> {
        keys.filter(|&keys| keys <= self.sequences.keys).map(|keys| keys as i64)
    }

    /// Which keys each query sees, as u8 [batch or 1, 1, queries, keys].
    pub(crate) fn visible(&self, positions: &Positions) -> Result<Tensor> {
        let Logits { window_left, window_right, .. } = self.logits;
        let ranges = self.sequences.prefix_ranges.as_ref();
        positions.visible(self.side(window_left), self.side(window_right), ranges)
    }

    pub(crate) fn alibi_slopes(&self) -> Result<Option<Tensor>> {
        self.logits.alibi_slopes.map(|slopes| view("alibi_slopes", slopes, &[DType::F32])).transpose()
    }

    /// q and out are [batch, heads, queries, width], any layout; k and v [batch, heads, keys, width] or pages.
    pub(crate) fn run(&self, q: &Tensor, k: &Tensor, v: &Tensor, out: &Tensor) -> Result<()> {
        if q.shape()[3] > WIDEST {
            return wide::run(self, q, k, v, out);
        }
        let Sequences { query_lengths, key_lengths, block_table, prefix_ranges, .. } = &self.sequences;
        let alibi_slopes = self.alibi_slopes()?;
        // With ranges the mask has the window too.
        let mask = prefix_ranges.as_ref().map(|_| self.mask_of(q.dtype())).transpose()?;
        let side = |keys| if mask.is_some() { -1 } else { self.side(keys).unwrap_or(-1) };
        let options = AttentionOptions {
            // 0 would select the library's default; the smallest number is 0 as f32.
            scale: if self.logits.scale == 0.0 { f64::MIN_POSITIVE } else { self.logits.scale.into() },
            soft_cap: self.logits.soft_cap.unwrap_or(0.0).into(),
            window_left: side(self.logits.window_left),
            window_right: side(self.logits.window_right),
            mask: mask.as_ref(),
            alibi_slopes: alibi_slopes.as_ref(),
            query_lengths: query_lengths.as_ref(),
            key_lengths: key_lengths.as_ref(),
            block_table: block_table.as_ref(),
            ..AttentionOptions::default()
        };
        ops::attention_with(q, k, v, &options, Some(out), self.device.stream())?;
        Ok(())
    }

    /// 0 for the keys that a query sees, else -inf.
    fn mask_of(&self, dtype: DType) -> Result<Tensor> {
        let number = |value: f64| Tensor::full(self.device.kernelgen(), value, dtype, &[1]);
        let (seen, hidden) = (number(0.0)?, number(f64::NEG_INFINITY)?);
        let visible = self.visible(&Positions::new(self.device, &self.sequences)?)?;
        Ok(ops::where_cond_with(&visible, &seen, &hidden, None, self.device.stream())?)
    }
}
