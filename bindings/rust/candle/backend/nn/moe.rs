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
    if rows == 0 {
        return Tensor::zeros((rows, n), DType::F32, input.device());
    }
    let ids = Tensor::zeros(rows, DType::U32, input.device())?;
    ids.scatter_set(sorted_token_ids, experts_ids, 0)?;
    let ids = ids.reshape((input.dim(0)?, ()))?;
    let y = weights.indexed_moe_forward(&input.unsqueeze(1)?, &ids)?;
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
    if rows == 0 {
        return Tensor::zeros((rows, n), input.dtype(), input.device());
    }
    let sharing = Tensor::new(&[(rows / input.dim(0)?) as u32], input.device())?;
    let x = input.index_select(&sorted_token_ids.broadcast_div(&sharing)?, 0)?;
    let mut products = Vec::new();
    let mut start = 0;
    for group in experts_ids.to_vec1::<u32>()?.chunk_by(|a, b| a == b) {
        let expert = group[0] as usize;
        if expert >= experts {
            candle::bail!("moe_gemm: expert {expert} is out of range for {experts} experts")
        }
        let matrix = weights.get(expert)?.t()?;
        products.push(x.narrow(0, start, group.len())?.matmul(&matrix)?);
        start += group.len();
    }
    // Where each row's product is.
    let positions = Tensor::zeros(rows, DType::U32, input.device())?;
    positions.scatter_set(sorted_token_ids, &Tensor::arange(0, rows as u32, input.device())?, 0)?;
    weighted(Tensor::cat(&products, 0)?.index_select(&positions, 0)?, topk_weights)
}
