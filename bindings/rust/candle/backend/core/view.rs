//! candle's layouts as strided views of the library.

use super::{host, CudaStorage};
use crate::{Error, Layout, Result};
use kernelgen::Tensor;

/// Dims of the library's views.
const MAX_RANK: usize = 8;

/// Numbers of a layout, without a heap allocation.
struct Numbers([i64; MAX_RANK], usize);

impl Numbers {
    /// None for more than the library takes.
    fn of(values: &[usize]) -> Option<Self> {
        let mut numbers = [0; MAX_RANK];
        let taken = numbers.get_mut(..values.len())?;
        taken.iter_mut().zip(values).for_each(|(number, value)| *number = *value as i64);
        Some(Self(numbers, values.len()))
    }

    fn as_slice(&self) -> &[i64] {
        &self.0[..self.1]
    }
}

impl CudaStorage {
    /// The elements of a layout, in place.
    pub fn view(&self, layout: &Layout) -> Result<Tensor> {
        self.strided(layout.dims(), layout.stride(), layout.start_offset())
    }

    fn strided(&self, dims: &[usize], strides: &[usize], offset: usize) -> Result<Tensor> {
        if host::kernel_dtype(self.dtype).is_none() {
            return Err(Error::UnsupportedDTypeForOp(self.dtype, "computation").bt());
        }
        match (Numbers::of(dims), Numbers::of(strides)) {
            (Some(dims), Some(strides)) => {
                Ok(self.tensor().as_strided(dims.as_slice(), strides.as_slice(), offset as i64)?)
            }
            _ => crate::bail!("a tensor of {} dims {dims:?}: kernels take up to {MAX_RANK}", dims.len()),
        }
    }
}

/// Operands of one shape for an operation on elements, whose order of dims does not matter: a rank above the library's
/// is lowered by joining adjacent dims that every operand walks through in one stride.
pub(super) fn elementwise<const N: usize>(operands: [(&CudaStorage, &Layout); N]) -> Result<[Tensor; N]> {
    let views = if operands[0].1.dims().len() <= MAX_RANK {
        operands.iter().map(|(storage, layout)| storage.view(layout)).collect::<Result<Vec<_>>>()?
    } else {
        let (dims, strides) = joined(&operands.map(|(_, layout)| layout));
        operands
            .iter()
            .zip(&strides)
            .map(|((storage, layout), strides)| storage.strided(&dims, strides, layout.start_offset()))
            .collect::<Result<Vec<_>>>()?
    };
    Ok(views.try_into().unwrap_or_else(|_| unreachable!("as many views as operands")))
}

/// The dims of layouts of one shape without those of extent 1, adjacent ones joined, and each layout's strides.
fn joined<const N: usize>(layouts: &[&Layout; N]) -> (Vec<usize>, [Vec<usize>; N]) {
    let mut dims: Vec<usize> = Vec::new();
    let mut strides: [Vec<usize>; N] = std::array::from_fn(|_| Vec::new());
    for (dim, &extent) in layouts[0].dims().iter().enumerate().filter(|(_, &extent)| extent != 1) {
        let goes_on = layouts
            .iter()
            .zip(&strides)
            .all(|(layout, made)| made.last().is_some_and(|&outer| outer == layout.stride()[dim] * extent));
        if goes_on {
            *dims.last_mut().expect("a dim to join") *= extent;
        } else {
            dims.push(extent);
        }
        for (layout, made) in layouts.iter().zip(&mut strides) {
            if goes_on {
                made.pop();
            }
            made.push(layout.stride()[dim]);
        }
    }
    (dims, strides)
}
