//! Memory of a device with elements of one dtype, and candle's operations on it.

use super::elementwise::{binary, scalar, unary};
use super::view::elementwise;
use super::window::{size, window1, window2};
use super::{host, CudaDevice};
use crate::backend::BackendStorage;
use crate::conv::{ParamsConv1D, ParamsConv2D, ParamsConvTranspose1D, ParamsConvTranspose2D};
use crate::op::{BinaryOpT, CmpOp, ReduceOp, UnaryOpT};
use crate::scalar::Scalar;
use crate::{CpuStorage, DType, Error, Layout, Result};
use kernelgen::{ops, Stream, Tensor, Window1, Window2};

/// A contiguous tensor of the library; layouts are views of it.
///
/// An index out of range reads 0 or writes nothing, and is the error of the next wait.
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

    /// The memory on another device; a copy also if that is on the same GPU.
    pub fn transfer_to_device(&self, device: &CudaDevice) -> Result<Self> {
        let tensor = self.tensor.to_device(device.kernelgen(), self.stream(), device.stream())?;
        Ok(Self::new(tensor, self.dtype, device))
    }

    /// Storage of raw bytes, for dtypes that candle stores and does not compute with.
    pub fn from_stored_bytes(device: &CudaDevice, bytes: &[u8], dtype: DType) -> Result<Self> {
        host::upload(device, bytes, kernelgen::DType::U8, dtype)
    }
}

impl BackendStorage for CudaStorage {
    type Device = CudaDevice;

    fn try_clone(&self, _: &Layout) -> Result<Self> {
        let copy = ops::copy_with(&self.tensor, None, self.stream())?;
        Ok(Self::new(copy, self.dtype, &self.device))
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
        let [x] = elementwise([(self, layout)])?;
        let (mul, add) = (scalar(x.dtype(), mul), scalar(x.dtype(), add));
        self.computed(ops::affine_with(&x, mul, add, None, self.stream()))
    }

    fn powf(&self, layout: &Layout, exponent: f64) -> Result<Self> {
        let [x] = elementwise([(self, layout)])?;
        self.computed(ops::powf_with(&x, exponent, None, self.stream()))
    }

    fn elu(&self, layout: &Layout, alpha: f64) -> Result<Self> {
        let [x] = elementwise([(self, layout)])?;
        self.computed(ops::elu_with(&x, alpha, None, self.stream()))
    }

    fn reduce_op(&self, op: ReduceOp, layout: &Layout, dims: &[usize]) -> Result<Self> {
        if layout.shape().elem_count() == 0 && !matches!(op, ReduceOp::Sum) {
            return Err(Error::EmptyTensor { op: op.name() }.bt());
        }
        let x = self.view(layout)?;
        let along: Vec<i64> = dims.iter().map(|&dim| dim as i64).collect();
        let single = || match along[..] {
            [dim] => Ok(Some(dim)),
            _ => Err(Error::OnlySingleDimension { op: op.name(), dims: dims.to_vec() }.bt()),
        };
        let stream = self.stream();
        self.computed(match op {
            ReduceOp::Sum => ops::sum_with(&x, &along, true, None, stream),
            ReduceOp::Min => ops::min_with(&x, &along, true, None, stream),
            ReduceOp::Max => ops::max_with(&x, &along, true, None, stream),
            ReduceOp::ArgMin => ops::argmin_with(&x, single()?, true, None, stream),
            ReduceOp::ArgMax => ops::argmax_with(&x, single()?, true, None, stream),
        })
    }

    fn cmp(&self, op: CmpOp, other: &Self, layout: &Layout, other_layout: &Layout) -> Result<Self> {
        let [a, b] = elementwise([(self, layout), (other, other_layout)])?;
        let compare = match op {
            CmpOp::Eq => ops::eq_with,
            CmpOp::Ne => ops::ne_with,
            CmpOp::Lt => ops::lt_with,
            CmpOp::Le => ops::le_with,
            CmpOp::Gt => ops::gt_with,
            CmpOp::Ge => ops::ge_with,
        };
        self.computed(compare(&a, &b, None, self.stream()))
    }

    fn to_dtype(&self, layout: &Layout, dtype: DType) -> Result<Self> {
        let to = host::kernel_dtype(dtype).ok_or_else(|| Error::UnsupportedDTypeForOp(dtype, "to_dtype").bt())?;
        let [x] = elementwise([(self, layout)])?;
        self.computed(ops::to_dtype_with(&x, to, None, self.stream()))
    }

    fn unary_impl<B: UnaryOpT>(&self, layout: &Layout) -> Result<Self> {
        let [x] = elementwise([(self, layout)])?;
        self.computed(unary(B::NAME, &x, self.stream()))
    }

    fn binary_impl<B: BinaryOpT>(&self, other: &Self, layout: &Layout, other_layout: &Layout) -> Result<Self> {
        let [a, b] = elementwise([(self, layout), (other, other_layout)])?;
        self.computed(binary(B::NAME, &a, &b, self.stream()))
    }

    fn where_cond(&self, layout: &Layout, a: &Self, a_layout: &Layout, b: &Self, b_layout: &Layout) -> Result<Self> {
        let [condition, a, b] = elementwise([(self, layout), (a, a_layout), (b, b_layout)])?;
        self.computed(ops::where_cond_with(&condition, &a, &b, None, self.stream()))
    }

    fn conv1d(&self, layout: &Layout, weight: &Self, weight_layout: &Layout, params: &ParamsConv1D) -> Result<Self> {
        let window = window1(params.stride, params.padding, params.dilation);
        let (x, weight) = (self.view(layout)?, weight.view(weight_layout)?);
        self.computed(ops::conv1d_with(&x, &weight, window, None, self.stream()))
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
        let (x, weight) = (self.view(layout)?, weight.view(weight_layout)?);
        self.computed(ops::conv_transpose1d_with(&x, &weight, window, None, self.stream()))
    }

    fn conv2d(&self, layout: &Layout, weight: &Self, weight_layout: &Layout, params: &ParamsConv2D) -> Result<Self> {
        let window = window2(params.stride, params.padding, params.dilation);
        let (x, weight) = (self.view(layout)?, weight.view(weight_layout)?);
        self.computed(ops::conv2d_with(&x, &weight, window, None, self.stream()))
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
        let (x, weight) = (self.view(layout)?, weight.view(weight_layout)?);
        self.computed(ops::conv_transpose2d_with(&x, &weight, window, None, self.stream()))
    }

    fn avg_pool2d(&self, layout: &Layout, kernel: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        let (kernel, stride) = (size(kernel.0, kernel.1), size(stride.0, stride.1));
        self.computed(ops::avg_pool2d_with(&self.view(layout)?, kernel, stride, None, self.stream()))
    }

    fn max_pool2d(&self, layout: &Layout, kernel: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        let (kernel, stride) = (size(kernel.0, kernel.1), size(stride.0, stride.1));
        self.computed(ops::max_pool2d_with(&self.view(layout)?, kernel, stride, None, self.stream()))
    }

    fn upsample_nearest1d(&self, layout: &Layout, length: usize) -> Result<Self> {
        self.computed(ops::upsample_nearest1d_with(&self.view(layout)?, length as i64, None, self.stream()))
    }

    fn upsample_nearest2d(&self, layout: &Layout, height: usize, width: usize) -> Result<Self> {
        self.computed(ops::upsample_nearest2d_with(&self.view(layout)?, size(height, width), None, self.stream()))
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
        let (to, stream) = (size(height, width), self.stream());
        self.computed(ops::upsample_bilinear2d_with(&x, to, align_corners, scale_height, scale_width, None, stream))
    }

    fn gather(&self, layout: &Layout, ids: &Self, ids_layout: &Layout, dim: usize) -> Result<Self> {
        let (x, ids) = (self.view(layout)?, ids.view(ids_layout)?);
        self.computed(ops::gather_with(&x, dim as i64, &ids, None, self.stream()))
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
        let (x, ids, source) = (self.view(layout)?, ids.view(ids_layout)?, source.view(source_layout)?);
        Ok(ops::scatter_set_with(&x, dim as i64, &ids, &source, self.stream())?)
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
        let (x, ids, source) = (self.view(layout)?, ids.view(ids_layout)?, source.view(source_layout)?);
        Ok(ops::scatter_add_set_with(&x, dim as i64, &ids, &source, false, self.stream())?)
    }

    fn index_select(&self, ids: &Self, layout: &Layout, ids_layout: &Layout, dim: usize) -> Result<Self> {
        let (x, ids) = (self.view(layout)?, ids.view(ids_layout)?);
        self.computed(ops::index_select_with(&x, dim as i64, &ids, None, self.stream()))
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
        let (x, ids, source) = (self.view(layout)?, ids.view(ids_layout)?, source.view(source_layout)?);
        self.computed(ops::index_add_with(&x, dim as i64, &ids, &source, false, None, self.stream()))
    }

    fn matmul(
        &self,
        other: &Self,
        _: (usize, usize, usize, usize),
        layout: &Layout,
        other_layout: &Layout,
    ) -> Result<Self> {
        let (a, b) = (self.view(layout)?, other.view(other_layout)?);
        self.computed(ops::matmul_with(&a, &b, None, self.stream()))
    }

    fn copy_strided_src(&self, destination: &mut Self, offset: usize, layout: &Layout) -> Result<()> {
        let packed = Layout::contiguous_with_offset(layout.shape(), offset);
        let [from, to] = elementwise([(self, layout), (destination, &packed)])?;
        Ok(ops::copy_into_with(&to, &from, self.stream())?)
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
        let [view] = elementwise([(self, layout)])?;
        let value = match value {
            Scalar::I64(value) => value.into(),
            value => scalar(view.dtype(), value.to_f64()),
        };
        Ok(ops::const_set_with(&view, value, self.stream())?)
    }
}
