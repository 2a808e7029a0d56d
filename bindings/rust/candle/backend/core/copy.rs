//! Copies and fills.

use super::view::elementwise;
use super::CudaStorage;
use crate::scalar::Scalar;
use crate::{Layout, Result};
use kernelgen::ops;

impl CudaStorage {
    /// The memory on another device; a copy also if that is on the same GPU.
    pub fn transfer_to_device(&self, device: &super::CudaDevice) -> Result<Self> {
        let tensor = self.tensor().to_device(device.kernelgen(), self.stream(), device.stream())?;
        Ok(Self::new(tensor, self.dtype, device))
    }

    /// All of the memory, for any layout of it.
    pub(super) fn cloned(&self) -> Result<Self> {
        let tensor = ops::copy_with(self.tensor(), None, self.stream())?;
        Ok(Self::new(tensor, self.dtype, &self.device))
    }

    /// The elements of a layout, to contiguous ones of `destination` from `offset` on.
    pub(super) fn copy_to(&self, layout: &Layout, destination: &mut Self, offset: usize) -> Result<()> {
        let packed = Layout::contiguous_with_offset(layout.shape(), offset);
        let [from, to] = elementwise([(self, layout), (destination, &packed)])?;
        Ok(ops::copy_into_with(&to, &from, self.stream())?)
    }

    pub(super) fn fill(&mut self, layout: &Layout, value: Scalar) -> Result<()> {
        let [view] = elementwise([(self, layout)])?;
        let value = match value {
            Scalar::I64(value) => value.into(),
            value => super::elementwise::scalar(view.dtype(), value.to_f64()),
        };
        Ok(ops::const_set_with(&view, value, self.stream())?)
    }
}
