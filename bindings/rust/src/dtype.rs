//! Element types.

use crate::c;
use crate::error::{check, static_text, text, Result};
use std::fmt;

/// Element type of a tensor, a constant of the C header: `DType::F32`, `DType::Q4_K`.
#[repr(transparent)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct DType(pub(crate) i32);

impl DType {
    /// The dtype of that name, "f32" or "q4_K". Errors: `NotFound` with the names there are.
    pub fn parse(name: &str) -> Result<Self> {
        let name = text(name, "name")?;
        let mut found = 0;
        check(unsafe { c::kernelgen_dtype_parse(name.as_ptr(), &mut found) })?;
        Ok(Self(found))
    }

    /// "f32", as in manifests and kernel names.
    pub fn name(self) -> &'static str {
        unsafe { static_text(c::kernelgen_dtype_name(self.0)) }
    }

    /// Bytes of one element, or of one block where the dtype is quantized.
    pub fn size(self) -> usize {
        unsafe { c::kernelgen_dtype_size(self.0) }
    }

    /// Elements of a block: 32 to 256 where the dtype is quantized, else 1.
    pub fn block(self) -> usize {
        unsafe { c::kernelgen_dtype_block(self.0) }
    }
}

impl fmt::Debug for DType {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(self.name())
    }
}

impl fmt::Display for DType {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A type of Rust that is a dtype's element, bit for bit.
///
/// # Safety
/// Any bits are a value of it, it has no padding, and its size is the dtype's.
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// Its dtype.
    const DTYPE: DType;
}

unsafe impl Element for u8 {
    const DTYPE: DType = DType::U8;
}
unsafe impl Element for u32 {
    const DTYPE: DType = DType::U32;
}
unsafe impl Element for i16 {
    const DTYPE: DType = DType::I16;
}
unsafe impl Element for i32 {
    const DTYPE: DType = DType::I32;
}
unsafe impl Element for i64 {
    const DTYPE: DType = DType::I64;
}
unsafe impl Element for f32 {
    const DTYPE: DType = DType::F32;
}
unsafe impl Element for f64 {
    const DTYPE: DType = DType::F64;
}
