//! Packages: what kernels there are, for which targets.

use crate::c;
use crate::device::handle;
use crate::error::{check, text, Result};
use std::ffi::CStr;
use std::os::raw::c_int;
use std::ptr::{null, NonNull};

handle! {
    /// Kernels of a build, linked in or read from a file.
    Package, kernelgen_package_release
}

/// A kernel of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// What `Device::kernel` takes.
    pub id: u32,
    /// "kg_add_f32".
    pub name: String,
    /// In their order.
    pub arguments: Vec<Argument>,
    /// End of the last argument, in bytes.
    pub kernarg_bytes: u32,
    /// The largest block, in threads, it is compiled for.
    pub block: u32,
}

/// An argument of a kernel: its offset in the argument block, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// As in the manifest.
    pub name: String,
    /// As the manifest spells it: "const f32*", "u64".
    pub kind: String,
    /// From the block's start.
    pub offset: u32,
    /// Of the argument.
    pub size: u32,
    /// An address on the device.
    pub is_pointer: bool,
    /// The kernel writes through the pointer.
    pub is_written: bool,
}

impl Package {
    /// The package in the library, or the file that the environment variable KERNELGEN_PACKAGE names. Errors: `NotFound`.
    pub fn embedded() -> Result<Self> {
        Self::made(|package| unsafe { c::kernelgen_package_embedded(package) })
    }

    /// Maps a file that `kernel-gen build` wrote. Errors: `Io`, `BadPackage`; the text names the file.
    pub fn open(file: &str) -> Result<Self> {
        let file = text(file, "file")?;
        Self::made(|package| unsafe { c::kernelgen_package_open(file.as_ptr(), package) })
    }

    /// Reads a package in memory. Errors: `BadPackage`.
    pub fn from_static(data: &'static [u8]) -> Result<Self> {
        Self::made(|package| unsafe { c::kernelgen_package_from_memory(data.as_ptr().cast(), data.len(), package) })
    }

    fn records<T: Copy>(&self, list: impl FnOnce(*mut *const T, *mut usize) -> c_int) -> Result<Vec<T>> {
        let (mut found, mut count) = (null(), 0);
        check(list(&mut found, &mut count))?;
        Ok(if count == 0 { Vec::new() } else { unsafe { std::slice::from_raw_parts(found, count) }.to_vec() })
    }

    fn text(&self, offset: u32) -> Result<String> {
        let mut found = null();
        check(unsafe { c::kernelgen_package_text(self.raw(), offset, &mut found) })?;
        Ok(unsafe { CStr::from_ptr(found) }.to_string_lossy().into_owned())
    }

    /// The names of its targets, by their ids.
    pub fn targets(&self) -> Result<Vec<String>> {
        let targets = self.records(|found, count| unsafe { c::kernelgen_package_targets(self.raw(), found, count) })?;
        targets.iter().map(|each: &c::TargetRecord| self.text(each.name)).collect()
    }

    /// The names of its modules, by their ids.
    pub fn modules(&self) -> Result<Vec<String>> {
        let modules = self.records(|found, count| unsafe { c::kernelgen_package_modules(self.raw(), found, count) })?;
        modules.iter().map(|each: &c::ModuleRecord| self.text(each.name)).collect()
    }

    /// Its kernels, by their ids.
    pub fn kernels(&self) -> Result<Vec<Kernel>> {
        let kernels: Vec<c::KernelRecord> =
            self.records(|found, count| unsafe { c::kernelgen_package_kernels(self.raw(), found, count) })?;
        kernels
            .iter()
            .zip(0..)
            .map(|(each, id)| {
                Ok(Kernel {
                    id,
                    name: self.text(each.name)?,
                    arguments: self.arguments(id)?,
                    kernarg_bytes: each.kernarg_bytes,
                    block: each.block,
                })
            })
            .collect()
    }

    /// Of the kernel with that id, in order. Errors: `InvalidArgument`.
    pub fn arguments(&self, kernel: u32) -> Result<Vec<Argument>> {
        let arguments: Vec<c::ArgumentRecord> =
            self.records(|found, count| unsafe { c::kernelgen_package_arguments(self.raw(), kernel, found, count) })?;
        arguments
            .iter()
            .map(|each| {
                Ok(Argument {
                    name: self.text(each.name)?,
                    kind: self.text(each.type_)?,
                    offset: each.offset,
                    size: each.size,
                    is_pointer: each.is_pointer != 0,
                    is_written: each.is_written != 0,
                })
            })
            .collect()
    }

    /// Id of the kernel of that name. Errors: `NotFound`.
    pub fn find_kernel(&self, name: &str) -> Result<u32> {
        let name = text(name, "name")?;
        let mut kernel = 0;
        check(unsafe { c::kernelgen_package_find_kernel(self.raw(), name.as_ptr(), &mut kernel) })?;
        Ok(kernel)
    }

    /// Hashes every code object again. Errors: `BadPackage` when one differs from what was recorded.
    pub fn verify(&self) -> Result<()> {
        check(unsafe { c::kernelgen_package_verify(self.raw()) })
    }
}
