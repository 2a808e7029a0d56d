//! Prefix sums.

use super::CudaStorage;
use crate::shape::Dim;
use crate::{CpuStorage, CustomOp1, Layout, Result, Shape, Tensor};
use kernelgen::ops;

/// Inclusive prefix sums along a dim.
struct CumSum {
    dim: usize,
}

impl CustomOp1 for CumSum {
    fn name(&self) -> &'static str {
        "cumsum"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        crate::bail!("cumsum: the tensor is on the CPU back end, where candle's own cumsum works")
    }

    fn cuda_fwd(&self, storage: &CudaStorage, layout: &Layout) -> Result<(CudaStorage, Shape)> {
        let x = storage.view(layout)?;
        let sums = storage.computed(ops::cumsum_with(&x, self.dim as i64, None, storage.stream()))?;
        Ok((sums, layout.shape().clone()))
    }

    /// Each element is a term of the sum at its index and of all later ones, so this sums the gradient from the end.
    fn bwd(&self, _: &Tensor, _: &Tensor, gradient: &Tensor) -> Result<Option<Tensor>> {
        let from_the_end = cumsum(&gradient.flip(&[self.dim])?, self.dim)?;
        Ok(Some(from_the_end.flip(&[self.dim])?))
    }
}

/// `Tensor::cumsum` of a tensor of this back end.
pub(crate) fn cumsum(x: &Tensor, dim: impl Dim) -> Result<Tensor> {
    x.apply_op1(CumSum { dim: dim.to_index(x.shape(), "cumsum")? })
}
