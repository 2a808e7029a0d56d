//! Devices and storage of candle's feature `cuda` on AMD GPUs, NVIDIA GPUs and the CPU, over the crate `kernelgen`.
//!
//! Each operation passes candle's layouts to the library as strided views; kernels read them in place. Results are
//! contiguous. Work is put into the device's queue and not waited for, except where candle needs values on the host.

mod device;
mod dtypes;
mod elementwise;
mod error;
mod grouped;
mod host;
mod precision;
mod random;
mod scan;
mod sort;
mod storage;
mod view;
mod window;

pub use device::{is_available, CudaDevice, DeviceId};
pub use error::{CudaError, WrapErr};
pub use kernelgen;
pub use precision::{
    gemm_reduced_precision_bf16, gemm_reduced_precision_f16, gemm_reduced_precision_f32,
    set_gemm_reduced_precision_bf16, set_gemm_reduced_precision_f16, set_gemm_reduced_precision_f32,
};
pub(crate) use grouped::GroupedConv;
pub(crate) use scan::cumsum;
pub(crate) use sort::arg_sort;
pub use storage::CudaStorage;

/// Empty: the library opens cuDNN or MIOpen at run time, where one is installed and faster.
pub mod cudnn {}
