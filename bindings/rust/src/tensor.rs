//! Tensors: typed, strided views of a device's memory.

use crate::c;
use crate::device::handle;
use crate::error::{check, refused};
use crate::{ops, DType, Device, Element, Result, Scalar, Stream};
use std::fmt;
use std::mem::MaybeUninit;
use std::os::raw::{c_int, c_void};
use std::ptr::{null, null_mut, NonNull};

handle! {
    /// A typed, strided view of a device's memory, which goes with the last tensor over it. Views share it, and operations
    /// that write (`ops::copy_into`, `out`) do so through a shared reference: who has other threads read meanwhile orders the
    /// work by streams and events.
    Tensor, kernelgen_tensor_release
}

/// A handle, or NULL.
pub(crate) trait Raw {
    type Of;
    fn pointer(&self) -> *mut Self::Of;
}

impl Raw for Tensor {
    type Of = c::Tensor;
    fn pointer(&self) -> *mut c::Tensor {
        self.raw()
    }
}

impl Raw for Stream {
    type Of = c::Stream;
    fn pointer(&self) -> *mut c::Stream {
        self.raw()
    }
}

pub(crate) fn raw_or_null<T: Raw>(handle: Option<&T>) -> *const T::Of {
    handle.map_or(null(), |each| each.pointer() as *const T::Of)
}

/// Where a number lies, or NULL.
pub(crate) fn address<T>(value: Option<&T>) -> *const T {
    value.map_or(null(), |each| each)
}

/// The result of a call that makes one.
pub(crate) fn made(call: impl FnOnce(*mut *mut c::Tensor) -> c_int) -> Result<Tensor> {
    Tensor::made(call)
}

/// The results of a call that makes two.
pub(crate) fn made_both(
    call: impl FnOnce(*mut *mut c::Tensor, *mut *mut c::Tensor) -> c_int,
) -> Result<(Tensor, Tensor)> {
    let mut second = null_mut();
    let first = Tensor::made(|first| call(first, &mut second))?;
    Ok((first, Tensor::made(|made| {
        unsafe { *made = second };
        c::OK
    })?))
}

impl Tensor {
    /// A contiguous tensor of its own memory, uninitialised. Errors: `OutOfMemory`, `InvalidArgument`.
    pub fn empty(device: &Device, dtype: DType, shape: &[i64]) -> Result<Self> {
        Self::empty_with(device, dtype, shape, None)
    }

    /// As [`empty`](Self::empty), with memory that is ready for work put into the stream.
    pub fn empty_with(device: &Device, dtype: DType, shape: &[i64], stream: Option<&Stream>) -> Result<Self> {
        made(|tensor| unsafe {
            c::kernelgen_tensor_empty(device.raw(), dtype.0, shape.len(), shape.as_ptr(), raw_or_null(stream), tensor)
        })
    }

    /// The same, filled with zeros. Errors: `OutOfMemory`, `DeviceError`, `InvalidArgument`.
    pub fn zeros(device: &Device, dtype: DType, shape: &[i64]) -> Result<Self> {
        Self::zeros_with(device, dtype, shape, None)
    }

    /// As [`zeros`](Self::zeros), in a stream.
    pub fn zeros_with(device: &Device, dtype: DType, shape: &[i64], stream: Option<&Stream>) -> Result<Self> {
        made(|tensor| unsafe {
            c::kernelgen_tensor_zeros(device.raw(), dtype.0, shape.len(), shape.as_ptr(), raw_or_null(stream), tensor)
        })
    }

    /// A copy of row-major elements. Errors: `InvalidArgument` where they are not as many as the shape has; `OutOfMemory`,
    /// `DeviceError`.
    pub fn from_slice<T: Element>(device: &Device, elements: &[T], shape: &[i64]) -> Result<Self> {
        let bytes = unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), std::mem::size_of_val(elements)) };
        Self::from_bytes(device, bytes, T::DTYPE, shape)
    }

    /// A copy of the bytes of row-major elements; of quantized dtypes of their blocks. Errors: as `from_slice`.
    pub fn from_bytes(device: &Device, bytes: &[u8], dtype: DType, shape: &[i64]) -> Result<Self> {
        Self::from_bytes_with(device, bytes, dtype, shape, None)
    }

    /// As [`from_bytes`](Self::from_bytes), in a stream.
    pub fn from_bytes_with(
        device: &Device,
        bytes: &[u8],
        dtype: DType,
        shape: &[i64],
        stream: Option<&Stream>,
    ) -> Result<Self> {
        made(|tensor| unsafe {
            c::kernelgen_tensor_from_host(
                device.raw(),
                bytes.as_ptr().cast(),
                bytes.len(),
                dtype.0,
                shape.len(),
                shape.as_ptr(),
                raw_or_null(stream),
                tensor,
            )
        })
    }

    /// A tensor of a CPU device over a vector's own memory, without a copy; the vector is dropped with the last tensor over
    /// it, by whatever thread that is. Errors: as `from_slice`; `InvalidArgument` for a GPU.
    pub fn from_vec<T: Element>(device: &Device, elements: Vec<T>, shape: &[i64]) -> Result<Self> {
        unsafe { Self::from_vec_as(device, elements, T::DTYPE, shape) }
    }

    /// The same for a type that is no `Element`, such as another crate's f16. Errors: as `from_vec`.
    ///
    /// # Safety
    /// T has the bits of the dtype's elements, and any bits are a value of T.
    pub unsafe fn from_vec_as<T: Copy + Send + 'static>(
        device: &Device,
        elements: Vec<T>,
        dtype: DType,
        shape: &[i64],
    ) -> Result<Self> {
        unsafe extern "C" fn release<T>(context: *mut c_void) {
            drop(Box::from_raw(context.cast::<Vec<T>>()));
        }
        if device.kind() != crate::DeviceKind::Cpu {
            return Err(refused(format!("from_vec: a vector is not memory of {}; from_slice copies it", device.location())));
        }
        let mut held = Box::new(elements);
        let (data, bytes) = (held.as_mut_ptr(), std::mem::size_of_val(held.as_slice()));
        let context = Box::into_raw(held);
        let tensor = made(|tensor| {
            c::kernelgen_tensor_borrow(
                device.raw(),
                data.cast(),
                bytes,
                dtype.0,
                shape.len(),
                shape.as_ptr(),
                Some(release::<T>),
                context.cast(),
                tensor,
            )
        });
        if tensor.is_err() {
            drop(Box::from_raw(context));
        }
        tensor
    }

    /// The extents.
    pub fn shape(&self) -> &[i64] {
        self.dims(c::kernelgen_tensor_shape)
    }

    /// Elements from one to the next along each dim.
    pub fn strides(&self) -> &[i64] {
        self.dims(c::kernelgen_tensor_strides)
    }

    fn dims(&self, of: unsafe extern "C" fn(*const c::Tensor, *mut *const i64, *mut usize) -> c_int) -> &[i64] {
        let (mut values, mut rank) = (null(), 0);
        let status = unsafe { of(self.raw(), &mut values, &mut rank) };
        assert_eq!(status, c::OK, "a tensor has a layout");
        // The numbers belong to the handle.
        if rank == 0 { &[] } else { unsafe { std::slice::from_raw_parts(values, rank) } }
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        let mut dtype = 0;
        let status = unsafe { c::kernelgen_tensor_dtype(self.raw(), &mut dtype) };
        assert_eq!(status, c::OK, "a tensor has a dtype");
        DType(dtype)
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape().iter().product::<i64>() as usize
    }

    /// Bytes of the elements one after the other. Errors: `InvalidArgument` for a view of more than memory could hold.
    pub fn bytes(&self) -> Result<usize> {
        let mut bytes = 0;
        check(unsafe { c::kernelgen_tensor_bytes(self.raw(), &mut bytes) })?;
        Ok(bytes)
    }

    /// Whether the elements follow one another in row-major order.
    pub fn is_contiguous(&self) -> bool {
        let mut contiguous = 0;
        unsafe { c::kernelgen_tensor_is_contiguous(self.raw(), &mut contiguous) == c::OK && contiguous == 1 }
    }

    /// Address of the first element, on the device; valid as long as a tensor over the memory lives.
    pub fn data(&self) -> *mut c_void {
        let mut data = null_mut();
        let status = unsafe { c::kernelgen_tensor_data(self.raw(), &mut data) };
        assert_eq!(status, c::OK, "a tensor has memory");
        data
    }

    /// The device it is on.
    pub fn device(&self) -> Device {
        Device::made(|device| unsafe { c::kernelgen_tensor_device(self.raw(), device) }).expect("a tensor is on a device")
    }

    /// The elements in row-major order, after all work in the default queue. Errors: `InvalidArgument` where the dtype is
    /// another than T's; what waiting reports.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        if self.dtype() != T::DTYPE {
            return Err(refused(format!("to_vec: the tensor is {}, asked for as {}", self.dtype(), T::DTYPE)));
        }
        let mut elements = Vec::with_capacity(self.elements());
        let bytes = self.bytes()?;
        check(unsafe { c::kernelgen_tensor_to_host(self.raw(), elements.as_mut_ptr() as *mut c_void, bytes, null()) })?;
        unsafe { elements.set_len(self.elements()) };
        Ok(elements)
    }

    /// The bytes of the elements, of quantized dtypes of their blocks, after all work in the stream. Errors: what waiting
    /// reports.
    pub fn to_bytes(&self, stream: Option<&Stream>) -> Result<Vec<u8>> {
        let mut bytes = vec![0; self.bytes()?];
        check(unsafe {
            c::kernelgen_tensor_to_host(self.raw(), bytes.as_mut_ptr().cast(), bytes.len(), raw_or_null(stream))
        })?;
        Ok(bytes)
    }

    /// Writes the elements in row-major order to `bytes`, after all work in the stream. Errors: `InvalidArgument` where
    /// `bytes` is not as long as they are; what waiting reports.
    pub fn read(&self, bytes: &mut [MaybeUninit<u8>], stream: Option<&Stream>) -> Result<()> {
        check(unsafe {
            c::kernelgen_tensor_to_host(self.raw(), bytes.as_mut_ptr().cast(), bytes.len(), raw_or_null(stream))
        })
    }

    /// A contiguous copy on a device, which may be the tensor's. It starts after the work in `from`, a stream of the tensor's
    /// device; later work in `to`, a stream of the other device, waits for it. Errors: `OutOfMemory`, `DeviceError`.
    pub fn to_device(&self, device: &Device, from: Option<&Stream>, to: Option<&Stream>) -> Result<Self> {
        made(|tensor| unsafe {
            c::kernelgen_tensor_to_device(self.raw(), device.raw(), raw_or_null(from), raw_or_null(to), tensor)
        })
    }

    /// With two dims exchanged. Errors: `InvalidArgument`, as of all views, where it does not exist.
    pub fn transpose(&self, dim0: i64, dim1: i64) -> Result<Self> {
        made(|view| unsafe { c::kernelgen_tensor_transpose(self.raw(), dim0, dim1, view) })
    }

    /// Dim i is dim `order[i]`.
    pub fn permute(&self, order: &[i64]) -> Result<Self> {
        made(|view| unsafe { c::kernelgen_tensor_permute(self.raw(), order.len(), order.as_ptr(), view) })
    }

    /// Positions `start` to `start + length - 1` of a dim.
    pub fn narrow(&self, dim: i64, start: i64, length: i64) -> Result<Self> {
        made(|view| unsafe { c::kernelgen_tensor_narrow(self.raw(), dim, start, length, view) })
    }

    /// NumPy's rule: trailing dims match or are 1.
    pub fn broadcast_to(&self, shape: &[i64]) -> Result<Self> {
        made(|view| unsafe { c::kernelgen_tensor_broadcast_to(self.raw(), shape.len(), shape.as_ptr(), view) })
    }

    /// The same elements in row-major order. Errors: also where that takes a copy: `ops::copy` first.
    pub fn reshape(&self, shape: &[i64]) -> Result<Self> {
        made(|view| unsafe { c::kernelgen_tensor_reshape(self.raw(), shape.len(), shape.as_ptr(), view) })
    }

    /// Without a dim of extent 1.
    pub fn squeeze(&self, dim: i64) -> Result<Self> {
        made(|view| unsafe { c::kernelgen_tensor_squeeze(self.raw(), dim, view) })
    }

    /// With a dim of extent 1 before `dim`.
    pub fn unsqueeze(&self, dim: i64) -> Result<Self> {
        made(|view| unsafe { c::kernelgen_tensor_unsqueeze(self.raw(), dim, view) })
    }

    /// Any layout over the memory, in elements. Errors: also where it reaches outside.
    pub fn as_strided(&self, shape: &[i64], strides: &[i64], offset: i64) -> Result<Self> {
        if shape.len() != strides.len() {
            return Err(refused(format!("as_strided: {} extents, {} strides", shape.len(), strides.len())));
        }
        made(|view| unsafe {
            c::kernelgen_tensor_as_strided(self.raw(), shape.len(), shape.as_ptr(), strides.as_ptr(), offset, view)
        })
    }
}

impl Clone for Tensor {
    /// Another handle of the same tensor.
    fn clone(&self) -> Self {
        made(|shared| unsafe { c::kernelgen_tensor_retain(self.raw(), shared) }).expect("a tensor can be shared")
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "Tensor({} {:?} on {})", self.dtype(), self.shape(), self.device().location())
    }
}

macro_rules! operator {
    ($($name:ident $method:ident $function:ident),*) => {$(
        impl std::ops::$name<&Tensor> for &Tensor {
            type Output = Result<Tensor>;
            fn $method(self, other: &Tensor) -> Result<Tensor> {
                ops::$function(self, other)
            }
        }
    )*};
}
operator!(Add add add, Sub sub sub, Mul mul mul, Div div div);

impl std::ops::Neg for &Tensor {
    type Output = Result<Tensor>;
    fn neg(self) -> Result<Tensor> {
        ops::neg(self)
    }
}

impl Tensor {
    /// Every element the same. Errors: as `empty`, and those of `ops::const_set`.
    pub fn full(device: &Device, value: impl Into<Scalar>, dtype: DType, shape: &[i64]) -> Result<Self> {
        let tensor = Self::empty(device, dtype, shape)?;
        ops::const_set(&tensor, value)?;
        Ok(tensor)
    }
}
