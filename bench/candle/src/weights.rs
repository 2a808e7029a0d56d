//! Random weights.

use candle_core::quantized::{GgmlDType, QStorage, QTensor};
use candle_core::{DType, Device, Result, Shape, Tensor};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Init, VarBuilder};
use std::borrow::Cow;

/// Weights for whatever a model asks for, small enough for its activations to stay finite.
struct RandomWeights;

impl SimpleBackend for RandomWeights {
    fn get(&self, shape: Shape, _: &str, _: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        Tensor::randn(0f32, 0.02, shape, device)?.to_dtype(dtype)
    }

    fn get_unchecked(&self, name: &str, _: DType, _: &Device) -> Result<Tensor> {
        candle_core::bail!("{name}: its shape is not known")
    }

    fn contains_tensor(&self, _: &str) -> bool {
        true
    }
}

pub fn plain(dtype: DType, device: &Device) -> VarBuilder<'static> {
    VarBuilder::from_backend(Box::new(RandomWeights), dtype, device.clone())
}

/// Quantized random numbers on the host: some blocks, repeated.
pub struct Quantized {
    dtype: GgmlDType,
    shape: Shape,
    blocks: Vec<u8>,
}

pub fn quantized(dtype: GgmlDType, shape: impl Into<Shape>) -> Result<Quantized> {
    let shape = shape.into();
    let some = QTensor::quantize(&Tensor::randn(0f32, 0.02, 65536, &Device::Cpu)?, dtype)?.data()?.into_owned();
    let bytes = shape.elem_count() / dtype.block_size() * dtype.type_size();
    Ok(Quantized { dtype, shape, blocks: some.into_iter().cycle().take(bytes).collect() })
}

impl Quantized {
    pub fn to(&self, device: &Device) -> Result<QTensor> {
        QTensor::new(QStorage::from_data(Cow::Borrowed(&self.blocks), device, self.dtype)?, self.shape.clone())
    }
}
