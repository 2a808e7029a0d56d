//! Tensors of candle as the library's.

use candle::cuda_backend::kernelgen::{self, ops};
use candle::{CudaDevice, CudaStorage, Layout, Result, Storage, Tensor};

/// A tensor's storage with its layout, as custom operations get it.
pub(crate) type Operand<'a> = (&'a CudaStorage, &'a Layout);

/// The view of an additional operand, which has to be of one of the dtypes.
pub(crate) fn view(name: &str, tensor: &Tensor, dtypes: &[kernelgen::DType]) -> Result<kernelgen::Tensor> {
    let (storage, layout) = tensor.storage_and_layout();
    let view = match &*storage {
        Storage::Cuda(storage) => storage.view(layout)?,
        _ => candle::bail!("flash-attn: {name} must be a cuda tensor"),
    };
    if !dtypes.contains(&view.dtype()) {
        candle::bail!("flash-attn: {name} is {}, expected {dtypes:?}", view.dtype())
    }
    Ok(view)
}

/// 0, 1, … count - 1.
pub(crate) fn positions(
    device: &CudaDevice,
    count: usize,
    dtype: kernelgen::DType,
    shape: &[i64],
) -> Result<kernelgen::Tensor> {
    let numbers = ops::arange_with(device.kernelgen(), 0, count as i64, 1, dtype, None, device.stream())?;
    Ok(numbers.reshape(shape)?)
}

/// Makes a type whose `run` takes the three operands an operation of candle.
macro_rules! custom_op3 {
    ($type:ty, $name:literal) => {
        impl candle::CustomOp3 for $type {
            fn name(&self) -> &'static str {
                $name
            }

            fn cpu_fwd(
                &self,
                _: &candle::CpuStorage,
                _: &candle::Layout,
                _: &candle::CpuStorage,
                _: &candle::Layout,
                _: &candle::CpuStorage,
                _: &candle::Layout,
            ) -> candle::Result<(candle::CpuStorage, candle::Shape)> {
                candle::bail!("no cpu support for flash-attn")
            }

            fn cuda_fwd(
                &self,
                q: &candle::CudaStorage,
                q_l: &candle::Layout,
                k: &candle::CudaStorage,
                k_l: &candle::Layout,
                v: &candle::CudaStorage,
                v_l: &candle::Layout,
            ) -> candle::Result<(candle::CudaStorage, candle::Shape)> {
                self.run([(q, q_l), (k, k_l), (v, v_l)])
            }
        }
    };
}
pub(crate) use custom_op3;
