//! candle-nn's normalizations and sigmoid: one operation of the library each, on operands of any layout.

use candle::backend::BackendStorage;
use candle::cuda_backend::kernelgen::ops;
use candle::{CudaStorage, DType, Error, Layout, Result, Shape};

fn check_float(op: &'static str, x: &CudaStorage) -> Result<()> {
    match x.dtype() {
        DType::BF16 | DType::F16 | DType::F32 | DType::F64 => Ok(()),
        dtype => Err(Error::UnsupportedDTypeForOp(dtype, op).bt()),
    }
}

pub(crate) fn check_same_dtype(op: &'static str, x: &CudaStorage, others: &[&CudaStorage]) -> Result<()> {
    for other in others {
        if other.dtype() != x.dtype() {
            return Err(Error::DTypeMismatchBinaryOp { lhs: x.dtype(), rhs: other.dtype(), op }.bt());
        }
    }
    Ok(())
}

pub(crate) fn sigmoid(x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
    check_float("sigmoid", x)?;
    let y = ops::sigmoid_with(&x.view(layout)?, None, x.device().stream())?;
    Ok((CudaStorage::wrap(y, x.device())?, layout.shape().clone()))
}

pub(crate) fn softmax_last_dim(x: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
    check_float("softmax-last-dim", x)?;
    let y = ops::softmax_with(&x.view(layout)?, None, x.device().stream())?;
    Ok((CudaStorage::wrap(y, x.device())?, layout.shape().clone()))
}

pub(crate) fn rms_norm(
    x: &CudaStorage,
    layout: &Layout,
    alpha: &CudaStorage,
    alpha_layout: &Layout,
    eps: f32,
) -> Result<(CudaStorage, Shape)> {
    check_float("rms-norm", x)?;
    check_same_dtype("rms-norm", x, &[alpha])?;
    let y = ops::rms_norm_with(&x.view(layout)?, &alpha.view(alpha_layout)?, eps.into(), None, x.device().stream())?;
    Ok((CudaStorage::wrap(y, x.device())?, layout.shape().clone()))
}

pub(crate) fn layer_norm(
    [x, alpha, beta]: [(&CudaStorage, &Layout); 3],
    eps: f32,
) -> Result<(CudaStorage, Shape)> {
    check_float("layer-norm", x.0)?;
    check_same_dtype("layer-norm", x.0, &[alpha.0, beta.0])?;
    let stream = x.0.device().stream();
    let (alpha, beta) = (alpha.0.view(alpha.1)?, beta.0.view(beta.1)?);
    let y = ops::layer_norm_with(&x.0.view(x.1)?, &alpha, &beta, eps.into(), None, stream)?;
    Ok((CudaStorage::wrap(y, x.0.device())?, x.1.shape().clone()))
}
