//! Reductions, scans and sorting, beside candle's CPU back end.

mod common;

use candle_core::{DType, Result, Tensor};
use common::operand::{compare, operands, FLOATS, INTEGERS};
use common::Random;

const SHAPES: [&[usize]; 4] = [&[9], &[3, 65], &[4, 5, 33], &[2, 3, 4, 5]];

type Reduction = (&'static str, fn(&Tensor, usize) -> Result<Tensor>);

const REDUCTIONS: [Reduction; 7] = [
    ("sum", |x, axis| x.sum(axis)),
    ("sum_keepdim", |x, axis| x.sum_keepdim(axis)),
    ("max", |x, axis| x.max(axis)),
    ("min", |x, axis| x.min_keepdim(axis)),
    ("argmax", |x, axis| x.argmax(axis)),
    ("argmin", |x, axis| x.argmin_keepdim(axis)),
    ("cumsum", |x, axis| x.cumsum(axis)),
];

const FLOAT_REDUCTIONS: [Reduction; 3] =
    [("mean", |x, axis| x.mean(axis)), ("log_sum_exp", |x, axis| x.log_sum_exp(axis)), ("var", |x, axis| x.var(axis))];

fn over_all(seed: u64, dtypes: &[DType], range: (f64, f64), reductions: &[Reduction]) -> Result<()> {
    let mut random = Random::new(seed);
    for (name, call) in reductions {
        for &dtype in dtypes {
            for shape in SHAPES {
                for x in operands(&mut random, shape, dtype, range)? {
                    for axis in 0..shape.len() {
                        compare(&format!("{name} of axis {axis}"), &[&x], |x| call(&x[0], axis))?;
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn floats() -> Result<()> {
    let dtypes = [DType::F16, DType::BF16, DType::F32, DType::F64];
    over_all(10, &dtypes, (0.25, 1.), &REDUCTIONS)?;
    over_all(11, &dtypes, (-1., 1.), &FLOAT_REDUCTIONS)
}

/// Sums of at most 65 elements, which fit in u8.
#[test]
fn integers() -> Result<()> {
    over_all(12, &INTEGERS, (0., 3.9), &REDUCTIONS)
}

#[test]
fn several_axes() -> Result<()> {
    let mut random = Random::new(13);
    for dtype in [DType::F16, DType::F32, DType::F64, DType::I64] {
        for x in operands(&mut random, &[3, 4, 5, 6], dtype, (0., 1.))? {
            compare("sum", &[&x], |x| x[0].sum((0, 2)))?;
            compare("sum", &[&x], |x| x[0].sum_keepdim((1, 3)))?;
            compare("sum_all", &[&x], |x| x[0].sum_all())?;
            compare("max_all", &[&x], |x| x[0].max_all())?;
        }
    }
    Ok(())
}

/// The order of equal elements is not defined, so the sorted elements are compared, and the indices by what they select.
#[test]
fn sort() -> Result<()> {
    let mut random = Random::new(14);
    for dtype in FLOATS.into_iter().chain([DType::U8, DType::U32, DType::I64]) {
        for shape in [&[1usize][..], &[3, 7], &[2, 4, 100], &[1, 2000]] {
            let x = &operands(&mut random, shape, dtype, (0., 100.))?[0];
            for ascending in [true, false] {
                compare("sort", &[x], |x| Ok(x[0].sort_last_dim(ascending)?.0))?;
                compare("arg_sort", &[x], |x| {
                    let indices = x[0].arg_sort_last_dim(ascending)?;
                    x[0].gather(&indices, indices.rank() - 1)
                })?;
            }
        }
    }
    Ok(())
}
