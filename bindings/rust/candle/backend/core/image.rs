//! Convolution, pooling and upsampling.

use super::CudaStorage;
use crate::{Layout, Result};
use kernelgen::{ops, Size2, Window1, Window2};

fn size(height: usize, width: usize) -> Size2 {
    (height as i64, width as i64).into()
}

fn both(extent: usize) -> Size2 {
    size(extent, extent)
}

/// A window with the same numbers in both dims.
pub(super) fn window2(stride: usize, padding: usize, dilation: usize) -> Window2 {
    Window2 { stride: both(stride), padding: both(padding), dilation: both(dilation), ..Window2::default() }
}

pub(super) fn window1(stride: usize, padding: usize, dilation: usize) -> Window1 {
    Window1 { stride: stride as i64, padding: padding as i64, dilation: dilation as i64, ..Window1::default() }
}

impl CudaStorage {
    pub(super) fn convolved1(&self, layout: &Layout, weight: (&Self, &Layout), window: Window1) -> Result<Self> {
        let (x, weight) = (self.view(layout)?, weight.0.view(weight.1)?);
        self.computed(ops::conv1d_with(&x, &weight, window, None, self.stream()))
    }

    pub(super) fn convolved2(&self, layout: &Layout, weight: (&Self, &Layout), window: Window2) -> Result<Self> {
        let (x, weight) = (self.view(layout)?, weight.0.view(weight.1)?);
        self.computed(ops::conv2d_with(&x, &weight, window, None, self.stream()))
    }

    pub(super) fn convolved_transposed1(
        &self,
        layout: &Layout,
        weight: (&Self, &Layout),
        window: Window1,
    ) -> Result<Self> {
        let (x, weight) = (self.view(layout)?, weight.0.view(weight.1)?);
        self.computed(ops::conv_transpose1d_with(&x, &weight, window, None, self.stream()))
    }

    pub(super) fn convolved_transposed2(
        &self,
        layout: &Layout,
        weight: (&Self, &Layout),
        window: Window2,
    ) -> Result<Self> {
        let (x, weight) = (self.view(layout)?, weight.0.view(weight.1)?);
        self.computed(ops::conv_transpose2d_with(&x, &weight, window, None, self.stream()))
    }

    pub(super) fn averaged(&self, layout: &Layout, kernel: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        let x = self.view(layout)?;
        let (kernel, stride) = (size(kernel.0, kernel.1), size(stride.0, stride.1));
        self.computed(ops::avg_pool2d_with(&x, kernel, stride, None, self.stream()))
    }

    pub(super) fn maxima(&self, layout: &Layout, kernel: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        let x = self.view(layout)?;
        let (kernel, stride) = (size(kernel.0, kernel.1), size(stride.0, stride.1));
        self.computed(ops::max_pool2d_with(&x, kernel, stride, None, self.stream()))
    }

    pub(super) fn nearest1(&self, layout: &Layout, length: usize) -> Result<Self> {
        let x = self.view(layout)?;
        self.computed(ops::upsample_nearest1d_with(&x, length as i64, None, self.stream()))
    }

    pub(super) fn nearest2(&self, layout: &Layout, height: usize, width: usize) -> Result<Self> {
        let x = self.view(layout)?;
        self.computed(ops::upsample_nearest2d_with(&x, size(height, width), None, self.stream()))
    }
}
