//! Numbers given to operations.

use crate::c;
use std::os::raw::c_int;

/// A number for an operation, which rounds it to the tensor's dtype where that is a float. An integer dtype has to hold it
/// exactly, else the call fails with `InvalidArgument`.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scalar(pub(crate) c::Scalar);

macro_rules! scalar_from {
    ($($kind:ty => $is_integer:expr),*) => {$(
        impl From<$kind> for Scalar {
            fn from(value: $kind) -> Self {
                let is_integer: c_int = $is_integer;
                let integer = if is_integer == 1 { value as i64 } else { 0 };
                let real = if is_integer == 1 { 0.0 } else { value as f64 };
                Scalar(c::Scalar { is_integer, real, integer })
            }
        }
    )*};
}
scalar_from!(u8 => 1, i16 => 1, u32 => 1, i32 => 1, i64 => 1, f32 => 0, f64 => 0);

impl From<i64> for c::Size2 {
    /// The same in both dims.
    fn from(extent: i64) -> Self {
        Self { height: extent, width: extent }
    }
}

impl From<(i64, i64)> for c::Size2 {
    fn from((height, width): (i64, i64)) -> Self {
        Self { height, width }
    }
}
