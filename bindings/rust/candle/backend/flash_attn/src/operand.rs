//! Tensors of candle as the library's.

use candle::cuda_backend::kernelgen;
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
pub(crate) fn positions<T>(device: &CudaDevice, count: usize, shape: &[i64]) -> Result<kernelgen::Tensor>
where
    T: kernelgen::Element + TryFrom<usize>,
    <T as TryFrom<usize>>::Error: std::fmt::Debug,
{
    let numbers: Vec<T> = (0..count).map(|each| T::try_from(each).expect("a position fits")).collect();
    Ok(kernelgen::Tensor::from_slice(device.kernelgen(), &numbers, shape)?)
}
