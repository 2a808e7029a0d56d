//! Rotary embeddings. cos and sin may have more positions than x, also per batch.

use super::{check_same_dtype, Operand};
use candle::backend::BackendStorage;
use candle::cuda_backend::kernelgen::{self, ops, Stream, Tensor};
use candle::{CudaStorage, Result, Shape};

type Rotation = fn(&Tensor, &Tensor, &Tensor, Option<&Tensor>, Option<&Stream>) -> kernelgen::Result<Tensor>;

fn rotate(rotation: Rotation, x: Operand, cos: Operand, sin: Operand) -> Result<(CudaStorage, Shape)> {
    check_same_dtype("rope", x, &[cos, sin])?;
    let device = x.0.device();
    let (cos, sin) = (cos.0.view(cos.1)?, sin.0.view(sin.1)?);
    let y = rotation(&x.0.view(x.1)?, &cos, &sin, None, device.stream())?;
    Ok((CudaStorage::wrap(y, device)?, x.1.shape().clone()))
}

pub(crate) fn rope(x: Operand, cos: Operand, sin: Operand) -> Result<(CudaStorage, Shape)> {
    rotate(ops::rope_with, x, cos, sin)
}

pub(crate) fn rope_i(x: Operand, cos: Operand, sin: Operand) -> Result<(CudaStorage, Shape)> {
    rotate(ops::rope_i_with, x, cos, sin)
}

pub(crate) fn rope_thd(x: Operand, cos: Operand, sin: Operand) -> Result<(CudaStorage, Shape)> {
    rotate(ops::rope_thd_with, x, cos, sin)
}
