//! Operations on elements.

use super::view::elementwise;
use super::{host, CudaStorage};
use crate::op::CmpOp;
use crate::{DType, Error, Layout, Result};
use kernelgen::{ops, Scalar, Stream, Tensor};

type Unary = fn(&Tensor, Option<&Tensor>, Option<&Stream>) -> kernelgen::Result<Tensor>;
type Binary = fn(&Tensor, &Tensor, Option<&Tensor>, Option<&Stream>) -> kernelgen::Result<Tensor>;

/// The operation by candle's name for it; None for one that only a later candle has.
fn unary(name: &str) -> Option<Unary> {
    Some(match name {
        "exp" => ops::exp_with,
        "log" => ops::log_with,
        "sin" => ops::sin_with,
        "cos" => ops::cos_with,
        "tanh" => ops::tanh_with,
        "erf" => ops::erf_with,
        "abs" => ops::abs_with,
        "neg" => ops::neg_with,
        "recip" => ops::recip_with,
        "sqr" => ops::sqr_with,
        "sqrt" => ops::sqrt_with,
        "sign" => ops::sign_with,
        "ceil" => ops::ceil_with,
        "floor" => ops::floor_with,
        "round" => ops::round_with,
        "relu" => ops::relu_with,
        "silu" => ops::silu_with,
        "gelu" => ops::gelu_with,
        "gelu_erf" => ops::gelu_erf_with,
        _ => return None,
    })
}

fn binary(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => ops::add_with,
        "sub" => ops::sub_with,
        "mul" => ops::mul_with,
        "div" => ops::div_with,
        "minimum" => ops::minimum_with,
        "maximum" => ops::maximum_with,
        _ => return None,
    })
}

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
        self.computed(match unary(name) {
            Some(operation) => operation(&x, None, self.stream()),
            None => ops::call_with(name, &[&x], &[], None, self.stream()),
        })
    }

    /// The operation of that name on two operands.
    pub(super) fn binary(&self, layout: &Layout, other: &Self, other_layout: &Layout, name: &str) -> Result<Self> {
        let [a, b] = elementwise([(self, layout), (other, other_layout)])?;
        self.computed(match binary(name) {
            Some(operation) => operation(&a, &b, None, self.stream()),
            None => ops::call_with(name, &[&a, &b], &[], None, self.stream()),
        })
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
        let to = host::kernel_dtype(dtype).ok_or_else(|| Error::UnsupportedDTypeForOp(dtype, "to_dtype").bt())?;
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
        let [condition, a, b] = elementwise([(self, layout), (a, a_layout), (b, b_layout)])?;
        self.computed(ops::where_cond_with(&condition, &a, &b, None, self.stream()))
    }
}
