//! Attention over sequences of different lengths that follow one another, or whose keys are in pages.

use crate::dense::check;
use crate::operand::{custom_op3, positions, view, Operand};
use crate::problem::{Logits, Problem, Sequences};
use candle::backend::BackendStorage;
use candle::cuda_backend::kernelgen::{self, ops, DType};
use candle::{CudaDevice, CudaStorage, Result, Shape, Tensor};

pub(crate) struct FlashAttnVarLen {
    pub softmax_scale: f32,
    pub max_seqlen_q: usize,
    pub max_seqlen_k: usize,
    pub seqlens_q: Tensor,
    pub seqlens_k: Tensor,
    pub block_table: Option<Tensor>,
    pub mm_prefix_ranges: Option<Tensor>,
    pub page_block_size: Option<usize>,
    pub alibi_slopes: Option<Tensor>,
    pub window_size_left: Option<usize>,
    pub window_size_right: Option<usize>,
    pub softcap: Option<f32>,
}

/// Sequences that follow one another, from their cumulative lengths. All of it stays on the device.
struct Ragged<'a> {
    device: &'a CudaDevice,
    lengths: kernelgen::Tensor,
    /// Row of each position: u32 [batch, longest], also beyond a sequence's length.
    rows: kernelgen::Tensor,
    /// Whether the position is within the sequence's length.
    valid: kernelgen::Tensor,
}

impl<'a> Ragged<'a> {
    fn new(device: &'a CudaDevice, name: &str, cumulative: &Tensor, longest: usize) -> Result<Self> {
        let stream = device.stream();
        let count = cumulative.dims1()?;
        if count < 2 {
            candle::bail!("{name} should have a len >= 2 {count}")
        }
        let (cumulative, batch) = (view(name, cumulative, &[DType::U32])?, count as i64 - 1);
        let starts = cumulative.narrow(0, 0, batch)?;
        let lengths = ops::sub_with(&cumulative.narrow(0, 1, batch)?, &starts, None, stream)?;
        let position = positions(device, longest, DType::U32, &[1, longest as i64])?;
        let rows = ops::add_with(&starts.unsqueeze(1)?, &position, None, stream)?;
        let valid = ops::lt_with(&position, &lengths.unsqueeze(1)?, None, stream)?;
        Ok(Self { device, lengths, rows, valid })
    }

    /// `rows` where they are valid, else `other`.
    fn rows_or(&self, other: u32) -> Result<kernelgen::Tensor> {
        let other = kernelgen::Tensor::full(self.device.kernelgen(), other, DType::U32, &[1, 1])?;
        Ok(ops::where_cond_with(&self.valid, &self.rows, &other, None, self.device.stream())?)
    }
}

impl FlashAttnVarLen {
    /// Without pages, windows, biases and caps.
    pub fn new(
        seqlens_q: &Tensor,
        seqlens_k: &Tensor,
        max_seqlen_q: usize,
        max_seqlen_k: usize,
        softmax_scale: f32,
    ) -> Self {
        Self {
            softmax_scale,
            max_seqlen_q,
            max_seqlen_k,
            seqlens_q: seqlens_q.clone(),
            seqlens_k: seqlens_k.clone(),
            block_table: None,
            mm_prefix_ranges: None,
            page_block_size: None,
            alibi_slopes: None,
            window_size_left: None,
            window_size_right: None,
            softcap: None,
        }
    }

    /// Checks the keys' shape; returns their number of heads.
    fn kv_heads(&self, q: Operand, k: Operand, v: Operand) -> Result<usize> {
        let (_, _, width) = q.1.shape().dims3()?;
        if k.1.shape() != v.1.shape() {
            candle::bail!("shape mismatch k {:?} and v {:?}", k.1.shape(), v.1.shape())
        }
        let (kv_heads, k_width) = match self.block_table {
            None => k.1.shape().dims3().map(|(_, heads, width)| (heads, width))?,
            Some(_) => {
                let (_, page_rows, heads, width) = k.1.shape().dims4()?;
                if self.page_block_size != Some(page_rows) {
                    candle::bail!("page_block_size {:?} does not match k shape {:?}", self.page_block_size, k.1.shape())
                }
                (heads, width)
            }
        };
        if k_width != width {
            candle::bail!("shape mismatch q {:?} and k {:?}", q.1.shape(), k.1.shape())
        }
        Ok(kv_heads)
    }

    fn run(&self, [q, k, v]: [Operand; 3]) -> Result<(CudaStorage, Shape)> {
        let (total, heads, width) = q.1.shape().dims3()?;
        let kv_heads = self.kv_heads(q, k, v)?;
        check(q.0, heads, kv_heads, width)?;
        let (device, shape) = (q.0.device(), q.1.shape().clone());
        let (q, k, v) = (q.0.view(q.1)?, k.0.view(k.1)?, v.0.view(v.1)?);
        let out = kernelgen::Tensor::zeros_with(device.kernelgen(), q.dtype(), q.shape(), device.stream())?;
        if total == 0 || self.max_seqlen_q == 0 || k.shape()[0] == 0 {
            return Ok((CudaStorage::wrap(out, device)?, shape));
        }
        let of_q = Ragged::new(device, "seqlens_q", &self.seqlens_q, self.max_seqlen_q)?;
        let of_k = Ragged::new(device, "seqlens_k", &self.seqlens_k, self.max_seqlen_k)?;
        if of_q.lengths.shape() != of_k.lengths.shape() {
            candle::bail!(
                "seqlens_q and seqlens_k should have the same number of elements {} <> {}",
                self.seqlens_q.elem_count(),
                self.seqlens_k.elem_count()
            )
        }
        let (keys, block_table, [k, v]) = self.paged(&of_k, k, v)?;
        let ranges = self.mm_prefix_ranges.as_ref();
        let problem = Problem {
            device,
            logits: Logits {
                scale: self.softmax_scale,
                soft_cap: self.softcap,
                window_left: self.window_size_left,
                window_right: self.window_size_right,
                alibi_slopes: self.alibi_slopes.as_ref(),
            },
            sequences: Sequences {
                queries: self.max_seqlen_q,
                keys,
                query_lengths: Some(of_q.lengths.clone()),
                key_lengths: Some(of_k.lengths),
                block_table: Some(block_table),
                prefix_ranges: ranges.map(|ranges| view("mm_prefix_ranges", ranges, &[DType::I32])).transpose()?,
            },
        };
        self.attend(&problem, &of_q.rows_or(u32::MAX)?, &q, [&k, &v], &out)?;
        Ok((CudaStorage::wrap(out, device)?, shape))
    }

    /// Keys and values as pages [pages, heads, rows, width] with the table of each sequence's pages, and the most keys of
    /// a sequence. Without pages each row counts as one page, so that nothing is copied.
    #[allow(clippy::type_complexity)]
    fn paged(
        &self,
        of_k: &Ragged,
        k: kernelgen::Tensor,
        v: kernelgen::Tensor,
    ) -> Result<(usize, kernelgen::Tensor, [kernelgen::Tensor; 2])> {
        let Some(table) = &self.block_table else {
            // Entries beyond a sequence's length are not used, but have to be pages.
            let table = of_k.rows_or(0)?;
            return Ok((self.max_seqlen_k, table, [k.unsqueeze(2)?, v.unsqueeze(2)?]));
        };
        let page_rows = k.shape()[1] as usize;
        let keys = table.dims2()?.1 * page_rows;
        let table = view("block_table", table, &[DType::U32, DType::I32])?;
        Ok((keys, table, [k.transpose(1, 2)?, v.transpose(1, 2)?]))
    }

    /// Pads the queries, [total, heads, width], and collects the results of those that exist.
    fn attend(
        &self,
        problem: &Problem,
        rows: &kernelgen::Tensor,
        q: &kernelgen::Tensor,
        [k, v]: [&kernelgen::Tensor; 2],
        out: &kernelgen::Tensor,
    ) -> Result<()> {
        let stream = problem.device.stream();
        let [batch, longest] = *rows.shape() else { unreachable!("rows have two dims") };
        let [total, heads, width] = *q.shape() else { unreachable!("q has three dims") };
        let padded_shape = [batch, longest, heads, width];
        let rows = rows.reshape(&[batch * longest])?;
        let padded = ops::index_select_with(q, 0, &rows, None, stream)?.reshape(&padded_shape)?;
        let results = kernelgen::Tensor::empty_with(problem.device.kernelgen(), q.dtype(), &padded_shape, stream)?;
        problem.run(&padded.transpose(1, 2)?, k, v, &results.transpose(1, 2)?)?;
        let results = results.reshape(&[batch * longest, heads * width])?;
        let rows = rows.unsqueeze(1)?.broadcast_to(results.shape())?;
        ops::scatter_set_with(&out.reshape(&[total, heads * width])?, 0, &rows, &results, stream)?;
        Ok(())
    }
}

custom_op3!(FlashAttnVarLen, "flash-attn-varlen");
