//! Launches of a package's kernels with checked arguments: what the files call that `kernel-gen emit --wrappers` writes.

use crate::c;
use crate::device::{Device, LaunchShape, Stream};
use crate::error::{check, text, Result};
use crate::tensor::{raw_or_null, Tensor};
use std::marker::PhantomData;
use std::mem::size_of;
use std::os::raw::c_void;
use std::ptr::null;

/// Blocks of a grid or threads of a block: `256`, `(16, 16)`, `(8, 8, 4)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dim3(pub [u32; 3]);

impl From<u32> for Dim3 {
    fn from(x: u32) -> Self {
        Self([x, 1, 1])
    }
}

impl From<(u32, u32)> for Dim3 {
    fn from((x, y): (u32, u32)) -> Self {
        Self([x, y, 1])
    }
}

impl From<(u32, u32, u32)> for Dim3 {
    fn from((x, y, z): (u32, u32, u32)) -> Self {
        Self([x, y, z])
    }
}

impl<Grid: Into<Dim3>, Block: Into<Dim3>> From<(Grid, Block)> for LaunchShape {
    fn from((grid, block): (Grid, Block)) -> Self {
        (grid, block, 0).into()
    }
}

impl<Grid: Into<Dim3>, Block: Into<Dim3>> From<(Grid, Block, u32)> for LaunchShape {
    /// With bytes of dynamic shared memory.
    fn from((grid, block, shared_bytes): (Grid, Block, u32)) -> Self {
        Self { grid: grid.into().0, block: block.into().0, shared_bytes }
    }
}

/// An argument of a launch, as C takes it; it borrows what it was made from.
#[repr(transparent)]
pub struct Argument<'a>(c::LaunchArgument, PhantomData<&'a ()>);

impl<'a> Argument<'a> {
    /// A tensor, for a pointer.
    pub fn tensor(tensor: &'a Tensor) -> Self {
        Self(c::LaunchArgument { tensor: tensor.raw(), value: null(), bytes: 0 }, PhantomData)
    }

    /// A number or an address, or the bytes of a struct.
    pub fn value<T: Copy>(value: &'a T) -> Self {
        let bytes = size_of::<T>();
        Self(c::LaunchArgument { tensor: null(), value: (value as *const T).cast::<c_void>(), bytes }, PhantomData)
    }
}

/// What a kernel's pointer takes: a tensor of T's dtype, or an address on the device.
pub trait Pointer<T> {
    /// The argument that a launch gets.
    fn argument(&self) -> Argument<'_>;
}

impl<T> Pointer<T> for &Tensor {
    fn argument(&self) -> Argument<'_> {
        Argument::tensor(self)
    }
}

impl<T> Pointer<T> for *mut T {
    fn argument(&self) -> Argument<'_> {
        Argument::value(self)
    }
}

impl<T> Pointer<T> for *const T {
    fn argument(&self) -> Argument<'_> {
        Argument::value(self)
    }
}

/// A kernel of one of a device's packages.
pub struct PackageKernel {
    device: Device,
    id: u32,
}

impl PackageKernel {
    /// The kernel whose arguments have these types, "f32*, const f32*, u64". Errors: `NotFound`; `InvalidArgument` for other
    /// types.
    pub fn new(device: &Device, name: &str, types: &str) -> Result<Self> {
        let (name, types) = (text(name, "name")?, text(types, "types")?);
        let mut id = 0;
        check(unsafe {
            c::kernelgen_device_find_typed_kernel(device.raw(), name.as_ptr(), types.as_ptr(), &mut id)
        })?;
        Ok(Self { device: device.clone(), id })
    }

    /// Enqueues a launch in the stream, else in the default queue, and orders the tensors with other streams. Errors, before
    /// anything is launched: `InvalidArgument` that names the argument, for another number or size of arguments and for
    /// tensors of another dtype or device, that are not contiguous, or that are read-only and written; and for a block of
    /// more threads than the kernel is compiled for. `Unsupported`, `DeviceError`.
    ///
    /// # Safety
    /// The kernel does with its arguments what it does: it must not reach outside of the tensors' memory, and addresses must
    /// be of memory that it may use.
    pub unsafe fn launch(&self, stream: Option<&Stream>, shape: LaunchShape, arguments: &[Argument]) -> Result<()> {
        let shape = c::LaunchShape { grid: shape.grid, block: shape.block, shared_bytes: shape.shared_bytes };
        check(c::kernelgen_launch_arguments(
            self.device.raw(),
            self.id,
            &shape,
            arguments.as_ptr().cast(),
            arguments.len(),
            raw_or_null(stream),
        ))
    }
}
