//! Products of mixtures of experts: row r is multiplied by the matrix of its expert.
//!
//! candle passes the rows ordered by expert: `sorted_token_ids` are the rows' numbers, `experts_ids` their experts. Without
//! `topk_weights` the `topk` rows of a token share the token's input row; with them each row has an input row, and its
//! result is multiplied by its weight.

use candle::quantized::QTensor;
use candle::{DType, Result, Tensor};

/// Checks the inner dim; returns the number of rows.
fn rows_of(input: &Tensor, topk_weights: &Option<Tensor>, topk: usize, k: usize) -> Result<usize> {
    let (rows, input_k) = input.dims2()?;
    if input_k != k {
        candle::bail!("moe: input {:?} and weights with a last dim of {k} do not match", input.shape())
    }
    Ok(match topk_weights {
        Some(_) => rows,
        None => rows * topk,
    })
}

/// Multiplies each row by its weight, in f32.
fn weighted(y: Tensor, topk_weights: &Option<Tensor>) -> Result<Tensor> {
    let Some(weights) = topk_weights else { return Ok(y) };
    let (rows, dtype) = (y.dim(0)?, y.dtype());
    let weights = weights.to_dtype(DType::F32)?.reshape((rows, 1))?;
    y.to_dtype(DType::F32)?.broadcast_mul(&weights)?.to_dtype(dtype)
}

/// Quantized experts, in one product. The result is f32.
pub(crate) fn moe_gemm_gguf(
    input: &Tensor,
    weights: &QTensor,
    topk_weights: &Option<Tensor>,
    sorted_token_ids: &Tensor,
    experts_ids: &Tensor,
    topk: usize,
) -> Result<Tensor> {
    input.device().as_cuda_device()?;
    if input.dtype() != DType::F32 {
        candle::bail!("moe_gemm_gguf only accepts f32 inputs")
    }
    let (_, n, k) = weights.shape().dims3()?;
    let rows = rows_of(input, topk_weights, topk, k)?;
    let ids = Tensor::zeros(rows, DType::U32, input.device())?;
    ids.scatter_set(sorted_token_ids, experts_ids, 0)?;
    let share = rows / input.dim(0)?.max(1);
    let y = weights.indexed_moe_forward(&input.unsqueeze(1)?, &ids.reshape(((), share.max(1)))?)?;
    weighted(y.reshape((rows, n))?, topk_weights)
}

/// Plain experts: a product per expert that has rows, so the experts' ids are read on the host.
pub(crate) fn moe_gemm(
    input: &Tensor,
    weights: &Tensor,
    topk_weights: &Option<Tensor>,
    sorted_token_ids: &Tensor,
    experts_ids: &Tensor,
    topk: usize,
) -> Result<Tensor> {
    input.device().as_cuda_device()?;
    if !matches!(input.dtype(), DType::F16 | DType::BF16) {
        candle::bail!("moe_gemm only accepts f16/bf16 inputs")
    }
    let (experts, n, k) = weights.dims3()?;
    let rows = rows_of(input, topk_weights, topk, k)?;
    let share = rows / input.dim(0)?.max(1);
    let ordered = sorted_token_ids.to_vec1::<u32>()?;
    let sources: Vec<u32> = ordered.iter().map(|row| row / share.max(1) as u32).collect();
    let x = input.index_select(&Tensor::new(sources, input.device())?, 0)?;
    let mut products = Vec::new();
    let mut start = 0;
    for group in experts_ids.to_vec1::<u32>()?.chunk_by(|a, b| a == b) {
        let expert = group[0] as usize;
        if expert >= experts {
            candle::bail!("moe_gemm: expert {expert} is out of range for {experts} experts")
        }
        let matrix = weights.narrow(0, expert, 1)?.squeeze(0)?.t()?;
        products.push(x.narrow(0, start, group.len())?.matmul(&matrix)?);
        start += group.len();
    }
    if products.is_empty() {
        return Tensor::zeros((rows, n), input.dtype(), input.device());
    }
    let mut positions = vec![0u32; rows];
    for (position, &row) in ordered.iter().enumerate() {
        match positions.get_mut(row as usize) {
            Some(of_row) => *of_row = position as u32,
            None => candle::bail!("moe_gemm: row {row} is out of range for {rows} rows"),
        }
    }
    let y = Tensor::cat(&products, 0)?.index_select(&Tensor::new(positions, input.device())?, 0)?;
    weighted(y, topk_weights)
}
