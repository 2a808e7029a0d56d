//! candle-flash-attn's functions on the kernelgen device.
//!
//! Queries are (batch, seq_len_q, num_heads_q, head_size), keys and values (batch, seq_len_kv, num_heads_kv, head_size); those
//! of the `varlen` functions have the sequences one after the other in place of the first two dims, with the cumulative
//! lengths 0, length_1, length_1 + length_2, … in `seqlens_q` and `seqlens_k` (u32). The result has the shape of the
//! queries. num_heads_kv divides num_heads_q. The last query is aligned with the last key of its sequence: `causal`, and the
//! windows, count from there; `window_size_right` 0 is causal. `alibi_slopes` are f32 (num_heads_q).
#![allow(clippy::too_many_arguments)]

mod dense;
mod mask;
mod operand;
mod problem;
mod varlen;
mod wide;

use candle::{Result, Tensor};
pub use dense::FlashAttn;
use varlen::FlashAttnVarLen;

/// Causal, or every key.
fn window_of(causal: bool) -> Option<usize> {
    causal.then_some(0)
}

/// `softmax(Q @ K^T . softmax_scale) @ V`.
pub fn flash_attn(q: &Tensor, k: &Tensor, v: &Tensor, softmax_scale: f32, causal: bool) -> Result<Tensor> {
    flash_attn_windowed(q, k, v, softmax_scale, None, window_of(causal))
}

/// The same over a window of keys.
pub fn flash_attn_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let op = FlashAttn { softmax_scale, alibi_slopes: None, window_size_left, window_size_right, softcap: None };
    q.apply_op3(k, v, op)
}

/// The same with linear biases.
pub fn flash_attn_alibi(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    softmax_scale: f32,
    causal: bool,
) -> Result<Tensor> {
    flash_attn_alibi_windowed(q, k, v, alibi_slopes, softmax_scale, None, window_of(causal))
}

/// With linear biases, over a window of keys.
pub fn flash_attn_alibi_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let alibi_slopes = Some(alibi_slopes.clone());
    let op = FlashAttn { softmax_scale, alibi_slopes, window_size_left, window_size_right, softcap: None };
    q.apply_op3(k, v, op)
}

/// With logits l replaced by softcap · tanh(l / softcap).
pub fn flash_attn_alibi_windowed_softcap(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: Option<&Tensor>,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    softcap: f32,
) -> Result<Tensor> {
    let (alibi_slopes, softcap) = (alibi_slopes.cloned(), Some(softcap));
    let op = FlashAttn { softmax_scale, alibi_slopes, window_size_left, window_size_right, softcap };
    q.apply_op3(k, v, op)
}

/// Attention over sequences of different lengths.
pub fn flash_attn_varlen(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    causal: bool,
) -> Result<Tensor> {
    let right = window_of(causal);
    flash_attn_varlen_windowed(q, k, v, seqlens_q, seqlens_k, max_seqlen_q, max_seqlen_k, softmax_scale, None, right)
}

/// The same over a window of keys.
pub fn flash_attn_varlen_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    let plain = FlashAttnVarLen::new(seqlens_q, seqlens_k, max_seqlen_q, max_seqlen_k, softmax_scale);
    q.apply_op3(k, v, FlashAttnVarLen { window_size_left, window_size_right, ..plain })
}

/// Keys and values in pages (num_blocks, page_block_size, num_heads_kv, head_size), which `block_table` (batch, max_blocks)
/// names. Queries and keys within the same of `mm_prefix_ranges` (batch, max_ranges, 2) see each other regardless of the
/// window.
pub fn flash_attn_varlen_paged_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    block_table: &Tensor,
    mm_prefix_ranges: Option<&Tensor>,
    max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    page_block_size: usize,
    softcap: Option<f32>,
) -> Result<Tensor> {
    let op = FlashAttnVarLen {
        block_table: Some(block_table.clone()),
        mm_prefix_ranges: mm_prefix_ranges.cloned(),
        page_block_size: Some(page_block_size),
        window_size_left,
        window_size_right,
        softcap,
        ..FlashAttnVarLen::new(seqlens_q, seqlens_k, max_seqlen_q, max_seqlen_k, softmax_scale)
    };
    q.apply_op3(k, v, op)
}

/// Sequences of different lengths, with linear biases.
pub fn flash_attn_varlen_alibi(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    causal: bool,
) -> Result<Tensor> {
    let right = window_of(causal);
    flash_attn_varlen_alibi_windowed(
        q,
        k,
        v,
        alibi_slopes,
        seqlens_q,
        seqlens_k,
        max_seqlen_q,
        max_seqlen_k,
        softmax_scale,
        None,
        right,
    )
}

/// Sequences of different lengths, with linear biases, over a window of keys.
pub fn flash_attn_varlen_alibi_windowed(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: &Tensor,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
) -> Result<Tensor> {
    // A cap of 0 is none.
    let (slopes, softcap) = (Some(alibi_slopes), 0.0);
    flash_attn_varlen_alibi_windowed_softcap(
        q,
        k,
        v,
        slopes,
        seqlens_q,
        seqlens_k,
        max_seqlen_q,
        max_seqlen_k,
        softmax_scale,
        window_size_left,
        window_size_right,
        softcap,
    )
}

/// Sequences of different lengths, with logits l replaced by softcap · tanh(l / softcap).
pub fn flash_attn_varlen_alibi_windowed_softcap(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    alibi_slopes: Option<&Tensor>,
    seqlens_q: &Tensor,
    seqlens_k: &Tensor,
    max_seqlen_q: usize,
    max_seqlen_k: usize,
    softmax_scale: f32,
    window_size_left: Option<usize>,
    window_size_right: Option<usize>,
    softcap: f32,
) -> Result<Tensor> {
    let op = FlashAttnVarLen {
        alibi_slopes: alibi_slopes.cloned(),
        window_size_left,
        window_size_right,
        softcap: Some(softcap),
        ..FlashAttnVarLen::new(seqlens_q, seqlens_k, max_seqlen_q, max_seqlen_k, softmax_scale)
    };
    q.apply_op3(k, v, op)
}
