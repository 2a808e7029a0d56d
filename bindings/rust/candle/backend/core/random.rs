//! Random numbers. The same seed gives the same numbers on every device.

use super::{CudaDevice, CudaStorage};
use crate::{Result, Shape};
use kernelgen::{ops, DType};

/// Over [low, high).
pub(super) fn uniform(device: &CudaDevice, shape: &Shape, dtype: DType, low: f64, high: f64) -> Result<CudaStorage> {
    let elements = [shape.elem_count() as i64];
    let made = ops::rand_uniform_with(device.kernelgen(), &elements, dtype, low, high, None, device.stream())?;
    CudaStorage::wrap(made, device)
}

pub(super) fn normal(device: &CudaDevice, shape: &Shape, dtype: DType, mean: f64, std: f64) -> Result<CudaStorage> {
    let elements = [shape.elem_count() as i64];
    let made = ops::rand_normal_with(device.kernelgen(), &elements, dtype, mean, std, None, device.stream())?;
    CudaStorage::wrap(made, device)
}
