//! Operations on elements by candle's names for them. Those that only a later candle has are looked up by name.

use kernelgen::{ops, Result, Scalar, Stream, Tensor};

pub(super) fn unary(name: &str, x: &Tensor, stream: Option<&Stream>) -> Result<Tensor> {
    let operation = match name {
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
        _ => return ops::call_with(name, &[x], &[], None, stream),
    };
    operation(x, None, stream)
}

pub(super) fn binary(name: &str, a: &Tensor, b: &Tensor, stream: Option<&Stream>) -> Result<Tensor> {
    let operation = match name {
        "add" => ops::add_with,
        "sub" => ops::sub_with,
        "mul" => ops::mul_with,
        "div" => ops::div_with,
        "minimum" => ops::minimum_with,
        "maximum" => ops::maximum_with,
        _ => return ops::call_with(name, &[a, b], &[], None, stream),
    };
    operation(a, b, None, stream)
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
