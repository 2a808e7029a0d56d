//! The device's side of candle-nn's custom operations: one operation of the library each, on operands of any layout.

pub(crate) mod attention;
pub(crate) mod moe;
pub(crate) mod ops;
pub(crate) mod rotary_emb;

use candle::backend::BackendStorage;
use candle::{CudaStorage, Error, Layout, Result};

/// A storage and the layout of the operand in it, as custom operations get them.
pub(crate) type Operand<'a> = (&'a CudaStorage, &'a Layout);

/// Checks that the other operands have x's dtype.
fn check_same_dtype(op: &'static str, x: Operand, others: &[Operand]) -> Result<()> {
    let lhs = x.0.dtype();
    match others.iter().map(|other| other.0.dtype()).find(|&dtype| dtype != lhs) {
        Some(rhs) => Err(Error::DTypeMismatchBinaryOp { lhs, rhs, op }.bt()),
        None => Ok(()),
    }
}
