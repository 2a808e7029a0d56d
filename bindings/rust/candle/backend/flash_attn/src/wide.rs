//! Attention of heads wider than the fused operation takes: step by step, in f32.

use crate::mask::Positions;
use crate::problem::Problem;
use candle::cuda_backend::kernelgen::{ops, DType, Tensor};
use candle::Result;

/// Keys or values as f32 [batch, heads, 1, keys, width], collected from pages where they are in pages.
fn collected(problem: &Problem, x: &Tensor) -> Result<Tensor> {
    let stream = problem.device.stream();
    let x = ops::to_dtype_with(x, DType::F32, None, stream)?;
    let Some(table) = &problem.sequences.block_table else { return Ok(x.unsqueeze(2)?) };
    let (heads, width, batch) = (x.shape()[1], x.shape()[3], table.shape()[0]);
    let pages = ops::copy_with(table, None, stream)?.reshape(&[batch * table.shape()[1]])?;
    let rows = ops::index_select_with(&x.transpose(1, 2)?, 0, &pages, None, stream)?;
    let rows = rows.reshape(&[batch, problem.sequences.keys as i64, heads, width])?;
    Ok(rows.transpose(1, 2)?.unsqueeze(2)?)
}

/// The arguments are as those of `Problem::run`.
pub(crate) fn run(problem: &Problem, q: &Tensor, k: &Tensor, v: &Tensor, out: &Tensor) -> Result<()> {
    let stream = problem.device.stream();
    let number = |value: f64| Tensor::full(problem.device.kernelgen(), value, DType::F32, &[1]);
    let [batch, heads, queries, width] = *q.shape() else { candle::bail!("flash-attn: q needs 4 dims") };
    let (kv_heads, keys) = (k.shape()[1], problem.sequences.keys as i64);
    let positions = Positions::new(problem.device, &problem.sequences)?;
    let visible = problem.visible(&positions)?;

    let q = ops::to_dtype_with(q, DType::F32, None, stream)?;
    let q = q.reshape(&[batch, kv_heads, heads / kv_heads, queries, width])?;
    let k = collected(problem, k)?;
    let products = ops::matmul_with(&q, &k.transpose(3, 4)?, None, stream)?;
    let mut logits = ops::affine_with(&products, problem.logits.scale, 0.0, None, stream)?;
    if let Some(cap) = problem.logits.soft_cap.filter(|&cap| cap != 0.0) {
        let scaled = ops::affine_with(&logits, 1.0 / cap, 0.0, None, stream)?;
        logits = ops::affine_with(&ops::tanh_with(&scaled, None, stream)?, cap, 0.0, None, stream)?;
    }
    logits = logits.reshape(&[batch, heads, queries, keys])?;
    if let Some(slopes) = problem.alibi_slopes()? {
        let slopes = ops::copy_with(&slopes, None, stream)?.reshape(&[1, heads, 1, 1])?;
        let penalty = ops::mul_with(&slopes, &positions.distance()?, None, stream)?;
        logits = ops::sub_with(&logits, &penalty, None, stream)?;
    }
    let logits = ops::where_cond_with(&visible, &logits, &number(f64::NEG_INFINITY)?, None, stream)?;
    let probabilities = ops::softmax_with(&logits, None, stream)?;
    // A row that sees no key has NaN; values of keys that do not exist may be NaN.
    let probabilities = ops::where_cond_with(&visible, &probabilities, &number(0.0)?, None, stream)?;
    let exists = positions.key_exists().unsqueeze(4)?;
    let v = ops::where_cond_with(&exists, &collected(problem, v)?, &number(0.0)?, None, stream)?;

    let shares = probabilities.reshape(&[batch, kv_heads, heads / kv_heads, queries, keys])?;
    let result = ops::matmul_with(&shares, &v, None, stream)?.reshape(&[batch, heads, queries, width])?;
    ops::copy_into_with(out, &ops::to_dtype_with(&result, out.dtype(), None, stream)?, stream)?;
    Ok(())
}
