//! Convolutions of several groups in one launch. candle makes a convolution a group, which is what gradients go through.

use super::window::{window1, window2};
use super::CudaStorage;
use crate::{CpuStorage, CustomOp2, Layout, Result, Shape, Tensor};
use kernelgen::{ops, Window1, Window2};

/// Parameters of a convolution.
pub(crate) struct GroupedConv {
    pub(crate) padding: usize,
    pub(crate) stride: usize,
    pub(crate) dilation: usize,
    pub(crate) groups: usize,
    /// Of a transposed convolution.
    pub(crate) output_padding: Option<usize>,
}

impl GroupedConv {
    /// None where candle's own way is needed: one group, another back end, gradients, or arguments that candle refuses.
    pub(crate) fn forward(&self, x: &Tensor, weight: &Tensor) -> Result<Option<Tensor>> {
        let is_ours = x.device().is_cuda() && x.device().location() == weight.device().location();
        let is_tracked = x.track_op() || weight.track_op();
        let is_image = (3..=4).contains(&x.rank()) && x.rank() == weight.rank() && x.dtype() == weight.dtype();
        if self.groups < 2 || !is_ours || is_tracked || !is_image {
            return Ok(None);
        }
        let (channels, weights) = (x.dim(1)?, weight.dims());
        let fits = match self.output_padding {
            None => channels == weights[1] * self.groups && weights[0] % self.groups == 0,
            Some(_) => channels == weights[0] && channels % self.groups == 0,
        };
        if !fits {
            return Ok(None);
        }
        Ok(Some(x.apply_op2_no_bwd(weight, self)?))
    }
}

impl CustomOp2 for GroupedConv {
    fn name(&self) -> &'static str {
        "grouped-conv"
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        unreachable!("forward() is for this back end")
    }

    fn cuda_fwd(
        &self,
        x: &CudaStorage,
        layout: &Layout,
        weight: &CudaStorage,
        weight_layout: &Layout,
    ) -> Result<(CudaStorage, Shape)> {
        let (x_view, weight, stream) = (x.view(layout)?, weight.view(weight_layout)?, x.stream());
        let groups = self.groups as i64;
        let line = Window1 { groups, ..window1(self.stride, self.padding, self.dilation) };
        let result = x.computed(match (layout.dims().len(), self.output_padding) {
            (3, None) => ops::conv1d_with(&x_view, &weight, line, None, stream),
            (3, Some(more)) => {
                let line = Window1 { output_padding: more as i64, ..line };
                ops::conv_transpose1d_with(&x_view, &weight, line, None, stream)
            }
            _ => {
                let window = Window2 { groups, ..window2(self.stride, self.padding, self.dilation) };
                ops::conv2d_with(&x_view, &weight, window, None, stream)
            }
        })?;
        let dims: Vec<usize> = result.tensor().shape().iter().map(|&extent| extent as usize).collect();
        Ok((result, dims.into()))
    }
}
