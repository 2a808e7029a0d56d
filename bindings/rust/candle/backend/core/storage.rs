//! Memory of a device with elements of one dtype, and candle's operations on it.

use super::image::{window1, window2};
use super::{host, CudaDevice};
use crate::backend::BackendStorage;
use crate::conv::{ParamsConv1D, ParamsConv2D, ParamsConvTranspose1D, ParamsConvTranspose2D};
use crate::op::{BinaryOpT, CmpOp, ReduceOp, UnaryOpT};
use crate::scalar::Scalar;
use crate::{CpuStorage, DType, Layout, Result};
use kernelgen::{ops, Stream, Tensor, Window1, Window2};

/// A contiguous tensor of the library; layouts are views of it.
#[derive(Debug)]
pub struct CudaStorage {
    tensor: Tensor,
    pub(super) dtype: DType,
    pub(super) device: CudaDevice,
}

impl CudaStorage {
    /// `tensor` is contiguous and starts at offset 0; its dtype is the library's for `dtype`, or u8 for stored bytes.
    pub(super) fn new(tensor: Tensor, dtype: DType, device: &CudaDevice) -> Self {
        Self { tensor, dtype, device: device.clone() }
    }

    /// Storage of a contiguous result. Errors: a dtype that candle does not have.
    pub fn wrap(tensor: Tensor, device: &CudaDevice) -> Result<Self> {
        match host::candle_dtype(tensor.dtype()) {
            Some(dtype) => Ok(Self::new(tensor, dtype, device)),
            None => crate::bail!("candle has no dtype {}", tensor.dtype()),
        }
    }

    /// The whole memory.
    pub fn tensor(&self) -> &Tensor {
        &self.tensor
    }

    /// Storage, on the same device, of an operation's result.
    pub(super) fn computed(&self, result: kernelgen::Result<Tensor>) -> Result<Self> {
        Self::wrap(result?, &self.device)
    }

    /// Where the operations on it are put.
    pub(super) fn stream(&self) -> Option<&Stream> {
        self.device.stream()
    }

    /// Storage of raw bytes, for dtypes that candle stores and does not compute with.
    pub fn from_stored_bytes(device: &CudaDevice, bytes: &[u8], dtype: DType) -> Result<Self> {
        host::upload(device, bytes, kernelgen::DType::U8, dtype)
    }
}

impl BackendStorage for CudaStorage {
    type Device = CudaDevice;

    fn try_clone(&self, _: &Layout) -> Result<Self> {
        self.cloned()
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn device(&self) -> &CudaDevice {
        &self.device
    }

    fn to_cpu_storage(&self) -> Result<CpuStorage> {
        host::to_cpu(&self.tensor, self.dtype, self.stream())
    }

    fn affine(&self, layout: &Layout, mul: f64, add: f64) -> Result<Self> {
        self.scaled(layout, mul, add)
    }

    fn powf(&self, layout: &Layout, exponent: f64) -> Result<Self> {
        self.power(layout, exponent)
    }

    fn elu(&self, layout: &Layout, alpha: f64) -> Result<Self> {
        self.exponential_linear(layout, alpha)
    }

    fn reduce_op(&self, op: ReduceOp, layout: &Layout, dims: &[usize]) -> Result<Self> {
        self.reduced(op, layout, dims)
    }

    fn cmp(&self, op: CmpOp, other: &Self, layout: &Layout, other_layout: &Layout) -> Result<Self> {
        self.compare(layout, other, other_layout, op)
    }

    fn to_dtype(&self, layout: &Layout, dtype: DType) -> Result<Self> {
        self.converted(layout, dtype)
    }

    fn unary_impl<B: UnaryOpT>(&self, layout: &Layout) -> Result<Self> {
        self.unary(layout, B::NAME)
    }

    fn binary_impl<B: BinaryOpT>(&self, other: &Self, layout: &Layout, other_layout: &Layout) -> Result<Self> {
        self.binary(layout, other, other_layout, B::NAME)
    }

    fn where_cond(&self, layout: &Layout, a: &Self, a_layout: &Layout, b: &Self, b_layout: &Layout) -> Result<Self> {
        self.select(layout, (a, a_layout), (b, b_layout))
    }

    fn conv1d(&self, layout: &Layout, weight: &Self, weight_layout: &Layout, params: &ParamsConv1D) -> Result<Self> {
        self.convolved1(layout, (weight, weight_layout), window1(params.stride, params.padding, params.dilation))
    }

    fn conv_transpose1d(
        &self,
        layout: &Layout,
        weight: &Self,
        weight_layout: &Layout,
        params: &ParamsConvTranspose1D,
    ) -> Result<Self> {
        let window = Window1 {
            output_padding: params.output_padding as i64,
            ..window1(params.stride, params.padding, params.dilation)
        };
        self.convolved_transposed1(layout, (weight, weight_layout), window)
    }

    fn conv2d(&self, layout: &Layout, weight: &Self, weight_layout: &Layout, params: &ParamsConv2D) -> Result<Self> {
        self.convolved2(layout, (weight, weight_layout), window2(params.stride, params.padding, params.dilation))
    }

    fn conv_transpose2d(
        &self,
        layout: &Layout,
        weight: &Self,
        weight_layout: &Layout,
        params: &ParamsConvTranspose2D,
    ) -> Result<Self> {
        let window = Window2 {
            output_padding: (params.output_padding as i64).into(),
            ..window2(params.stride, params.padding, params.dilation)
        };
        self.convolved_transposed2(layout, (weight, weight_layout), window)
    }

    fn avg_pool2d(&self, layout: &Layout, kernel: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        self.averaged(layout, kernel, stride)
    }

    fn max_pool2d(&self, layout: &Layout, kernel: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        self.maxima(layout, kernel, stride)
    }

    fn upsample_nearest1d(&self, layout: &Layout, length: usize) -> Result<Self> {
        self.nearest1(layout, length)
    }

    fn upsample_nearest2d(&self, layout: &Layout, height: usize, width: usize) -> Result<Self> {
        self.nearest2(layout, height, width)
    }

    fn upsample_bilinear2d(
        &self,
        layout: &Layout,
        height: usize,
        width: usize,
        align_corners: bool,
        scale_height: Option<f64>,
        scale_width: Option<f64>,
    ) -> Result<Self> {
        let x = self.view(layout)?;
        let size = (height as i64, width as i64);
        let stream = self.stream();
        self.computed(ops::upsample_bilinear2d_with(&x, size, align_corners, scale_height, scale_width, None, stream))
    }

    fn gather(&self, layout: &Layout, ids: &Self, ids_layout: &Layout, dim: usize) -> Result<Self> {
        self.gathered(layout, ids, ids_layout, dim)
    }

    fn scatter_set(
        &mut self,
        layout: &Layout,
        ids: &Self,
        ids_layout: &Layout,
        source: &Self,
        source_layout: &Layout,
        dim: usize,
    ) -> Result<()> {
        self.scatter(layout, (ids, ids_layout), (source, source_layout), dim)
    }

    fn scatter_add_set(
        &mut self,
        layout: &Layout,
        ids: &Self,
        ids_layout: &Layout,
        source: &Self,
        source_layout: &Layout,
        dim: usize,
    ) -> Result<()> {
        self.scatter_add(layout, (ids, ids_layout), (source, source_layout), dim)
    }

    fn index_select(&self, ids: &Self, layout: &Layout, ids_layout: &Layout, dim: usize) -> Result<Self> {
        self.selected(layout, ids, ids_layout, dim)
    }

    fn index_add(
        &self,
        layout: &Layout,
        ids: &Self,
        ids_layout: &Layout,
        source: &Self,
        source_layout: &Layout,
        dim: usize,
    ) -> Result<Self> {
        self.indexed_sum(layout, (ids, ids_layout), (source, source_layout), dim)
    }

    fn matmul(
        &self,
        other: &Self,
        _: (usize, usize, usize, usize),
        layout: &Layout,
        other_layout: &Layout,
    ) -> Result<Self> {
        self.product(layout, other, other_layout)
    }

    fn copy_strided_src(&self, destination: &mut Self, offset: usize, layout: &Layout) -> Result<()> {
        self.copy_to(layout, destination, offset)
    }

    fn copy2d(
        &self,
        destination: &mut Self,
        rows: usize,
        columns: usize,
        stride: usize,
        destination_stride: usize,
        offset: usize,
        destination_offset: usize,
    ) -> Result<()> {
        let number = |value: usize| value as i64;
        Ok(ops::copy2d_with(
            &destination.tensor,
            &self.tensor,
            number(rows),
            number(columns),
            number(destination_stride),
            number(stride),
            number(destination_offset),
            number(offset),
            self.stream(),
        )?)
    }

    fn const_set(&mut self, value: Scalar, layout: &Layout) -> Result<()> {
        self.fill(layout, value)
    }
}
