//! kernel-gen's operations on AMD GPUs, NVIDIA GPUs and the CPU: safe wrappers of the C interface, without dependencies.
//!
//! ```
//! use kernelgen::{ops, Device, Tensor};
//!
//! # fn main() -> kernelgen::Result<()> {
//! let device = Device::open("cpu")?; // "hip:0", "cuda:0", "auto"
//! let x = Tensor::from_slice(&device, &[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
//! let y = ops::silu(&(&x + &x.transpose(0, 1)?)?)?;
//! assert_eq!(y.shape(), [2, 2]);
//! let host: Vec<f32> = y.to_vec()?;
//! # assert_eq!(host.len(), 4);
//! # Ok(())
//! # }
//! ```
//!
//! Handles may be used by any number of threads at a time (`Send`, `Sync`), and dropped in any order, by any of them: each
//! keeps what it needs alive. What the library reports is an [`Error`] with its text. [`ops`] has a function an operation;
//! [`c`] is the C interface itself.
//!
//! libkernelgen.so is linked: `KERNELGEN_LIB_DIR` names its folder, else `pkg-config` finds it (`kernelgen-c`). The feature
//! `static` links the archives instead.
#![deny(missing_docs)]
#![allow(rustdoc::broken_intra_doc_links, rustdoc::invalid_html_tags)]

#[allow(clippy::too_many_arguments)]
pub mod c;
mod call_all;
mod device;
mod dtype;
mod error;
pub mod launch;
#[path = "operations.rs"]
pub mod ops;
mod package;
mod scalar;
mod tensor;

pub use call_all::call_all;
pub use c::{Size2, Window1, Window2};
pub use device::{Device, DeviceKind, Event, Function, Graph, LaunchShape, MemoryUse, Module, Stream};
pub use dtype::{DType, Element};
pub use error::{Code, Error, Result};
pub use package::{Argument, Kernel, Package};
pub use scalar::Scalar;
pub use tensor::Tensor;

/// The version of the library that is linked, "0.1.0".
pub fn version() -> &'static str {
    unsafe { error::static_text(c::kernelgen_version()) }
}

/// The programs of the page are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Page;
