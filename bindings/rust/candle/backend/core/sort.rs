//! Sorting along the last dim.

use super::CudaStorage;
use crate::{Layout, Result, Shape};
use kernelgen::ops;

/// The indices that sort the rows. The sort is stable; NaN comes last.
pub(crate) fn arg_sort(storage: &CudaStorage, layout: &Layout, ascending: bool) -> Result<(CudaStorage, Shape)> {
    let x = storage.view(layout)?;
    let sorted = storage.computed(ops::arg_sort_with(&x, ascending, None, storage.stream()))?;
    Ok((sorted, layout.shape().clone()))
}
