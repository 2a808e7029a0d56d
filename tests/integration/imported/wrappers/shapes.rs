// Written by kernel-gen 0.1.0 emit --wrappers. Do not edit.
#[allow(unused_imports)]
use kernelgen::launch::{Argument, PackageKernel, Pointer};
use kernelgen::{Device, LaunchShape, Result, Stream};

/// The kernels of the package shapes on a device that was opened with it. Launches are enqueued in a stream, `None`
/// being the default queue; `shape` is `(grid, block)` or `(grid, block, shared_bytes)`.
pub struct Kernels {
    kernels: [PackageKernel; 3],
}

impl Kernels {
    /// Errors: `NotFound` if no package of the device has one of the kernels; `InvalidArgument` if one takes other
    /// arguments than when this file was written.
    pub fn new(device: &Device) -> Result<Self> {
        Ok(Self {
            kernels: [
                PackageKernel::new(device, "scale", "f32*, const f32*, u64, f32")?,
                PackageKernel::new(device, "shift", "u32*, const u32*, u64, u8, u8")?,
                PackageKernel::new(device, "loop", "f64*, const i16*, u32")?,
            ],
        })
    }

    /// At most 128 threads per block.
    ///
    /// # Safety
    /// As of [`PackageKernel::launch`](kernelgen::launch::PackageKernel::launch).
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn scale(
        &self,
        stream: Option<&Stream>,
        shape: impl Into<LaunchShape>,
        y: impl Pointer<f32>,
        x: impl Pointer<f32>,
        n: u64,
        factor: f32,
    ) -> Result<()> {
        self.kernels[0].launch(stream, shape.into(), &[
            y.argument(),
            x.argument(),
            Argument::value(&n),
            Argument::value(&factor),
        ])
    }

    /// At most 1024 threads per block.
    ///
    /// # Safety
    /// As of [`PackageKernel::launch`](kernelgen::launch::PackageKernel::launch).
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn shift(
        &self,
        stream: Option<&Stream>,
        shape: impl Into<LaunchShape>,
        y: impl Pointer<u32>,
        x: impl Pointer<u32>,
        n: u64,
        by: u8,
        up: u8,
    ) -> Result<()> {
        self.kernels[1].launch(stream, shape.into(), &[
            y.argument(),
            x.argument(),
            Argument::value(&n),
            Argument::value(&by),
            Argument::value(&up),
        ])
    }

    /// At most 64 threads per block.
    ///
    /// # Safety
    /// As of [`PackageKernel::launch`](kernelgen::launch::PackageKernel::launch).
    #[allow(clippy::too_many_arguments)]
    pub unsafe fn loop_(
        &self,
        stream: Option<&Stream>,
        shape: impl Into<LaunchShape>,
        in_: impl Pointer<f64>,
        stream_: impl Pointer<i16>,
        grid: u32,
    ) -> Result<()> {
        self.kernels[2].launch(stream, shape.into(), &[
            in_.argument(),
            stream_.argument(),
            Argument::value(&grid),
        ])
    }
}
