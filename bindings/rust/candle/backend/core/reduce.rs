//! Reductions.

use super::CudaStorage;
use crate::op::ReduceOp;
use crate::{Error, Layout, Result};
use kernelgen::ops;

impl CudaStorage {
    /// Over `dims`; the result has extent 1 there.
    pub(super) fn reduced(&self, op: ReduceOp, layout: &Layout, dims: &[usize]) -> Result<Self> {
        let x = self.view(layout)?;
        let along: Vec<i64> = dims.iter().map(|&dim| dim as i64).collect();
        let stream = self.stream();
        if layout.shape().elem_count() == 0 && !matches!(op, ReduceOp::Sum) {
            return Err(Error::EmptyTensor { op: op.name() }.bt());
        }
        let single = || match along[..] {
            [dim] => Ok(Some(dim)),
            _ => Err(Error::OnlySingleDimension { op: op.name(), dims: dims.to_vec() }.bt()),
        };
        self.computed(match op {
            ReduceOp::Sum => ops::sum_with(&x, &along, true, None, stream),
            ReduceOp::Min => ops::min_with(&x, &along, true, None, stream),
            ReduceOp::Max => ops::max_with(&x, &along, true, None, stream),
            ReduceOp::ArgMin => ops::argmin_with(&x, single()?, true, None, stream),
            ReduceOp::ArgMax => ops::argmax_with(&x, single()?, true, None, stream),
        })
    }
}
