//! Operations on elements.

use super::view::elementwise;
use super::CudaStorage;
use crate::op::CmpOp;
use crate::{DType, Error, Layout, Result};
use kernelgen::{ops, Scalar, Tensor};

/// A number as candle converts it to a dtype: truncated and saturated for integers.
pub(super) fn scalar(dtype: kernelgen::DType, value: f64) -> Scalar {
    match dtype {
        kernelgen::DType::U8 => (value as u8).into(),
        kernelgen::DType::U32 => (value as u32).into(),
        kernelgen::DType::I16 => (value as i16).into(),
        kernelgen::DType::I32 => (value as i32).into(),
        kernelgen::DType::I64 => (value as i64).into(),
        _ => value.into(),
    }
}

impl CudaStorage {
    /// The operation of that name on one operand.
    pub(super) fn unary(&self, layout: &Layout, name: &str) -> Result<Self> {
        let [x] = elementwise([(self, layout)])?;
        self.computed(ops::call_with(name, &[&x], &[], None, self.stream()))
    }

    /// The operation of that name on two operands.
    pub(super) fn binary(&self, layout: &Layout, other: &Self, other_layout: &Layout, name: &str) -> Result<Self> {
        let [a, b] = elementwise([(self, layout), (other, other_layout)])?;
        self.computed(ops::call_with(name, &[&a, &b], &[], None, self.stream()))
    }

    pub(super) fn compare(&self, layout: &Layout, other: &Self, other_layout: &Layout, op: CmpOp) -> Result<Self> {
        let [a, b] = elementwise([(self, layout), (other, other_layout)])?;
        let compare = match op {
            CmpOp::Eq => ops::eq_with,
            CmpOp::Ne => ops::ne_with,
            CmpOp::Lt => ops::lt_with,
            CmpOp::Le => ops::le_with,
            CmpOp::Gt => ops::gt_with,
            CmpOp::Ge => ops::ge_with,
        };
        self.computed(compare(&a, &b, None, self.stream()))
    }

    pub(super) fn scaled(&self, layout: &Layout, mul: f64, add: f64) -> Result<Self> {
        let [x] = elementwise([(self, layout)])?;
        let (mul, add) = (scalar(x.dtype(), mul), scalar(x.dtype(), add));
        self.computed(ops::affine_with(&x, mul, add, None, self.stream()))
    }

    pub(super) fn power(&self, layout: &Layout, exponent: f64) -> Result<Self> {
        let [x] = elementwise([(self, layout)])?;
        self.computed(ops::powf_with(&x, exponent, None, self.stream()))
    }

    pub(super) fn exponential_linear(&self, layout: &Layout, alpha: f64) -> Result<Self> {
        let [x] = elementwise([(self, layout)])?;
        self.computed(ops::elu_with(&x, alpha, None, self.stream()))
    }

    pub(super) fn converted(&self, layout: &Layout, dtype: DType) -> Result<Self> {
        let to = super::host::kernel_dtype(dtype).ok_or_else(|| Error::UnsupportedDTypeForOp(dtype, "to_dtype").bt())?;
        let [x] = elementwise([(self, layout)])?;
        self.computed(ops::to_dtype_with(&x, to, None, self.stream()))
    }

    /// Elements of `a` where `self` is not 0, else of `b`.
    pub(super) fn select(
        &self,
        layout: &Layout,
        (a, a_layout): (&Self, &Layout),
        (b, b_layout): (&Self, &Layout),
    ) -> Result<Self> {
        let [condition, a, b]: [Tensor; 3] = elementwise([(self, layout), (a, a_layout), (b, b_layout)])?;
        self.computed(ops::where_cond_with(&condition, &a, &b, None, self.stream()))
    }
}
