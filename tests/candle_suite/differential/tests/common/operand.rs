//! Random tensors in several layouts, on the device and on candle's CPU back end.

use super::{assert_close, device, Random};
use candle_core::{DType, Device, Result, Tensor};

pub const FLOATS: [DType; 5] = [DType::F8E4M3, DType::F16, DType::BF16, DType::F32, DType::F64];
pub const INTEGERS: [DType; 5] = [DType::U8, DType::U32, DType::I16, DType::I32, DType::I64];

/// The dtype in which candle's CPU back end computes the reference. It rounds each step of small floats and lacks operations
/// on some dtypes; ours computes small floats in f32 and rounds once.
fn reference(dtype: DType) -> DType {
    match dtype {
        DType::F8E4M3 | DType::F16 | DType::BF16 => DType::F32,
        DType::I16 | DType::I32 => DType::I64,
        dtype => dtype,
    }
}

/// The same elements on both devices, as a view on ours.
pub struct Operand {
    pub layout: &'static str,
    pub dtype: DType,
    pub ours: Tensor,
    /// On the CPU, contiguous, in the dtype of the reference. candle's CPU convolutions and upsampling misread some views.
    pub theirs: Tensor,
    /// On the CPU, contiguous, in its own dtype.
    pub same: Tensor,
}

impl Operand {
    /// `view` of elements in `base`.
    pub fn new(layout: &'static str, base: &Tensor, view: impl Fn(&Tensor) -> Result<Tensor>) -> Result<Self> {
        let same = view(base)?.contiguous()?;
        let theirs = same.to_dtype(reference(base.dtype()))?;
        Ok(Self { layout, dtype: base.dtype(), ours: view(&base.to_device(&device()?)?)?, theirs, same })
    }

    /// The same elements, contiguous.
    pub fn plain(base: &Tensor) -> Result<Self> {
        Self::new("contiguous", base, |x| Ok(x.clone()))
    }
}

/// Elements in `range`, as views of `shape`: contiguous, transposed, a part, a broadcast, and with a stride of two elements.
pub fn operands(random: &mut Random, shape: &[usize], dtype: DType, range: (f64, f64)) -> Result<Vec<Operand>> {
    let rank = shape.len();
    let mut made = vec![Operand::plain(&random.between(shape, dtype, range)?)?];
    if rank >= 2 {
        let mut swapped = shape.to_vec();
        swapped.swap(rank - 1, rank - 2);
        made.push(Operand::new("transposed", &random.between(swapped, dtype, range)?, |x| x.t())?);
        let mut row = shape.to_vec();
        row[0] = 1;
        made.push(Operand::new("broadcast", &random.between(row, dtype, range)?, |x| x.broadcast_as(shape))?);
    }
    let larger: Vec<usize> = shape.iter().map(|size| size + 2).collect();
    let part = |x: &Tensor| (0..rank).try_fold(x.clone(), |x, axis| x.narrow(axis, 1, shape[axis]));
    made.push(Operand::new("narrowed", &random.between(larger, dtype, range)?, part)?);
    let pairs = [shape, &[2]].concat();
    made.push(Operand::new("stride of two", &random.between(pairs, dtype, range)?, |x| {
        x.narrow(rank, 1, 1)?.squeeze(rank)
    })?);
    Ok(made)
}

fn describe(what: &str, inputs: &[&Operand]) -> String {
    let layouts: Vec<_> = inputs.iter().map(|x| (x.dtype, x.layout, x.ours.dims())).collect();
    format!("{what} {layouts:?}")
}

fn side(inputs: &[&Operand], of: fn(&Operand) -> &Tensor) -> Vec<Tensor> {
    inputs.iter().map(|x| of(x).clone()).collect()
}

fn check(what: &str, inputs: &[&Operand], theirs: &Tensor, call: impl Fn(&[Tensor]) -> Result<Tensor>) -> Result<()> {
    let what = describe(what, inputs);
    let ours = call(&side(inputs, |x| &x.ours)).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(matches!(ours.device(), Device::Cuda(_)), "{what}: the result is on {:?}", ours.device());
    assert_close(&what, &ours, theirs)
}

/// `call` on both devices. Where candle's CPU back end refuses, ours need not succeed.
pub fn compare(what: &str, inputs: &[&Operand], call: impl Fn(&[Tensor]) -> Result<Tensor>) -> Result<()> {
    let dtype = inputs[0].dtype;
    let Ok(theirs) = call(&side(inputs, |x| &x.theirs)) else { return Ok(()) };
    let theirs = if theirs.dtype() == reference(dtype) { theirs.to_dtype(dtype)? } else { theirs };
    check(what, inputs, &theirs, call)
}

/// The same for operations that move or convert elements: the reference has the operands' own dtype.
pub fn compare_moved(what: &str, inputs: &[&Operand], call: impl Fn(&[Tensor]) -> Result<Tensor>) -> Result<()> {
    let Ok(theirs) = call(&side(inputs, |x| &x.same)) else { return Ok(()) };
    check(what, inputs, &theirs, call)
}
