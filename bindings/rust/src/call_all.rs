//! Operations by name with several results.

use std::ptr::null_mut;

use crate::error::{check, text};
use crate::tensor::{made, raw_or_null};
use crate::{c, Result, Scalar, Stream, Tensor};

/// As [`ops::call`](crate::ops::call), for an operation with any number of results, in the order of its manifest.
pub fn call_all(operation: &str, inputs: &[&Tensor], scalars: &[Scalar], stream: Option<&Stream>) -> Result<Vec<Tensor>> {
    let operation = text(operation, "operation")?;
    let inputs: Vec<_> = inputs.iter().map(|each| each.raw() as *const c::Tensor).collect();
    let mut handles = [null_mut(); c::MAX_RESULTS as usize];
    let mut count = 0;
    check(unsafe {
        c::kernelgen_call_all(
            operation.as_ptr(),
            inputs.as_ptr(),
            inputs.len(),
            scalars.as_ptr().cast(),
            scalars.len(),
            raw_or_null(stream),
            handles.as_mut_ptr(),
            handles.len(),
            &mut count,
        )
    })?;
    handles[..count]
        .iter()
        .map(|&handle| {
            made(|result| {
                unsafe { *result = handle };
                c::OK
            })
        })
        .collect()
}
