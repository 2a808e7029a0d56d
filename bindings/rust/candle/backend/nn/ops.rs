//! Normalizations and sigmoid.

use super::{check_same_dtype, Operand};
use candle::backend::BackendStorage;
use candle::cuda_backend::kernelgen::{self, ops, Stream, Tensor};
use candle::{CudaStorage, DType, Error, Result, Shape};

fn check_float(op: &'static str, x: Operand) -> Result<()> {
    match x.0.dtype() {
        DType::BF16 | DType::F16 | DType::F32 | DType::F64 => Ok(()),
        dtype => Err(Error::UnsupportedDTypeForOp(dtype, op).bt()),
    }
}

/// A result of x's shape.
fn like(
    x: Operand,
    call: impl FnOnce(&Tensor, Option<&Stream>) -> kernelgen::Result<Tensor>,
) -> Result<(CudaStorage, Shape)> {
    let device = x.0.device();
    let y = call(&x.0.view(x.1)?, device.stream())?;
    Ok((CudaStorage::wrap(y, device)?, x.1.shape().clone()))
}

pub(crate) fn sigmoid(x: Operand) -> Result<(CudaStorage, Shape)> {
    check_float("sigmoid", x)?;
    like(x, |x, stream| ops::sigmoid_with(x, None, stream))
}

pub(crate) fn softmax_last_dim(x: Operand) -> Result<(CudaStorage, Shape)> {
    check_float("softmax-last-dim", x)?;
    like(x, |x, stream| ops::softmax_with(x, None, stream))
}

pub(crate) fn rms_norm(x: Operand, alpha: Operand, eps: f32) -> Result<(CudaStorage, Shape)> {
    check_float("rms-norm", x)?;
    check_same_dtype("rms-norm", x, &[alpha])?;
    let alpha = alpha.0.view(alpha.1)?;
    like(x, |x, stream| ops::rms_norm_with(x, &alpha, eps.into(), None, stream))
}

pub(crate) fn layer_norm(x: Operand, alpha: Operand, beta: Operand, eps: f32) -> Result<(CudaStorage, Shape)> {
    check_float("layer-norm", x)?;
    check_same_dtype("layer-norm", x, &[alpha, beta])?;
    let (alpha, beta) = (alpha.0.view(alpha.1)?, beta.0.view(beta.1)?);
    like(x, |x, stream| ops::layer_norm_with(x, &alpha, &beta, eps.into(), None, stream))
}
