//! kernel-gen's element-wise operations as candle's: `tensor.apply_op1(Elementwise::new("silu")?)`.
//!
//! With the feature `candle`; without it this crate is empty, so that candle is needed only by who asks for it.
#![cfg(feature = "candle")]

use candle_core::{CpuStorage, CustomOp1, Error, Layout, Result, Shape};
use kernelgen::{ops, Device, Element, Scalar, Tensor};

/// An element-wise operation of one input, by its name: "silu", "elu", one of your own package.
pub struct Elementwise {
    operation: &'static str,
    scalars: Vec<Scalar>,
    device: Device,
}

impl Elementwise {
    /// On the CPU, where candle calls it. Errors: the library's, in candle's kind.
    pub fn new(operation: &'static str) -> Result<Self> {
        Self::with(operation, &[])
    }

    /// The same for operations with numbers besides: `with("elu", &[1.0.into()])`.
    pub fn with(operation: &'static str, scalars: &[Scalar]) -> Result<Self> {
        let device = Device::open("cpu").map_err(Error::wrap)?;
        Ok(Self { operation, scalars: scalars.to_vec(), device })
    }

    /// candle's elements in their layout, through the operation.
    fn run<T: Element>(&self, elements: &[T], layout: &Layout) -> kernelgen::Result<Vec<T>> {
        let signed = |each: &usize| *each as i64;
        let memory = Tensor::from_slice(&self.device, elements, &[elements.len() as i64])?;
        let x = memory.as_strided(
            &layout.dims().iter().map(signed).collect::<Vec<_>>(),
            &layout.stride().iter().map(signed).collect::<Vec<_>>(),
            layout.start_offset() as i64,
        )?;
        ops::call(self.operation, &[&x], &self.scalars)?.to_vec()
    }
}

impl CustomOp1 for Elementwise {
    fn name(&self) -> &'static str {
        self.operation
    }

    fn cpu_fwd(&self, storage: &CpuStorage, layout: &Layout) -> Result<(CpuStorage, Shape)> {
        let done = match storage {
            CpuStorage::U8(elements) => self.run(elements, layout).map(CpuStorage::U8),
            CpuStorage::U32(elements) => self.run(elements, layout).map(CpuStorage::U32),
            CpuStorage::I64(elements) => self.run(elements, layout).map(CpuStorage::I64),
            CpuStorage::F32(elements) => self.run(elements, layout).map(CpuStorage::F32),
            CpuStorage::F64(elements) => self.run(elements, layout).map(CpuStorage::F64),
            _ => return Err(Error::Msg(format!("{}: elements of u8, u32, i64, f32 and f64 are taken", self.operation))),
        };
        Ok((done.map_err(Error::wrap)?, layout.shape().clone()))
    }
}
