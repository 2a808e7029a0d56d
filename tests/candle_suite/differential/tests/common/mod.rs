//! Random tensors from a seed that is printed, and comparisons.
#![allow(dead_code)]

pub mod operand;

use candle_core::{DType, Device, Result, Shape, Tensor};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// The device under test.
pub fn device() -> Result<Device> {
    Device::new_cuda(0)
}

/// Numbers of one test: KERNELGEN_TEST_SEED, else the test's own seed, printed.
pub struct Random(StdRng);

impl Random {
    pub fn new(seed: u64) -> Self {
        let seed = std::env::var("KERNELGEN_TEST_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(seed);
        println!("KERNELGEN_TEST_SEED={seed}");
        Self(StdRng::seed_from_u64(seed))
    }

    /// Uniform in -1 … 1, rounded to `dtype`, on the CPU.
    pub fn tensor(&mut self, shape: impl Into<Shape>, dtype: DType) -> Result<Tensor> {
        let shape = shape.into();
        let elements: Vec<f32> = (0..shape.elem_count()).map(|_| self.0.random_range(-1.0f32..1.0)).collect();
        Tensor::from_vec(elements, shape, &Device::Cpu)?.to_dtype(dtype)
    }

    /// Uniform in `range`, rounded to `dtype`, on the CPU.
    pub fn between(&mut self, shape: impl Into<Shape>, dtype: DType, (low, high): (f64, f64)) -> Result<Tensor> {
        let shape = shape.into();
        let elements: Vec<f64> = (0..shape.elem_count()).map(|_| self.0.random_range(low..high)).collect();
        Tensor::from_vec(elements, shape, &Device::Cpu)?.to_dtype(dtype)
    }

    pub fn below(&mut self, end: usize) -> usize {
        self.0.random_range(0..end)
    }

    /// u32 below `end`.
    pub fn ids(&mut self, shape: impl Into<Shape>, end: usize) -> Result<Tensor> {
        let shape = shape.into();
        let ids: Vec<u32> = (0..shape.elem_count()).map(|_| self.below(end) as u32).collect();
        Tensor::from_vec(ids, shape, &Device::Cpu)
    }
}

/// Half the distance of 1 and the next number, twice over: one rounding on either side.
pub fn rounding(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 1.0 / 1024.0,
        DType::BF16 => 1.0 / 128.0,
        DType::F8E4M3 => 1.0 / 8.0,
        DType::F32 => 1e-5,
        _ => 1e-9,
    }
}

pub fn numbers(x: &Tensor) -> Result<Vec<f64>> {
    let x = x.to_device(&Device::Cpu)?.flatten_all()?;
    // candle's CPU back end does not return from a cast of f8e4m3 to f64 (float8 0.7, `to_f64`).
    let x = if x.dtype() == DType::F8E4M3 { x.to_dtype(DType::F32)? } else { x };
    x.to_dtype(DType::F64)?.to_vec1()
}

/// |ours - theirs| <= bound everywhere.
pub fn assert_within(what: &str, ours: &Tensor, theirs: &Tensor, bound: impl Fn(usize) -> f64) -> Result<()> {
    assert_eq!(ours.dims(), theirs.dims(), "{what}: shape");
    assert_eq!(ours.dtype(), theirs.dtype(), "{what}: dtype");
    for (index, (a, b)) in numbers(ours)?.into_iter().zip(numbers(theirs)?).enumerate() {
        assert!((a - b).abs() <= bound(index), "{what}: element {index} is {a}, expected {b} ± {}", bound(index));
    }
    Ok(())
}

/// Equal but for the dtype's rounding of numbers around 1.
pub fn assert_close(what: &str, ours: &Tensor, theirs: &Tensor) -> Result<()> {
    let rounding = rounding(theirs.dtype());
    let expected = numbers(theirs)?;
    assert_within(what, ours, theirs, |index| rounding * expected[index].abs().max(1.0))
}
