//! Storage between the host and the device, for the dtypes of this version of candle.

use super::dtypes::dtypes;
use super::{CudaDevice, CudaStorage};
use crate::backend::BackendStorage;
use crate::{CpuStorage, DType, Error, Result};
use kernelgen::{DeviceKind, Stream, Tensor};

macro_rules! host {
    (computed: $($variant:ident($element:ty)),*; stored: $($raw:ident),*) => {
        /// The library's dtype; None for dtypes whose elements are only stored.
        pub(super) fn kernel_dtype(dtype: DType) -> Option<kernelgen::DType> {
            match dtype {
                $(DType::$variant => Some(kernelgen::DType::$variant),)*
                #[allow(unreachable_patterns)]
                _ => None,
            }
        }

        /// candle's dtype; None for the library's block formats.
        pub(super) fn candle_dtype(dtype: kernelgen::DType) -> Option<DType> {
            match dtype {
                $(kernelgen::DType::$variant => Some(DType::$variant),)*
                _ => None,
            }
        }

        /// A copy of the host's elements.
        pub(super) fn from_cpu(device: &CudaDevice, storage: &CpuStorage) -> Result<CudaStorage> {
            match storage {
                $(CpuStorage::$variant(elements) => {
                    upload(device, bytes_of(elements), kernelgen::DType::$variant, DType::$variant)
                })*
                $(CpuStorage::$raw(bytes) => upload(device, bytes, kernelgen::DType::U8, DType::$raw),)*
                #[allow(unreachable_patterns)]
                _ => Err(Error::UnsupportedDTypeForOp(storage.dtype(), "storage_from_cpu_storage").bt()),
            }
        }

        /// The host's elements: on the CPU in the memory that they are in, else a copy.
        pub(super) fn from_cpu_owned(device: &CudaDevice, storage: CpuStorage) -> Result<CudaStorage> {
            if device.kernelgen().kind() != DeviceKind::Cpu {
                return from_cpu(device, &storage);
            }
            match storage {
                $(CpuStorage::$variant(elements) => {
                    let (dtype, count) = (kernelgen::DType::$variant, [elements.len() as i64]);
                    // SAFETY: candle's element type of the dtype has the dtype's bits.
                    let tensor = unsafe { Tensor::from_vec_as(device.kernelgen(), elements, dtype, &count)? };
                    Ok(CudaStorage::new(tensor, DType::$variant, device))
                })*
                #[allow(unreachable_patterns)]
                stored => from_cpu(device, &stored),
            }
        }

        /// All elements of the memory, after the work that writes them.
        pub(super) fn to_cpu(tensor: &Tensor, dtype: DType, stream: Option<&Stream>) -> Result<CpuStorage> {
            match dtype {
                $(DType::$variant => Ok(CpuStorage::$variant(download::<$element>(tensor, stream)?)),)*
                $(DType::$raw => Ok(CpuStorage::$raw(download::<u8>(tensor, stream)?)),)*
                #[allow(unreachable_patterns)]
                _ => Err(Error::UnsupportedDTypeForOp(dtype, "to_cpu_storage").bt()),
            }
        }
    };
}
dtypes!(host);

/// The bytes of elements, which have no padding.
pub(super) fn bytes_of<T: Copy>(elements: &[T]) -> &[u8] {
    // SAFETY: any initialised bytes may be read as u8.
    unsafe { std::slice::from_raw_parts(elements.as_ptr().cast(), std::mem::size_of_val(elements)) }
}

/// Storage with a copy of the bytes. `kept_as` is the library's dtype of the elements.
pub(super) fn upload(
    device: &CudaDevice,
    bytes: &[u8],
    kept_as: kernelgen::DType,
    dtype: DType,
) -> Result<CudaStorage> {
    let elements = [(bytes.len() / kept_as.size()) as i64];
    let tensor = Tensor::from_bytes_with(device.kernelgen(), bytes, kept_as, &elements, device.stream())?;
    Ok(CudaStorage::new(tensor, dtype, device))
}

fn download<T: Copy>(tensor: &Tensor, stream: Option<&Stream>) -> Result<Vec<T>> {
    let count = tensor.elements();
    let mut elements: Vec<T> = Vec::with_capacity(count);
    let room = &mut elements.spare_capacity_mut()[..count];
    // SAFETY: the same memory as uninitialised bytes.
    let bytes = unsafe { std::slice::from_raw_parts_mut(room.as_mut_ptr().cast(), std::mem::size_of_val(room)) };
    tensor.read(bytes, stream)?;
    // SAFETY: read() wrote every element, and T is candle's type of the tensor's dtype.
    unsafe { elements.set_len(count) };
    Ok(elements)
}
