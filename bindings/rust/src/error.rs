//! What the library reports.

use crate::c;
use std::ffi::{CStr, CString};
use std::fmt;
use std::os::raw::{c_char, c_int};

/// What kind of thing went wrong; the statuses of kernelgen.h.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Code {
    /// A value, shape, dtype or layout the call does not take.
    InvalidArgument,
    /// No such operation, kernel, file or device.
    NotFound,
    /// Understood, but nothing here can do it: no driver, no code for the device.
    Unsupported,
    /// The device or the host refused an allocation.
    OutOfMemory,
    /// The driver reported an error.
    DeviceError,
    /// A package, code object or file that is damaged or of another version.
    BadPackage,
    /// An index operand pointed outside its dimension; told by the next wait for the stream.
    IndexOutOfRange,
    /// The operating system refused a file operation.
    Io,
    /// A failure the library did not foresee: a bug in it.
    Internal,
    /// A status of a later library.
    Other(i32),
}

/// An error with the library's text, which names the thing, the location, what was wrong and what would work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind of thing went wrong.
    pub code: Code,
    /// In the library's words.
    pub message: String,
}

/// A `Result` of this crate.
pub type Result<T> = std::result::Result<T, Error>;

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

pub(crate) unsafe fn static_text(text: *const c_char) -> &'static str {
    CStr::from_ptr(text).to_str().unwrap_or("?")
}

/// Ok for KERNELGEN_OK, else the error of this thread.
pub(crate) fn check(status: c_int) -> Result<()> {
    if status == c::OK {
        return Ok(());
    }
    let known = c::CODES.iter().find(|(number, _)| *number == status);
    let message = unsafe { CStr::from_ptr(c::kernelgen_last_error()) };
    Err(Error {
        code: known.map_or(Code::Other(status), |(_, code)| *code),
        message: message.to_string_lossy().into_owned(),
    })
}

/// A text as C takes it.
pub(crate) fn text(value: &str, name: &str) -> Result<CString> {
    CString::new(value).map_err(|_| refused(format!("{name} has a NUL character: {value:?}")))
}

pub(crate) fn refused(message: String) -> Error {
    Error { code: Code::InvalidArgument, message }
}
