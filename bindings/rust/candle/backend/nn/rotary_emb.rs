//! Rotary embeddings. cos and sin may have more positions than x, also per batch.

use super::ops::check_same_dtype;
use candle::cuda_backend::kernelgen::{self, ops, Stream, Tensor};
use candle::backend::BackendStorage;
use candle::{CudaStorage, Layout, Result, Shape};

type Rotation = fn(&Tensor, &Tensor, &Tensor, Option<&Tensor>, Option<&Stream>) -> kernelgen::Result<Tensor>;

/// x, cos and sin with their layouts, as CustomOp3 has them.
pub(crate) type Operands<'a> = [(&'a CudaStorage, &'a Layout); 3];

fn rotate(rotation: Rotation, [x, cos, sin]: Operands) -> Result<(CudaStorage, Shape)> {
    check_same_dtype("rope", x.0, &[cos.0, sin.0])?;
    let y = rotation(&x.0.view(x.1)?, &cos.0.view(cos.1)?, &sin.0.view(sin.1)?, None, x.0.device().stream())?;
    Ok((CudaStorage::wrap(y, x.0.device())?, x.1.shape().clone()))
}

pub(crate) fn rope(operands: Operands) -> Result<(CudaStorage, Shape)> {
    rotate(ops::rope_with, operands)
}

pub(crate) fn rope_i(operands: Operands) -> Result<(CudaStorage, Shape)> {
    rotate(ops::rope_i_with, operands)
}

pub(crate) fn rope_thd(operands: Operands) -> Result<(CudaStorage, Shape)> {
    rotate(ops::rope_thd_with, operands)
}
