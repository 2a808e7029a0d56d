//! Weights from a name and a seed, and the comparison of a model on both devices.
#![allow(dead_code)]

use candle_core::{DType, Device, Result, Shape, Tensor};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Init, VarBuilder};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

fn seed() -> u64 {
    std::env::var("KERNELGEN_TEST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// Each tensor's elements depend on its name and on KERNELGEN_TEST_SEED alone, so that every device gets the same.
struct RandomWeights;

/// Of the scale that keeps activations near 1: vectors near 1 or 0, matrices by their number of inputs.
pub fn weight(name: &str, shape: &Shape) -> Result<Tensor> {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut random = StdRng::seed_from_u64(hash ^ seed());
    let is_norm = shape.rank() == 1 && name.ends_with("weight");
    let (center, spread) = match shape.rank() {
        0 | 1 => (if is_norm { 1. } else { 0. }, 0.1),
        _ => (0., (3. / shape.dims()[1..].iter().product::<usize>() as f32).sqrt()),
    };
    let elements: Vec<f32> =
        (0..shape.elem_count()).map(|_| center + spread * random.random_range(-1f32..1.)).collect();
    Tensor::from_vec(elements, shape, &Device::Cpu)
}

impl SimpleBackend for RandomWeights {
    fn get(&self, shape: Shape, name: &str, _: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        weight(name, &shape)?.to_dtype(dtype)?.to_device(device)
    }

    fn get_unchecked(&self, name: &str, _: DType, _: &Device) -> Result<Tensor> {
        candle_core::bail!("{name}: its shape is not known")
    }

    fn contains_tensor(&self, _: &str) -> bool {
        true
    }
}

pub fn weights(dtype: DType, device: &Device) -> VarBuilder<'static> {
    VarBuilder::from_backend(Box::new(RandomWeights), dtype, device.clone())
}

/// Elements in -1 … 1, the same on every device.
pub fn input(name: &str, shape: impl Into<Shape>, dtype: DType, device: &Device) -> Result<Tensor> {
    let shape = shape.into();
    let flat = Shape::from((shape.elem_count(), 3)); // three inputs: a spread of 1
    weight(name, &flat)?.narrow(1, 0, 1)?.reshape(shape)?.to_dtype(dtype)?.to_device(device)
}

/// Ids below `end`.
pub fn tokens(shape: impl Into<Shape>, end: u32, device: &Device) -> Result<Tensor> {
    let shape = shape.into();
    let mut random = StdRng::seed_from_u64(seed());
    let ids: Vec<u32> = (0..shape.elem_count()).map(|_| random.random_range(0..end)).collect();
    Tensor::from_vec(ids, shape, device)
}

fn flat(x: &Tensor) -> Result<Vec<f64>> {
    x.to_device(&Device::Cpu)?.to_dtype(DType::F64)?.flatten_all()?.to_vec1()
}

/// ‖a - b‖ / ‖b‖
pub fn distance(a: &Tensor, b: &Tensor) -> Result<f64> {
    assert_eq!(a.dims(), b.dims());
    let (a, b) = (flat(a)?, flat(b)?);
    let norm = |x: &mut dyn Iterator<Item = f64>| x.map(|x| x * x).sum::<f64>().sqrt();
    let (difference, scale) = (norm(&mut a.iter().zip(&b).map(|(a, b)| a - b)), norm(&mut b.iter().copied()));
    assert!(scale > 0. && scale.is_finite(), "the reference is {scale}");
    Ok(difference / scale)
}

pub fn assert_near(what: &str, ours: &[Tensor], theirs: &[Tensor], bound: f64) -> Result<()> {
    assert_eq!(ours.len(), theirs.len());
    for (step, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
        assert!(ours.device().is_cuda(), "{what}: output {step} is on {:?}", ours.device());
        let distance = distance(ours, theirs)?;
        println!("{what}: output {step} differs by {distance:.2e}");
        assert!(distance <= bound, "{what}: output {step} differs by {distance:.2e}, bound {bound:.0e}");
    }
    Ok(())
}

/// `run` in each dtype on our device against f32 on candle's CPU back end. A dtype's bound is some ten roundings.
pub fn compare(what: &str, dtypes: &[DType], run: impl Fn(VarBuilder, &Device) -> Result<Vec<Tensor>>) -> Result<()> {
    println!("KERNELGEN_TEST_SEED={}", seed());
    let theirs = run(weights(DType::F32, &Device::Cpu), &Device::Cpu)?;
    for &dtype in dtypes {
        let bound = match dtype {
            DType::F16 => 1e-2,
            DType::BF16 => 8e-2,
            _ => 2e-5,
        };
        let device = Device::new_cuda(0)?;
        let ours = run(weights(dtype, &device), &device)?;
        assert_near(&format!("{what} {dtype:?}"), &ours, &theirs, bound)?;
    }
    Ok(())
}

pub fn config<T: serde::de::DeserializeOwned>(json: serde_json::Value) -> T {
    serde_json::from_value(json).unwrap()
}
