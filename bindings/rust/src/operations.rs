//! The backend's operations.
//!
//! Inputs have any layout. `add(&a, &b)` makes a contiguous result; `add_with(&a, &b, out, stream)` writes it to `out`,
//! a contiguous tensor of its shape and dtype, and gives another handle of that. Work is put into the stream, else
//! into the device's default queue, and not waited for.
//!
//! Errors of all operations: InvalidArgument, before any launch, for a dtype, shape or device that
//! the operation does not support, with a message that names the operation, the given operands and what it
//! accepts; Unsupported when the package has no code of the kernel for the device;
//! OutOfMemory; DeviceError.
//!
//! Written by bindings/generate.py from the C headers; do not edit.

use crate::c::{self, Size2, Window1, Window2};
use crate::error::{check, text};
use crate::tensor::{address, made, made_both, raw_or_null};
use crate::{DType, Device, Result, Scalar, Stream, Tensor};
use std::os::raw::c_int;

/// Optional arguments of attention. Start from the default; a member that keeps its
/// value, and a None tensor, has no effect. B, H, T, D are q's dims; S is the number of keys.
#[derive(Clone, Copy, Debug)]
pub struct AttentionOptions<'a> {
    /// Factor of the products of q and k; 0: 1 / sqrt(D).
    pub scale: f64,
    /// Logit soft-capping: cap * tanh(logit / cap) replaces each logit; 0: no cap.
    pub soft_cap: f64,
    /// true: a query does not attend to keys after its own position.
    pub causal: bool,
    /// Sliding window: maximum number of keys before a query's own position; -1: unlimited.
    pub window_left: i64,
    /// Sliding window: maximum number of keys after a query's own position; -1: unlimited.
    pub window_right: i64,
    /// Added to the logits: the dtype of k and v if they have 16 bits, else q's; with a shape that broadcasts to
    /// \[B, H, T, S\].
    pub mask: Option<&'a Tensor>,
    /// ALiBi: slope * distance is subtracted from each logit. f32 \[H\] or \[B, H\].
    pub alibi_slopes: Option<&'a Tensor>,
    /// Attention sinks: the logit of one additional key per head, whose value is 0. f32 \[H\].
    pub sinks: Option<&'a Tensor>,
    /// Number of valid rows of each sequence, the leading ones of its T queries and S keys; integers \[B\].
    pub query_lengths: Option<&'a Tensor>,
    /// Number of valid rows of each sequence, the leading ones of its T queries and S keys; integers \[B\].
    pub key_lengths: Option<&'a Tensor>,
    /// Paged KV cache: page indices \[B, pages per sequence\]. k and v are \[pages, heads of k, page size, D\]. Key
    /// j of sequence b is row j % page size of page block_table\[b, j / page size\], and S is pages per sequence *
    /// page size.
    pub block_table: Option<&'a Tensor>,
    /// Written if it is not None: the log-sum-exp of each row, f32 \[B, H, T\], contiguous. It must not overlap
    /// another tensor.
    pub log_sum_exp: Option<&'a Tensor>,
}

impl Default for AttentionOptions<'_> {
    fn default() -> Self {
        Self {
            scale: 0.0,
            soft_cap: 0.0,
            causal: false,
            window_left: -1,
            window_right: -1,
            mask: None,
            alibi_slopes: None,
            sinks: None,
            query_lengths: None,
            key_lengths: None,
            block_table: None,
            log_sum_exp: None,
        }
    }
}

impl AttentionOptions<'_> {
    fn raw(&self) -> c::AttentionOptions {
        c::AttentionOptions {
            size: std::mem::size_of::<c::AttentionOptions>(),
            scale: self.scale,
            soft_cap: self.soft_cap,
            causal: c_int::from(self.causal),
            window_left: self.window_left,
            window_right: self.window_right,
            mask: raw_or_null(self.mask),
            alibi_slopes: raw_or_null(self.alibi_slopes),
            sinks: raw_or_null(self.sinks),
            query_lengths: raw_or_null(self.query_lengths),
            key_lengths: raw_or_null(self.key_lengths),
            block_table: raw_or_null(self.block_table),
            log_sum_exp: raw_or_null(self.log_sum_exp),
        }
    }
}

impl Default for Window1 {
    /// Parameters of a convolution along one dim; the channels are divided into `groups` that are convolved separately.
    fn default() -> Self {
        Self {
            stride: 1,
            padding: 0,
            dilation: 1,
            output_padding: 0,
            groups: 1,
        }
    }
}

impl Default for Window2 {
    /// As window1, for the two dims of an image.
    fn default() -> Self {
        Self {
            stride: Size2 { height: 1, width: 1 },
            padding: Size2 { height: 0, width: 0 },
            dilation: Size2 { height: 1, width: 1 },
            output_padding: Size2 { height: 0, width: 0 },
            groups: 1,
        }
    }
}

/// result\[b, h, t\] = sum over j of softmax_j(logit(t, j)) * v\[b, h / group, j\], with logit(t, j) = scale *
/// dot(q\[b, h, t\], k\[b, h / group, j\]). The logit is then soft-capped, slope * distance is subtracted, and the
/// mask's element is added, in this order. q is \[B, H, T, D\]; k and v are \[B, heads of k, S, D\] with H = group
/// * heads of k, any strides; D is 1 to 256. k and v have q's dtype, or both are f8e4m3, or q is f32 and both
/// are f16 or bf16; then q and the result may be rounded to that dtype. Products and sums are f32; the result is
/// rounded once.
///
/// The last query is aligned with the last key: query t of a sequence with n queries has position t + keys - n
/// among its keys. A key whose logit is -inf counts as masked. Nothing of a masked key affects the query's
/// row, not even NaN. A query without visible keys, and a row beyond its sequence's length, yields zeros. Its
/// log-sum-exp is the sink's logit, or -inf without sinks.
///
/// `options` may be None. `out` has q's shape and dtype; its last dim has stride 1, its other strides are
/// arbitrary.
///
/// Lengths and block_table are u8, u32, i16, i32 or i64. A length that is negative or too large makes its
/// sequence empty; a page index that is negative or too large masks the page's keys. Both are reported as
/// IndexOutOfRange by the next wait for the stream. Errors: InvalidArgument for shapes
/// and dtypes that do not match, D = 0 or over 256, extents over 2^31 - 1, non-finite scalars, and options
/// with a `size` that this version of the library does not know.
///
/// Forward attention: f16, bf16, f32.
pub fn attention(q: &Tensor, k: &Tensor, v: &Tensor, options: &AttentionOptions) -> Result<Tensor> {
    attention_with(q, k, v, options, None, None)
}

/// As [`attention`], with results written to `out…` where those are Some, in a stream.
pub fn attention_with(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    options: &AttentionOptions,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    let options = options.raw();
    made(|result_made| unsafe { c::kernelgen_attention(
        q.raw(),
        k.raw(),
        v.raw(),
        &options,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Calls an operation of the device's package by name, including a user's own: an element-wise one ("expr"),
/// one on the rows along the last dim ("row"), a matrix product with an epilogue ("matmul"), one that is launched by
/// its own rule ("body"), or a reduction ("reduce") of all dims; reduce() takes the dims. At most 3 inputs
/// and 8 scalars (MAX_INPUTS and MAX_SCALARS). Errors: also
/// NotFound with the nearest name.
///
/// Operations by name.
pub fn call(operation: &str, inputs: &[&Tensor], scalars: &[Scalar]) -> Result<Tensor> {
    call_with(operation, inputs, scalars, None, None)
}

/// As [`call`], with results written to `out…` where those are Some, in a stream.
pub fn call_with(
    operation: &str,
    inputs: &[&Tensor],
    scalars: &[Scalar],
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    let operation = text(operation, "operation")?;
    let inputs: Vec<_> = inputs.iter().map(|each| each.raw() as *const c::Tensor).collect();
    made(|result_made| unsafe { c::kernelgen_call(
        operation.as_ptr(),
        inputs.as_ptr(),
        inputs.len(),
        scalars.as_ptr().cast(),
        scalars.len(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))), the tanh approximation of gelu_erf (Hendrycks and
/// Gimpel, 2016). Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn gelu(x: &Tensor) -> Result<Tensor> {
    gelu_with(x, None, None)
}

/// As [`gelu`], with results written to `out…` where those are Some, in a stream.
pub fn gelu_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_gelu(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x · normcdf(x), the exact GELU. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn gelu_erf(x: &Tensor) -> Result<Tensor> {
    gelu_erf_with(x, None, None)
}

/// As [`gelu_erf`], with results written to `out…` where those are Some, in a stream.
pub fn gelu_erf_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_gelu_erf(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x · sigmoid(x). Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn silu(x: &Tensor) -> Result<Tensor> {
    silu_with(x, None, None)
}

/// As [`silu`], with results written to `out…` where those are Some, in a stream.
pub fn silu_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_silu(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// 1 / (1 + e^-x). Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn sigmoid(x: &Tensor) -> Result<Tensor> {
    sigmoid_with(x, None, None)
}

/// As [`sigmoid`], with results written to `out…` where those are Some, in a stream.
pub fn sigmoid_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_sigmoid(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The cumulative distribution function of the standard normal distribution, (1 + erf(x/√2)) / 2. Floating
/// point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn normcdf(x: &Tensor) -> Result<Tensor> {
    normcdf_with(x, None, None)
}

/// As [`normcdf`], with results written to `out…` where those are Some, in a stream.
pub fn normcdf_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_normcdf(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// max(x, 0); NaN propagates. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn relu(x: &Tensor) -> Result<Tensor> {
    relu_with(x, None, None)
}

/// As [`relu`], with results written to `out…` where those are Some, in a stream.
pub fn relu_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_relu(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x if x > 0, else alpha · (e^x - 1). Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn elu(x: &Tensor, alpha: impl Into<Scalar>) -> Result<Tensor> {
    elu_with(x, alpha, None, None)
}

/// As [`elu`], with results written to `out…` where those are Some, in a stream.
pub fn elu_with(
    x: &Tensor,
    alpha: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_elu(x.raw(), alpha.into().0, raw_or_null(out), raw_or_null(stream), result_made) })
}

/// silu(a) · b, rounded once. Floating point, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn silu_mul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    silu_mul_with(a, b, None, None)
}

/// As [`silu_mul`], with results written to `out…` where those are Some, in a stream.
pub fn silu_mul_with(
    a: &Tensor,
    b: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_silu_mul(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// gelu(a) · b, rounded once. Floating point, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn gelu_mul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    gelu_mul_with(a, b, None, None)
}

/// As [`gelu_mul`], with results written to `out…` where those are Some, in a stream.
pub fn gelu_mul_with(
    a: &Tensor,
    b: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_gelu_mul(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x · mul + add; floats are rounded once, integers wrap. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn affine(x: &Tensor, mul: impl Into<Scalar>, add: impl Into<Scalar>) -> Result<Tensor> {
    affine_with(x, mul, add, None, None)
}

/// As [`affine`], with results written to `out…` where those are Some, in a stream.
pub fn affine_with(
    x: &Tensor,
    mul: impl Into<Scalar>,
    add: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_affine(
        x.raw(),
        mul.into().0,
        add.into().0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// a + b; integers wrap. Any dtype, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn add(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    add_with(a, b, None, None)
}

/// As [`add`], with results written to `out…` where those are Some, in a stream.
pub fn add_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_add(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// a - b; integers wrap. Any dtype, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn sub(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    sub_with(a, b, None, None)
}

/// As [`sub`], with results written to `out…` where those are Some, in a stream.
pub fn sub_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_sub(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// a · b; integers wrap. Any dtype, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn mul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    mul_with(a, b, None, None)
}

/// As [`mul`], with results written to `out…` where those are Some, in a stream.
pub fn mul_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_mul(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// a / b; integers truncate toward zero and give 0 if b is 0. Any dtype, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn div(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    div_with(a, b, None, None)
}

/// As [`div`], with results written to `out…` where those are Some, in a stream.
pub fn div_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_div(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The greater input; NaN propagates. Any dtype, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn maximum(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    maximum_with(a, b, None, None)
}

/// As [`maximum`], with results written to `out…` where those are Some, in a stream.
pub fn maximum_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_maximum(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The lesser input; NaN propagates. Any dtype, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn minimum(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    minimum_with(a, b, None, None)
}

/// As [`minimum`], with results written to `out…` where those are Some, in a stream.
pub fn minimum_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_minimum(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// Whether a = b. Any dtype, the same for both. The result is u8.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn eq(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    eq_with(a, b, None, None)
}

/// As [`eq`], with results written to `out…` where those are Some, in a stream.
pub fn eq_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_eq(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// Whether a ≠ b. Any dtype, the same for both. The result is u8.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn ne(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    ne_with(a, b, None, None)
}

/// As [`ne`], with results written to `out…` where those are Some, in a stream.
pub fn ne_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_ne(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// Whether a \< b. Any dtype, the same for both. The result is u8.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn lt(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    lt_with(a, b, None, None)
}

/// As [`lt`], with results written to `out…` where those are Some, in a stream.
pub fn lt_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_lt(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// Whether a ≤ b. Any dtype, the same for both. The result is u8.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn le(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    le_with(a, b, None, None)
}

/// As [`le`], with results written to `out…` where those are Some, in a stream.
pub fn le_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_le(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// Whether a > b. Any dtype, the same for both. The result is u8.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn gt(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    gt_with(a, b, None, None)
}

/// As [`gt`], with results written to `out…` where those are Some, in a stream.
pub fn gt_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_gt(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// Whether a ≥ b. Any dtype, the same for both. The result is u8.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn ge(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    ge_with(a, b, None, None)
}

/// As [`ge`], with results written to `out…` where those are Some, in a stream.
pub fn ge_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_ge(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// e^x. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn exp(x: &Tensor) -> Result<Tensor> {
    exp_with(x, None, None)
}

/// As [`exp`], with results written to `out…` where those are Some, in a stream.
pub fn exp_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_exp(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The natural logarithm. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn log(x: &Tensor) -> Result<Tensor> {
    log_with(x, None, None)
}

/// As [`log`], with results written to `out…` where those are Some, in a stream.
pub fn log_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_log(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The sine of x in radians. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn sin(x: &Tensor) -> Result<Tensor> {
    sin_with(x, None, None)
}

/// As [`sin`], with results written to `out…` where those are Some, in a stream.
pub fn sin_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_sin(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The cosine of x in radians. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn cos(x: &Tensor) -> Result<Tensor> {
    cos_with(x, None, None)
}

/// As [`cos`], with results written to `out…` where those are Some, in a stream.
pub fn cos_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_cos(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The hyperbolic tangent. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn tanh(x: &Tensor) -> Result<Tensor> {
    tanh_with(x, None, None)
}

/// As [`tanh`], with results written to `out…` where those are Some, in a stream.
pub fn tanh_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_tanh(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The error function, 2/√π times the integral of e^-t² from 0 to x. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn erf(x: &Tensor) -> Result<Tensor> {
    erf_with(x, None, None)
}

/// As [`erf`], with results written to `out…` where those are Some, in a stream.
pub fn erf_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_erf(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x^e; x^0 is 1 for every x, NaN too. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn powf(x: &Tensor, e: impl Into<Scalar>) -> Result<Tensor> {
    powf_with(x, e, None, None)
}

/// As [`powf`], with results written to `out…` where those are Some, in a stream.
pub fn powf_with(
    x: &Tensor,
    e: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_powf(x.raw(), e.into().0, raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The least integer that is not less than x; integers are unchanged. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn ceil(x: &Tensor) -> Result<Tensor> {
    ceil_with(x, None, None)
}

/// As [`ceil`], with results written to `out…` where those are Some, in a stream.
pub fn ceil_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_ceil(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The greatest integer that is not greater than x; integers are unchanged. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn floor(x: &Tensor) -> Result<Tensor> {
    floor_with(x, None, None)
}

/// As [`floor`], with results written to `out…` where those are Some, in a stream.
pub fn floor_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_floor(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The nearest integer, halves away from zero; integers are unchanged. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn round(x: &Tensor) -> Result<Tensor> {
    round_with(x, None, None)
}

/// As [`round`], with results written to `out…` where those are Some, in a stream.
pub fn round_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_round(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x · x; integers wrap. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn sqr(x: &Tensor) -> Result<Tensor> {
    sqr_with(x, None, None)
}

/// As [`sqr`], with results written to `out…` where those are Some, in a stream.
pub fn sqr_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_sqr(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// \|x\|; the lowest integer is unchanged. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn abs(x: &Tensor) -> Result<Tensor> {
    abs_with(x, None, None)
}

/// As [`abs`], with results written to `out…` where those are Some, in a stream.
pub fn abs_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_abs(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// -x; integers wrap. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn neg(x: &Tensor) -> Result<Tensor> {
    neg_with(x, None, None)
}

/// As [`neg`], with results written to `out…` where those are Some, in a stream.
pub fn neg_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_neg(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// -1, 0 or 1; NaN for NaN, +0 for -0. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn sign(x: &Tensor) -> Result<Tensor> {
    sign_with(x, None, None)
}

/// As [`sign`], with results written to `out…` where those are Some, in a stream.
pub fn sign_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_sign(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The square root; NaN for negative x. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn sqrt(x: &Tensor) -> Result<Tensor> {
    sqrt_with(x, None, None)
}

/// As [`sqrt`], with results written to `out…` where those are Some, in a stream.
pub fn sqrt_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_sqrt(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// 1 / x. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn recip(x: &Tensor) -> Result<Tensor> {
    recip_with(x, None, None)
}

/// As [`recip`], with results written to `out…` where those are Some, in a stream.
pub fn recip_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_recip(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// e^x - 1, without cancellation near 0. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn expm1(x: &Tensor) -> Result<Tensor> {
    expm1_with(x, None, None)
}

/// As [`expm1`], with results written to `out…` where those are Some, in a stream.
pub fn expm1_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_expm1(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// log(1 + e^x). Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn softplus(x: &Tensor) -> Result<Tensor> {
    softplus_with(x, None, None)
}

/// As [`softplus`], with results written to `out…` where those are Some, in a stream.
pub fn softplus_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_softplus(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x · sigmoid(1.702 · x), an approximation of gelu_erf (Hendrycks and Gimpel, 2016). Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn gelu_quick(x: &Tensor) -> Result<Tensor> {
    gelu_quick_with(x, None, None)
}

/// As [`gelu_quick`], with results written to `out…` where those are Some, in a stream.
pub fn gelu_quick_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_gelu_quick(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// alpha_p · x² + beta · x if x > 0, else alpha_n · (e^min(x, eps) - 1 - x) + beta · x (Huang and Schlag,
/// 2024). Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn xielu(
    x: &Tensor,
    alpha_n: impl Into<Scalar>,
    alpha_p: impl Into<Scalar>,
    beta: impl Into<Scalar>,
    eps: impl Into<Scalar>,
) -> Result<Tensor> {
    xielu_with(x, alpha_n, alpha_p, beta, eps, None, None)
}

/// As [`xielu`], with results written to `out…` where those are Some, in a stream.
pub fn xielu_with(
    x: &Tensor,
    alpha_n: impl Into<Scalar>,
    alpha_p: impl Into<Scalar>,
    beta: impl Into<Scalar>,
    eps: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_xielu(
        x.raw(),
        alpha_n.into().0,
        alpha_p.into().0,
        beta.into().0,
        eps.into().0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// relu(a) · b, rounded once. Floating point, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn relu_mul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    relu_mul_with(a, b, None, None)
}

/// As [`relu_mul`], with results written to `out…` where those are Some, in a stream.
pub fn relu_mul_with(
    a: &Tensor,
    b: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_relu_mul(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// gelu_erf(a) · b, rounded once. Floating point, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn gelu_erf_mul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    gelu_erf_mul_with(a, b, None, None)
}

/// As [`gelu_erf_mul`], with results written to `out…` where those are Some, in a stream.
pub fn gelu_erf_mul_with(
    a: &Tensor,
    b: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_gelu_erf_mul(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// gelu_quick(a) · b, rounded once. Floating point, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn gelu_quick_mul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    gelu_quick_mul_with(a, b, None, None)
}

/// As [`gelu_quick_mul`], with results written to `out…` where those are Some, in a stream.
pub fn gelu_quick_mul_with(
    a: &Tensor,
    b: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_gelu_quick_mul(
        a.raw(),
        b.raw(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// c · sigmoid(alpha · c) · (1 + d), where c is a, but at most limit, and d is b, but from -limit to limit:
/// the gate of gpt-oss. Floating point, the same for both.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn swiglu_oai(
    a: &Tensor,
    b: &Tensor,
    alpha: impl Into<Scalar>,
    limit: impl Into<Scalar>,
) -> Result<Tensor> {
    swiglu_oai_with(a, b, alpha, limit, None, None)
}

/// As [`swiglu_oai`], with results written to `out…` where those are Some, in a stream.
pub fn swiglu_oai_with(
    a: &Tensor,
    b: &Tensor,
    alpha: impl Into<Scalar>,
    limit: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_swiglu_oai(
        a.raw(),
        b.raw(),
        alpha.into().0,
        limit.into().0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// 1 if x > 0, else 0; 0 for NaN. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn step(x: &Tensor) -> Result<Tensor> {
    step_with(x, None, None)
}

/// As [`step`], with results written to `out…` where those are Some, in a stream.
pub fn step_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_step(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The integer part of x; integers are unchanged. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn trunc(x: &Tensor) -> Result<Tensor> {
    trunc_with(x, None, None)
}

/// As [`trunc`], with results written to `out…` where those are Some, in a stream.
pub fn trunc_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_trunc(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x, but at least low and at most high, which wins if it is less than low; NaN propagates. Any dtype.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn clamp(x: &Tensor, low: impl Into<Scalar>, high: impl Into<Scalar>) -> Result<Tensor> {
    clamp_with(x, low, high, None, None)
}

/// As [`clamp`], with results written to `out…` where those are Some, in a stream.
pub fn clamp_with(
    x: &Tensor,
    low: impl Into<Scalar>,
    high: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_clamp(
        x.raw(),
        low.into().0,
        high.into().0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// x if x > 0, else slope · x. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn leaky_relu(x: &Tensor, slope: impl Into<Scalar>) -> Result<Tensor> {
    leaky_relu_with(x, slope, None, None)
}

/// As [`leaky_relu`], with results written to `out…` where those are Some, in a stream.
pub fn leaky_relu_with(
    x: &Tensor,
    slope: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_leaky_relu(
        x.raw(),
        slope.into().0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// (x + 3) / 6, but at least 0 and at most 1. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn hardsigmoid(x: &Tensor) -> Result<Tensor> {
    hardsigmoid_with(x, None, None)
}

/// As [`hardsigmoid`], with results written to `out…` where those are Some, in a stream.
pub fn hardsigmoid_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_hardsigmoid(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x · hardsigmoid(x); 0 for x \< -3. Floating point.
///
/// One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
/// rule. `out` may be one of them (same memory and layout), to work in place.
pub fn hardswish(x: &Tensor) -> Result<Tensor> {
    hardswish_with(x, None, None)
}

/// As [`hardswish`], with results written to `out…` where those are Some, in a stream.
pub fn hardswish_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_hardswish(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// Converts to another dtype. To integers: truncated toward zero, saturating, NaN gives 0. Between
/// integers: the low bits. To floats: rounded once, to nearest even. To f8e4m3: saturating at ±448.
///
/// Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
/// common shape by NumPy's rule.
pub fn to_dtype(x: &Tensor, dtype: DType) -> Result<Tensor> {
    to_dtype_with(x, dtype, None, None)
}

/// As [`to_dtype`], with results written to `out…` where those are Some, in a stream.
pub fn to_dtype_with(
    x: &Tensor,
    dtype: DType,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_to_dtype(x.raw(), dtype.0, raw_or_null(out), raw_or_null(stream), result_made) })
}

/// a where condition ≠ 0, else b. The condition is u8, u32, i16, i32 or i64; a and b have the same dtype.
///
/// Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
/// common shape by NumPy's rule.
pub fn where_cond(condition: &Tensor, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    where_cond_with(condition, a, b, None, None)
}

/// As [`where_cond`], with results written to `out…` where those are Some, in a stream.
pub fn where_cond_with(
    condition: &Tensor,
    a: &Tensor,
    b: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_where_cond(
        condition.raw(),
        a.raw(),
        b.raw(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// A contiguous copy (candle's copy_strided_src and try_clone).
///
/// Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
/// common shape by NumPy's rule.
pub fn copy(x: &Tensor) -> Result<Tensor> {
    copy_with(x, None, None)
}

/// As [`copy`], with results written to `out…` where those are Some, in a stream.
pub fn copy_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_copy(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// Writes the elements of `source` into the view `destination` (any layout without overlap, same dtype and
/// shape) and nothing else of its storage. The two must not overlap in memory.
///
/// Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
/// common shape by NumPy's rule.
pub fn copy_into(destination: &Tensor, source: &Tensor) -> Result<()> {
    copy_into_with(destination, source, None)
}

/// As [`copy_into`], in a stream.
pub fn copy_into_with(destination: &Tensor, source: &Tensor, stream: Option<&Stream>) -> Result<()> {
    check(unsafe { c::kernelgen_copy_into(destination.raw(), source.raw(), raw_or_null(stream)) })
}

/// Copies `rows` rows of `columns` contiguous elements between contiguous tensors; row r starts at offset +
/// r · stride. Offsets and strides are in elements; strides are not negative. Destination rows must not
/// overlap, and all rows must be inside the tensors.
///
/// Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
/// common shape by NumPy's rule.
pub fn copy2d(
    destination: &Tensor,
    source: &Tensor,
    rows: i64,
    columns: i64,
    destination_stride: i64,
    source_stride: i64,
    destination_offset: i64,
    source_offset: i64,
) -> Result<()> {
    copy2d_with(destination, source, rows, columns, destination_stride, source_stride, destination_offset, source_offset, None)
}

/// As [`copy2d`], in a stream.
#[allow(clippy::too_many_arguments)]
pub fn copy2d_with(
    destination: &Tensor,
    source: &Tensor,
    rows: i64,
    columns: i64,
    destination_stride: i64,
    source_stride: i64,
    destination_offset: i64,
    source_offset: i64,
    stream: Option<&Stream>,
) -> Result<()> {
    check(unsafe { c::kernelgen_copy2d(
        destination.raw(),
        source.raw(),
        rows,
        columns,
        destination_stride,
        source_stride,
        destination_offset,
        source_offset,
        raw_or_null(stream),
    ) })
}

/// Sets every element of the view (any layout) and nothing else of its storage.
///
/// Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
/// common shape by NumPy's rule.
pub fn const_set(destination: &Tensor, value: impl Into<Scalar>) -> Result<()> {
    const_set_with(destination, value, None)
}

/// As [`const_set`], in a stream.
pub fn const_set_with(destination: &Tensor, value: impl Into<Scalar>, stream: Option<&Stream>) -> Result<()> {
    check(unsafe { c::kernelgen_const_set(destination.raw(), value.into().0, raw_or_null(stream)) })
}

/// Convolves \[b, c, h, w\] with the kernels \[o, c / groups, kh, kw\] (cross-correlation, as in common
/// frameworks). The result is \[b, o, (h + 2 · padding - dilation · (kh - 1) - 1) / stride + 1, and w
/// alike\]. Floating point; x and weight have one dtype. Sums are computed in f32, for f64 in f64, and
/// rounded once.
///
/// If the system has the libraries and they are faster, CUDA devices use cuDNN or cuBLASLt for f16, bf16,
/// f32 and f64, also for transposed convolutions, and HIP devices use MIOpen for f16, bf16 and f32. The
/// first call for given sizes, layout and alignment measures them and waits for the stream; make such a
/// call before you capture a graph. KERNELGEN_CUDNN_LIBRARY, KERNELGEN_MIOPEN_LIBRARY and the environment
/// variables of matmul() name the libraries to use instead, or `none`. Errors: Unsupported if a
/// named library cannot be opened, and DeviceError with the error that a library reports.
///
/// Images: \[batch, channels, height, width\], or \[batch, channels, length\] where stated. Each spatial dim
/// has fewer than 2^31 elements.
pub fn conv2d(x: &Tensor, weight: &Tensor, window: Window2) -> Result<Tensor> {
    conv2d_with(x, weight, window, None, None)
}

/// As [`conv2d`], with results written to `out…` where those are Some, in a stream.
pub fn conv2d_with(
    x: &Tensor,
    weight: &Tensor,
    window: Window2,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_conv2d(
        x.raw(),
        weight.raw(),
        window,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// As conv2d for x: \[b, c, l\] and weight: \[o, c / groups, k\].
///
/// Images: \[batch, channels, height, width\], or \[batch, channels, length\] where stated. Each spatial dim
/// has fewer than 2^31 elements.
pub fn conv1d(x: &Tensor, weight: &Tensor, window: Window1) -> Result<Tensor> {
    conv1d_with(x, weight, window, None, None)
}

/// As [`conv1d`], with results written to `out…` where those are Some, in a stream.
pub fn conv1d_with(
    x: &Tensor,
    weight: &Tensor,
    window: Window1,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_conv1d(
        x.raw(),
        weight.raw(),
        window,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// The gradient of conv2d with respect to its input: \[b, c, h, w\] with the kernels \[c, o / groups, kh, kw\]
/// gives \[b, o, (h - 1) · stride - 2 · padding + dilation · (kh - 1) + output_padding + 1, and w alike\].
/// Dtypes as conv2d.
///
/// Images: \[batch, channels, height, width\], or \[batch, channels, length\] where stated. Each spatial dim
/// has fewer than 2^31 elements.
pub fn conv_transpose2d(x: &Tensor, weight: &Tensor, window: Window2) -> Result<Tensor> {
    conv_transpose2d_with(x, weight, window, None, None)
}

/// As [`conv_transpose2d`], with results written to `out…` where those are Some, in a stream.
pub fn conv_transpose2d_with(
    x: &Tensor,
    weight: &Tensor,
    window: Window2,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_conv_transpose2d(
        x.raw(),
        weight.raw(),
        window,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// As conv_transpose2d for x: \[b, c, l\] and weight: \[c, o / groups, k\].
///
/// Images: \[batch, channels, height, width\], or \[batch, channels, length\] where stated. Each spatial dim
/// has fewer than 2^31 elements.
pub fn conv_transpose1d(x: &Tensor, weight: &Tensor, window: Window1) -> Result<Tensor> {
    conv_transpose1d_with(x, weight, window, None, None)
}

/// As [`conv_transpose1d`], with results written to `out…` where those are Some, in a stream.
pub fn conv_transpose1d_with(
    x: &Tensor,
    weight: &Tensor,
    window: Window1,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_conv_transpose1d(
        x.raw(),
        weight.raw(),
        window,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// The average of each window of `kernel` elements, with a step of `stride`, without padding: \[b, c, h, w\]
/// becomes \[b, c, (h - kernel.height) / stride.height + 1, (w - kernel.width) / stride.width + 1\]. Any
/// dtype; the average of integers is the 64-bit sum, divided toward zero.
///
/// Images: \[batch, channels, height, width\], or \[batch, channels, length\] where stated. Each spatial dim
/// has fewer than 2^31 elements.
pub fn avg_pool2d(x: &Tensor, kernel: impl Into<Size2>, stride: impl Into<Size2>) -> Result<Tensor> {
    avg_pool2d_with(x, kernel, stride, None, None)
}

/// As [`avg_pool2d`], with results written to `out…` where those are Some, in a stream.
pub fn avg_pool2d_with(
    x: &Tensor,
    kernel: impl Into<Size2>,
    stride: impl Into<Size2>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_avg_pool2d(
        x.raw(),
        kernel.into(),
        stride.into(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// The largest element of each window; NaN if the window has one. Otherwise as avg_pool2d.
///
/// Images: \[batch, channels, height, width\], or \[batch, channels, length\] where stated. Each spatial dim
/// has fewer than 2^31 elements.
pub fn max_pool2d(x: &Tensor, kernel: impl Into<Size2>, stride: impl Into<Size2>) -> Result<Tensor> {
    max_pool2d_with(x, kernel, stride, None, None)
}

/// As [`max_pool2d`], with results written to `out…` where those are Some, in a stream.
pub fn max_pool2d_with(
    x: &Tensor,
    kernel: impl Into<Size2>,
    stride: impl Into<Size2>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_max_pool2d(
        x.raw(),
        kernel.into(),
        stride.into(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Resizes \[b, c, l\]: element i is x's element min(floor(i · (l / length)), l - 1). Any dtype.
///
/// Images: \[batch, channels, height, width\], or \[batch, channels, length\] where stated. Each spatial dim
/// has fewer than 2^31 elements.
pub fn upsample_nearest1d(x: &Tensor, length: i64) -> Result<Tensor> {
    upsample_nearest1d_with(x, length, None, None)
}

/// As [`upsample_nearest1d`], with results written to `out…` where those are Some, in a stream.
pub fn upsample_nearest1d_with(
    x: &Tensor,
    length: i64,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_upsample_nearest1d(
        x.raw(),
        length,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Resizes \[b, c, h, w\], each dim as in upsample_nearest1d.
///
/// Images: \[batch, channels, height, width\], or \[batch, channels, length\] where stated. Each spatial dim
/// has fewer than 2^31 elements.
pub fn upsample_nearest2d(x: &Tensor, size: impl Into<Size2>) -> Result<Tensor> {
    upsample_nearest2d_with(x, size, None, None)
}

/// As [`upsample_nearest2d`], with results written to `out…` where those are Some, in a stream.
pub fn upsample_nearest2d_with(
    x: &Tensor,
    size: impl Into<Size2>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_upsample_nearest2d(
        x.raw(),
        size.into(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Resizes \[b, c, h, w\], interpolating between the four nearest elements, as PyTorch does. With
/// `align_corners` the centers of the corner elements coincide, otherwise the corners of the images. In the
/// latter case a given `scale` is used instead of size / (h, w), from which it may differ by rounding. Any
/// dtype; integers are computed in f64 and truncated.
///
/// Images: \[batch, channels, height, width\], or \[batch, channels, length\] where stated. Each spatial dim
/// has fewer than 2^31 elements.
pub fn upsample_bilinear2d(
    x: &Tensor,
    size: impl Into<Size2>,
    align_corners: bool,
    scale_height: Option<f64>,
    scale_width: Option<f64>,
) -> Result<Tensor> {
    upsample_bilinear2d_with(x, size, align_corners, scale_height, scale_width, None, None)
}

/// As [`upsample_bilinear2d`], with results written to `out…` where those are Some, in a stream.
pub fn upsample_bilinear2d_with(
    x: &Tensor,
    size: impl Into<Size2>,
    align_corners: bool,
    scale_height: Option<f64>,
    scale_width: Option<f64>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_upsample_bilinear2d(
        x.raw(),
        size.into(),
        c_int::from(align_corners),
        address(scale_height.as_ref()),
        address(scale_width.as_ref()),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// result\[i, j, …\] = x\[i, ids\[i, j, …\], …\], with the index in position `dim`. `ids` has x's rank and, in
/// dims other than `dim`, at most x's extents. The result has the shape of ids.
///
/// Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
/// all have any layout. A negative `dim` counts from the end.
///
/// An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
/// written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
/// to the host in it, reports IndexOutOfRange with the operation, the dim, its size and the
/// first such index of the earliest call.
pub fn gather(x: &Tensor, dim: i64, ids: &Tensor) -> Result<Tensor> {
    gather_with(x, dim, ids, None, None)
}

/// As [`gather`], with results written to `out…` where those are Some, in a stream.
pub fn gather_with(
    x: &Tensor,
    dim: i64,
    ids: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_gather(
        x.raw(),
        dim,
        ids.raw(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Concatenates the slices x\[…, ids\[i\], …\] along `dim`. `ids` has rank 1.
///
/// Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
/// all have any layout. A negative `dim` counts from the end.
///
/// An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
/// written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
/// to the host in it, reports IndexOutOfRange with the operation, the dim, its size and the
/// first such index of the earliest call.
pub fn index_select(x: &Tensor, dim: i64, ids: &Tensor) -> Result<Tensor> {
    index_select_with(x, dim, ids, None, None)
}

/// As [`index_select`], with results written to `out…` where those are Some, in a stream.
pub fn index_select_with(
    x: &Tensor,
    dim: i64,
    ids: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_index_select(
        x.raw(),
        dim,
        ids.raw(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// destination\[i, ids\[i, j, …\], …\] = source\[i, j, …\], in place; nothing else of the storage is written.
/// `ids` has the rank of both, at most the extents of source and, in dims other than `dim`, at most those
/// of destination. The elements of destination must not share memory. If indices are equal, the last one
/// along `dim` wins.
///
/// Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
/// all have any layout. A negative `dim` counts from the end.
///
/// An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
/// written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
/// to the host in it, reports IndexOutOfRange with the operation, the dim, its size and the
/// first such index of the earliest call.
pub fn scatter_set(destination: &Tensor, dim: i64, ids: &Tensor, source: &Tensor) -> Result<()> {
    scatter_set_with(destination, dim, ids, source, None)
}

/// As [`scatter_set`], in a stream.
pub fn scatter_set_with(
    destination: &Tensor,
    dim: i64,
    ids: &Tensor,
    source: &Tensor,
    stream: Option<&Stream>,
) -> Result<()> {
    check(unsafe { c::kernelgen_scatter_set(destination.raw(), dim, ids.raw(), source.raw(), raw_or_null(stream)) })
}

/// The same with +=. Integers wrap; bf16, f16 and f8e4m3 are added in f32 and rounded once. The order in
/// which floats are added may differ from call to call. With `deterministic` it is the order of the
/// indices, which may be slower.
///
/// Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
/// all have any layout. A negative `dim` counts from the end.
///
/// An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
/// written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
/// to the host in it, reports IndexOutOfRange with the operation, the dim, its size and the
/// first such index of the earliest call.
pub fn scatter_add_set(
    destination: &Tensor,
    dim: i64,
    ids: &Tensor,
    source: &Tensor,
    deterministic: bool,
) -> Result<()> {
    scatter_add_set_with(destination, dim, ids, source, deterministic, None)
}

/// As [`scatter_add_set`], in a stream.
pub fn scatter_add_set_with(
    destination: &Tensor,
    dim: i64,
    ids: &Tensor,
    source: &Tensor,
    deterministic: bool,
    stream: Option<&Stream>,
) -> Result<()> {
    check(unsafe { c::kernelgen_scatter_add_set(
        destination.raw(),
        dim,
        ids.raw(),
        source.raw(),
        c_int::from(deterministic),
        raw_or_null(stream),
    ) })
}

/// A copy of x with source\[…, i, …\] added to its slice \[…, ids\[i\], …\], as scatter_add_set adds. `ids` has
/// rank 1; `source` has x's shape, except for the length of ids along `dim`.
///
/// Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
/// all have any layout. A negative `dim` counts from the end.
///
/// An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
/// written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
/// to the host in it, reports IndexOutOfRange with the operation, the dim, its size and the
/// first such index of the earliest call.
pub fn index_add(x: &Tensor, dim: i64, ids: &Tensor, source: &Tensor, deterministic: bool) -> Result<Tensor> {
    index_add_with(x, dim, ids, source, deterministic, None, None)
}

/// As [`index_add`], with results written to `out…` where those are Some, in a stream.
pub fn index_add_with(
    x: &Tensor,
    dim: i64,
    ids: &Tensor,
    source: &Tensor,
    deterministic: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_index_add(
        x.raw(),
        dim,
        ids.raw(),
        source.raw(),
        c_int::from(deterministic),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// log Σ exp(logits) - logits\[target\] of each row. Logits are \[..., classes\], of any layout and rank 1 or
/// more; targets are \[...\] of u8, u32, i16, i32 or i64. Computed in f32, for f64 in f64, and rounded once,
/// without loss of precision for logits far from zero.
///
/// A target equal to the largest value of its type (255 for u8) has the loss 0. So does any other target
/// outside 0 … classes - 1, and the next wait for the stream, or copy to the host in it, reports
/// IndexOutOfRange.
///
/// If a row contains NaN, its log-sum-exp is NaN, and so is its loss unless set to 0 as above. If its
/// greatest logit is +inf, the log-sum-exp and the loss are +inf, but the loss is NaN if the target's logit
/// is +inf. If all its logits are -inf, the log-sum-exp is -inf and the loss NaN. In other rows, a target's
/// logit of -inf gives the loss +inf. Errors: InvalidArgument for rows without a logit. Results:
/// `loss`, one per row, of the logits' dtype; `log_sum_exp`, one per row, f64 for f64 logits, else f32;
/// empty unless requested.
///
/// Losses along the last dim, of any length but 0; floating point.
pub fn cross_entropy(logits: &Tensor, targets: &Tensor) -> Result<(Tensor, Tensor)> {
    cross_entropy_with(logits, targets, None, None, None)
}

/// As [`cross_entropy`], with results written to `out…` where those are Some, in a stream.
pub fn cross_entropy_with(
    logits: &Tensor,
    targets: &Tensor,
    out_loss: Option<&Tensor>,
    out_log_sum_exp: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<(Tensor, Tensor)> {
    made_both(|loss_made, log_sum_exp_made| unsafe { c::kernelgen_cross_entropy(
        logits.raw(),
        targets.raw(),
        raw_or_null(out_loss),
        raw_or_null(out_log_sum_exp),
        raw_or_null(stream),
        loss_made,
        log_sum_exp_made,
    ) })
}

/// The tensors one after the other along `dim`. They have one dtype, which may be quantized, and one shape,
/// except along `dim`, where any of them may be empty. Errors: InvalidArgument without tensors.
///
/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
/// negative `dim` counts from the end.
pub fn concat(tensors: &[&Tensor], dim: i64) -> Result<Tensor> {
    concat_with(tensors, dim, None, None)
}

/// As [`concat`], with results written to `out…` where those are Some, in a stream.
pub fn concat_with(
    tensors: &[&Tensor],
    dim: i64,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    let tensors: Vec<_> = tensors.iter().map(|each| each.raw() as *const c::Tensor).collect();
    made(|result_made| unsafe { c::kernelgen_concat(
        tensors.as_ptr(),
        tensors.len(),
        dim,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// As concat, along a new dim: result\[…, i, …\] is tensor i. The tensors have one shape. A negative `dim`
/// counts from the end of the result's shape.
///
/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
/// negative `dim` counts from the end.
pub fn stack(tensors: &[&Tensor], dim: i64) -> Result<Tensor> {
    stack_with(tensors, dim, None, None)
}

/// As [`stack`], with results written to `out…` where those are Some, in a stream.
pub fn stack_with(
    tensors: &[&Tensor],
    dim: i64,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    let tensors: Vec<_> = tensors.iter().map(|each| each.raw() as *const c::Tensor).collect();
    made(|result_made| unsafe { c::kernelgen_stack(
        tensors.as_ptr(),
        tensors.len(),
        dim,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// x with before\[i\] elements before and after\[i\] elements after it, all of them `value`, along each dim.
/// `before` and `after` have equally many numbers, none negative: one for each of x's last dims.
///
/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
/// negative `dim` counts from the end.
pub fn pad(x: &Tensor, before: &[i64], after: &[i64], value: impl Into<Scalar>) -> Result<Tensor> {
    pad_with(x, before, after, value, None, None)
}

/// As [`pad`], with results written to `out…` where those are Some, in a stream.
pub fn pad_with(
    x: &Tensor,
    before: &[i64],
    after: &[i64],
    value: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_pad(
        x.raw(),
        before.len(),
        before.as_ptr(),
        after.len(),
        after.as_ptr(),
        value.into().0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// As pad, with x mirrored at its first and last elements, which are not repeated: 3 2 \| 1 2 3 \| 2 1. Each
/// number must be less than x's extent.
///
/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
/// negative `dim` counts from the end.
pub fn pad_reflect(x: &Tensor, before: &[i64], after: &[i64]) -> Result<Tensor> {
    pad_reflect_with(x, before, after, None, None)
}

/// As [`pad_reflect`], with results written to `out…` where those are Some, in a stream.
pub fn pad_reflect_with(
    x: &Tensor,
    before: &[i64],
    after: &[i64],
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_pad_reflect(
        x.raw(),
        before.len(),
        before.as_ptr(),
        after.len(),
        after.as_ptr(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// As pad, with the nearest element of x: 1 1 \| 1 2 3 \| 3 3.
///
/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
/// negative `dim` counts from the end.
pub fn pad_replicate(x: &Tensor, before: &[i64], after: &[i64]) -> Result<Tensor> {
    pad_replicate_with(x, before, after, None, None)
}

/// As [`pad_replicate`], with results written to `out…` where those are Some, in a stream.
pub fn pad_replicate_with(
    x: &Tensor,
    before: &[i64],
    after: &[i64],
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_pad_replicate(
        x.raw(),
        before.len(),
        before.as_ptr(),
        after.len(),
        after.as_ptr(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// As pad, with the elements of the other end: 2 3 \| 1 2 3 \| 1 2. No number may exceed x's extent.
///
/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
/// negative `dim` counts from the end.
pub fn pad_circular(x: &Tensor, before: &[i64], after: &[i64]) -> Result<Tensor> {
    pad_circular_with(x, before, after, None, None)
}

/// As [`pad_circular`], with results written to `out…` where those are Some, in a stream.
pub fn pad_circular_with(
    x: &Tensor,
    before: &[i64],
    after: &[i64],
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_pad_circular(
        x.raw(),
        before.len(),
        before.as_ptr(),
        after.len(),
        after.as_ptr(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// x with its elements moved along dims\[k\] by shifts\[k\], those past an end to the other end: element i goes
/// to (i + shift) mod extent. A shift may be negative; shifts of one dim add up.
///
/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
/// negative `dim` counts from the end.
pub fn roll(x: &Tensor, shifts: &[i64], dims: &[i64]) -> Result<Tensor> {
    roll_with(x, shifts, dims, None, None)
}

/// As [`roll`], with results written to `out…` where those are Some, in a stream.
pub fn roll_with(
    x: &Tensor,
    shifts: &[i64],
    dims: &[i64],
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_roll(
        x.raw(),
        shifts.len(),
        shifts.as_ptr(),
        dims.len(),
        dims.as_ptr(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// x with `value` in place of the elements of each matrix (the last two dims) that are more than `diagonal`
/// columns right of the main diagonal, as in a causal mask. A negative `diagonal` counts to the left. `out`
/// may be x itself if it is contiguous.
///
/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
/// negative `dim` counts from the end.
pub fn tril(x: &Tensor, diagonal: i64, value: impl Into<Scalar>) -> Result<Tensor> {
    tril_with(x, diagonal, value, None, None)
}

/// As [`tril`], with results written to `out…` where those are Some, in a stream.
pub fn tril_with(
    x: &Tensor,
    diagonal: i64,
    value: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_tril(
        x.raw(),
        diagonal,
        value.into().0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// As tril, for the elements that are fewer than `diagonal` columns right of the main diagonal.
///
/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
/// negative `dim` counts from the end.
pub fn triu(x: &Tensor, diagonal: i64, value: impl Into<Scalar>) -> Result<Tensor> {
    triu_with(x, diagonal, value, None, None)
}

/// As [`triu`], with results written to `out…` where those are Some, in a stream.
pub fn triu_with(
    x: &Tensor,
    diagonal: i64,
    value: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_triu(
        x.raw(),
        diagonal,
        value.into().0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Matrices with the rows of x as their diagonals, zero elsewhere: \[..., n\] becomes \[..., n, n\].
///
/// Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
/// negative `dim` counts from the end.
pub fn diag(x: &Tensor) -> Result<Tensor> {
    diag_with(x, None, None)
}

/// As [`diag`], with results written to `out…` where those are Some, in a stream.
pub fn diag_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_diag(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// y\[…, i, j\] = Σ_t a\[…, i, t\] · b\[…, t, j\] for a of shape \[batch…, m, k\] and b of \[batch…, k, n\], both of
/// one dtype and of rank 2 or more. Batch dims are broadcast by NumPy's rule. Sums are accumulated in f32,
/// for f64 in f64, and rounded once; k = 0 gives zeros. `out` must not overlap an input.
///
/// f16 and bf16 give f32, the sums without rounding, if `out` is f32. a may then be f32 itself, with or
/// without `out`: it is rounded to b's dtype first, as activations are for 16-bit weights.
///
/// On the CPU, large f32 and f64 products use OpenBLAS, MKL or BLIS if the system has one of them. CUDA
/// devices use cuBLASLt for most f16, bf16, f32 and f64 products, HIP devices hipBLASLt or rocBLAS. The
/// environment variables KERNELGEN_BLAS_LIBRARY, KERNELGEN_CUBLASLT_LIBRARY, KERNELGEN_HIPBLASLT_LIBRARY
/// and KERNELGEN_ROCBLAS_LIBRARY name the library to use instead, or `none`. Errors: Unsupported
/// if a named library cannot be opened, and DeviceError with the error that a library reports. A
/// BLAS uses its own threads.
///
/// Matrix products: bf16, f16, f32, f64, f8e4m3.
pub fn matmul(a: &Tensor, b: &Tensor) -> Result<Tensor> {
    matmul_with(a, b, None, None)
}

/// As [`matmul`], with results written to `out…` where those are Some, in a stream.
pub fn matmul_with(a: &Tensor, b: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_matmul(a.raw(), b.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// exp(x - max) / sum of exp(x - max).
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn softmax(x: &Tensor) -> Result<Tensor> {
    softmax_with(x, None, None)
}

/// As [`softmax`], with results written to `out…` where those are Some, in a stream.
pub fn softmax_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_softmax(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// softmax of scale · x + slope · mask, computed without rounding those; for x of f64 in f64. A row whose
/// elements are all masked gives NaN, with a sink zeros. `mask`: f16 or f32, broadcast to x's shape by
/// NumPy's rule; -inf masks an element. `slopes`: f32 \[heads\], where x is \[..., heads, rows, columns\]:
/// factors of the mask, as in ALiBi. `sinks`: f32 \[heads\]: an additional logit of each row, which is not
/// scaled and whose result is not stored.
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn scaled_softmax(
    x: &Tensor,
    scale: f64,
    mask: Option<&Tensor>,
    slopes: Option<&Tensor>,
    sinks: Option<&Tensor>,
) -> Result<Tensor> {
    scaled_softmax_with(x, scale, mask, slopes, sinks, None, None)
}

/// As [`scaled_softmax`], with results written to `out…` where those are Some, in a stream.
pub fn scaled_softmax_with(
    x: &Tensor,
    scale: f64,
    mask: Option<&Tensor>,
    slopes: Option<&Tensor>,
    sinks: Option<&Tensor>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_scaled_softmax(
        x.raw(),
        scale,
        raw_or_null(mask),
        raw_or_null(slopes),
        raw_or_null(sinks),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// The logarithm of softmax, computed without rounding softmax first.
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn log_softmax(x: &Tensor) -> Result<Tensor> {
    log_softmax_with(x, None, None)
}

/// As [`log_softmax`], with results written to `out…` where those are Some, in a stream.
pub fn log_softmax_with(x: &Tensor, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_log_softmax(x.raw(), raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x / sqrt(mean of x² + eps) · weight. `weight` has the last dim's length and x's dtype. eps is rounded to
/// f32, or is f64 for x of f64, and must then be finite and not negative.
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn rms_norm(x: &Tensor, weight: &Tensor, eps: f64) -> Result<Tensor> {
    rms_norm_with(x, weight, eps, None, None)
}

/// As [`rms_norm`], with results written to `out…` where those are Some, in a stream.
pub fn rms_norm_with(
    x: &Tensor,
    weight: &Tensor,
    eps: f64,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_rms_norm(
        x.raw(),
        weight.raw(),
        eps,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// (x - mean) / sqrt(variance + eps) · weight + bias, where the variance is the mean of the squared
/// deviations from the mean. `weight`, `bias` and eps as in rms_norm.
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn layer_norm(x: &Tensor, weight: &Tensor, bias: &Tensor, eps: f64) -> Result<Tensor> {
    layer_norm_with(x, weight, bias, eps, None, None)
}

/// As [`layer_norm`], with results written to `out…` where those are Some, in a stream.
pub fn layer_norm_with(
    x: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    eps: f64,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_layer_norm(
        x.raw(),
        weight.raw(),
        bias.raw(),
        eps,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// rms_norm and layer_norm without weights.
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn plain_rms_norm(x: &Tensor, eps: f64) -> Result<Tensor> {
    plain_rms_norm_with(x, eps, None, None)
}

/// As [`plain_rms_norm`], with results written to `out…` where those are Some, in a stream.
pub fn plain_rms_norm_with(
    x: &Tensor,
    eps: f64,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_plain_rms_norm(x.raw(), eps, raw_or_null(out), raw_or_null(stream), result_made) })
}

/// rms_norm and layer_norm without weights.
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn plain_layer_norm(x: &Tensor, eps: f64) -> Result<Tensor> {
    plain_layer_norm_with(x, eps, None, None)
}

/// As [`plain_layer_norm`], with results written to `out…` where those are Some, in a stream.
pub fn plain_layer_norm_with(
    x: &Tensor,
    eps: f64,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_plain_layer_norm(x.raw(), eps, raw_or_null(out), raw_or_null(stream), result_made) })
}

/// x / max(sqrt(sum of x²), eps): rows of norm 1. eps as in rms_norm.
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn l2_norm(x: &Tensor, eps: f64) -> Result<Tensor> {
    l2_norm_with(x, eps, None, None)
}

/// As [`l2_norm`], with results written to `out…` where those are Some, in a stream.
pub fn l2_norm_with(x: &Tensor, eps: f64, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_l2_norm(x.raw(), eps, raw_or_null(out), raw_or_null(stream), result_made) })
}

/// plain_layer_norm of groups of channels, together with the dims after those: x is \[batch, channels, ...\],
/// and the channels are a multiple of `groups`.
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn group_norm(x: &Tensor, groups: i64, eps: f64) -> Result<Tensor> {
    group_norm_with(x, groups, eps, None, None)
}

/// As [`group_norm`], with results written to `out…` where those are Some, in a stream.
pub fn group_norm_with(
    x: &Tensor,
    groups: i64,
    eps: f64,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_group_norm(
        x.raw(),
        groups,
        eps,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// x + residual and its rms_norm, in one pass over memory. `residual` has x's shape and dtype, in any
/// layout; `weight` and eps as in rms_norm. Results: `sum`, x + residual, rounded to their dtype; `norm`,
/// norm of the sum before that rounding.
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn add_rms_norm(x: &Tensor, residual: &Tensor, weight: &Tensor, eps: f64) -> Result<(Tensor, Tensor)> {
    add_rms_norm_with(x, residual, weight, eps, None, None, None)
}

/// As [`add_rms_norm`], with results written to `out…` where those are Some, in a stream.
pub fn add_rms_norm_with(
    x: &Tensor,
    residual: &Tensor,
    weight: &Tensor,
    eps: f64,
    out_sum: Option<&Tensor>,
    out_norm: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<(Tensor, Tensor)> {
    made_both(|sum_made, norm_made| unsafe { c::kernelgen_add_rms_norm(
        x.raw(),
        residual.raw(),
        weight.raw(),
        eps,
        raw_or_null(out_sum),
        raw_or_null(out_norm),
        raw_or_null(stream),
        sum_made,
        norm_made,
    ) })
}

/// x + residual and its layer_norm, as add_rms_norm; `weight`, `bias` and eps as in layer_norm. Results:
/// `sum`, x + residual, rounded to their dtype; `norm`, norm of the sum before that rounding.
///
/// Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
/// Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
/// contiguous.
pub fn add_layer_norm(
    x: &Tensor,
    residual: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    eps: f64,
) -> Result<(Tensor, Tensor)> {
    add_layer_norm_with(x, residual, weight, bias, eps, None, None, None)
}

/// As [`add_layer_norm`], with results written to `out…` where those are Some, in a stream.
#[allow(clippy::too_many_arguments)]
pub fn add_layer_norm_with(
    x: &Tensor,
    residual: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    eps: f64,
    out_sum: Option<&Tensor>,
    out_norm: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<(Tensor, Tensor)> {
    made_both(|sum_made, norm_made| unsafe { c::kernelgen_add_layer_norm(
        x.raw(),
        residual.raw(),
        weight.raw(),
        bias.raw(),
        eps,
        raw_or_null(out_sum),
        raw_or_null(out_norm),
        raw_or_null(stream),
        sum_made,
        norm_made,
    ) })
}

/// Quantizes x of f32, f16 or bf16, any layout, rank 1 or more, to `format`, any quantized dtype but the
/// iq1, iq2 and iq3 formats. The result is identical, byte for byte, to that of ggml's reference
/// (quantize_row_*_ref) on x86 without contraction, also for blocks with infinities. A NaN's payload is
/// ignored (ggml's K formats derive codes from it); if a scale is NaN, its bits may differ from ggml's.
///
/// Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
/// few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
/// is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
/// blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
pub fn quantize(x: &Tensor, format: DType) -> Result<Tensor> {
    quantize_with(x, format, None, None)
}

/// As [`quantize`], with results written to `out…` where those are Some, in a stream.
pub fn quantize_with(
    x: &Tensor,
    format: DType,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_quantize(x.raw(), format.0, raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The elements of x, any view, as f32, f16 or bf16: bit for bit those of ggml's dequantize_row_*, rounded
/// once.
///
/// Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
/// few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
/// is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
/// blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
pub fn dequantize(x: &Tensor, dtype: DType) -> Result<Tensor> {
    dequantize_with(x, dtype, None, None)
}

/// As [`dequantize`], with results written to `out…` where those are Some, in a stream.
pub fn dequantize_with(
    x: &Tensor,
    dtype: DType,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_dequantize(x.raw(), dtype.0, raw_or_null(out), raw_or_null(stream), result_made) })
}

/// The rows of table \[rows, n\], quantized or f32, f16 or bf16, selected by ids, as f32, f16 or bf16:
/// ids.shape + \[n\]. ids are u8, u32, i16, i32 or i64, of any shape and layout. An id equal to the largest
/// value of its type gives zeros. So does any other id outside 0 … rows - 1, and the next wait for the
/// stream, or copy to the host in it, reports IndexOutOfRange.
///
/// Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
/// few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
/// is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
/// blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
pub fn get_rows(table: &Tensor, ids: &Tensor, dtype: DType) -> Result<Tensor> {
    get_rows_with(table, ids, dtype, None, None)
}

/// As [`get_rows`], with results written to `out…` where those are Some, in a stream.
pub fn get_rows_with(
    table: &Tensor,
    ids: &Tensor,
    dtype: DType,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_get_rows(
        table.raw(),
        ids.raw(),
        dtype.0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// destination\[..., ids\[..., i\], :\] = source\[..., i, :\], in place, converted to destination's dtype: f32,
/// f16, bf16 or quantized as by quantize. `source` \[..., m, n\] is f32, f16 or bf16; destination is \[...,
/// rows, n\], with the same dims before those; ids, of u8, u32, i16, i32 or i64, are broadcast to \[..., m\]
/// by NumPy's rule. All have any layout; rows of destination must not share memory. An id equal to the
/// largest value of its type is skipped; so is any other id outside 0 … rows - 1, which is reported as by
/// get_rows. If ids are equal, any of their rows may win.
///
/// Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
/// few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
/// is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
/// blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
pub fn set_rows(destination: &Tensor, ids: &Tensor, source: &Tensor) -> Result<()> {
    set_rows_with(destination, ids, source, None)
}

/// As [`set_rows`], in a stream.
pub fn set_rows_with(
    destination: &Tensor,
    ids: &Tensor,
    source: &Tensor,
    stream: Option<&Stream>,
) -> Result<()> {
    check(unsafe { c::kernelgen_set_rows(destination.raw(), ids.raw(), source.raw(), raw_or_null(stream)) })
}

/// x Wᵀ for x \[..., n\] of f32, f16 or bf16 and any layout, and quantized weights W \[rows, n\]. The result is
/// \[..., rows\], of x's dtype. If x has few rows, they are quantized to 8 bits with a scale for each 32
/// elements and multiplied in integers. If it has many, the product is computed in bf16 on devices with
/// bf16 matrix instructions. The error before the result is rounded is, in both cases, at most half a step
/// of those 8 bits times Σ\|w\| for each 32 elements, plus that of sums in f32. A row of x with a NaN gives
/// NaN; one with an infinity gives no finite numbers.
///
/// Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
/// few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
/// is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
/// blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
pub fn quantized_matmul(x: &Tensor, weights: &Tensor) -> Result<Tensor> {
    quantized_matmul_with(x, weights, None, None)
}

/// As [`quantized_matmul`], with results written to `out…` where those are Some, in a stream.
pub fn quantized_matmul_with(
    x: &Tensor,
    weights: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_quantized_matmul(
        x.raw(),
        weights.raw(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// The same with a matrix per result, as in mixtures of experts: y\[t, j\] = x\[t, j\] W\[ids\[t, j\]\]ᵀ. x is
/// \[tokens, k, n\], or \[tokens, 1, n\] if the k results of a token share a row; W is \[experts, rows, n\],
/// quantized or f32, f16 or bf16, to which x is rounded; ids are \[tokens, k\] of u8, u32, i16, i32 or i64. y
/// is \[tokens, k, rows\]. Out of range, they give zeros and are reported as by get_rows.
///
/// Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
/// few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
/// is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
/// blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
pub fn indexed_matmul(x: &Tensor, weights: &Tensor, ids: &Tensor) -> Result<Tensor> {
    indexed_matmul_with(x, weights, ids, None, None)
}

/// As [`indexed_matmul`], with results written to `out…` where those are Some, in a stream.
pub fn indexed_matmul_with(
    x: &Tensor,
    weights: &Tensor,
    ids: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_indexed_matmul(
        x.raw(),
        weights.raw(),
        ids.raw(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Uniformly distributed in \[low, high). Both bounds must be finite and differ in that dtype. Results are
/// rounded down, which keeps them in that range for every dtype.
///
/// Random numbers, the same on every device: element i depends only on the device's seed, on the number of
/// these calls since set_seed, and on i. Floating point.
pub fn rand_uniform(
    device: &Device,
    shape: &[i64],
    dtype: DType,
    low: impl Into<Scalar>,
    high: impl Into<Scalar>,
) -> Result<Tensor> {
    rand_uniform_with(device, shape, dtype, low, high, None, None)
}

/// As [`rand_uniform`], with results written to `out…` where those are Some, in a stream.
pub fn rand_uniform_with(
    device: &Device,
    shape: &[i64],
    dtype: DType,
    low: impl Into<Scalar>,
    high: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_rand_uniform(
        device.raw(),
        shape.len(),
        shape.as_ptr(),
        dtype.0,
        low.into().0,
        high.into().0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Normally distributed. `deviation` must not be negative.
///
/// Random numbers, the same on every device: element i depends only on the device's seed, on the number of
/// these calls since set_seed, and on i. Floating point.
pub fn rand_normal(
    device: &Device,
    shape: &[i64],
    dtype: DType,
    mean: impl Into<Scalar>,
    deviation: impl Into<Scalar>,
) -> Result<Tensor> {
    rand_normal_with(device, shape, dtype, mean, deviation, None, None)
}

/// As [`rand_normal`], with results written to `out…` where those are Some, in a stream.
pub fn rand_normal_with(
    device: &Device,
    shape: &[i64],
    dtype: DType,
    mean: impl Into<Scalar>,
    deviation: impl Into<Scalar>,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_rand_normal(
        device.raw(),
        shape.len(),
        shape.as_ptr(),
        dtype.0,
        mean.into().0,
        deviation.into().0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// For each sequence b and head h, token by token, with a matrix S \[V, K\]:
///
/// S = S · diag(decay\[b, t, h\]) + (S removal\[b, t, h\]) insertion\[b, t, h\]ᵀ + v\[b, t, h\] k\[b, t, h\]ᵀ, y\[b,
/// t, h\] = scale · S q\[b, t, h\], or with a bonus y\[b, t, h\] = scale · (S + v (bonus\[h\] · k)ᵀ) q of the S
/// before the token.
///
/// `S removal` is of the S before the token, too. q and k are \[B, T, H, K\], or have G heads of which H is a
/// multiple; v is \[B, T, H, V\]; y is \[B, T, H, V\]. `state` \[B, H, V, K\], contiguous or with each S
/// transposed in memory, has the S before the first token, and those after the last when the work is done.
/// Operands are f32, of any layout; sums are in f32. K is at most 2048. `out` must not overlap an operand,
/// nor `state` any other but a `before` in the same memory. `decay`: \[B, T, H, K\], or \[B, T, H, 1\] for one
/// factor of all elements; 1 by default. `rates`: \[H, K\] or \[H, 1\]. If given, the factors are exp(decay ·
/// rates). `removal`: \[B, T, H, K\], both or neither. `bonus`: \[H, K\]: y is computed of the state before the
/// token's decay, and of the token weighted with the bonus. `delta`: \[B, T, H, 1\], without a removal and a
/// bonus: factors of the delta rule, by which v becomes delta · (v - S k), with the S after the token's
/// decay. `before`: \[B, H, V, K\], in state's layout: the S before the first token, in place of `state`'s,
/// which then is only written. `before_ids`: \[B\], integers, with a `before` of \[N, H, V, K\] apart from
/// `state`: which of its N a sequence starts from. The largest number of the dtype means zeros, and any
/// other without a state is reported when the stream is waited for (Code::index_out_of_range).
/// `discretize`: Mamba's discretization: Δ = softplus(decay), with a decay of \[B, T, H, 1\]. Requires rates;
/// v is multiplied by Δ. `tile_heads`: Whether head h takes head h mod G of q and k if those have G heads,
/// instead of h / (H / G).
///
/// Linear recurrences: RWKV-6 and -7, Mamba and Mamba-2, gated linear attention, gated delta networks. f32.
pub fn linear_recurrence(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    state: &Tensor,
    decay: Option<&Tensor>,
    rates: Option<&Tensor>,
    removal: Option<&Tensor>,
    insertion: Option<&Tensor>,
    bonus: Option<&Tensor>,
    scale: f64,
    delta: Option<&Tensor>,
    before: Option<&Tensor>,
    before_ids: Option<&Tensor>,
    discretize: bool,
    tile_heads: bool,
) -> Result<Tensor> {
    linear_recurrence_with(q, k, v, state, decay, rates, removal, insertion, bonus, scale, delta, before, before_ids, discretize, tile_heads, None, None)
}

/// As [`linear_recurrence`], with results written to `out…` where those are Some, in a stream.
#[allow(clippy::too_many_arguments)]
pub fn linear_recurrence_with(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    state: &Tensor,
    decay: Option<&Tensor>,
    rates: Option<&Tensor>,
    removal: Option<&Tensor>,
    insertion: Option<&Tensor>,
    bonus: Option<&Tensor>,
    scale: f64,
    delta: Option<&Tensor>,
    before: Option<&Tensor>,
    before_ids: Option<&Tensor>,
    discretize: bool,
    tile_heads: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_linear_recurrence(
        q.raw(),
        k.raw(),
        v.raw(),
        state.raw(),
        raw_or_null(decay),
        raw_or_null(rates),
        raw_or_null(removal),
        raw_or_null(insertion),
        raw_or_null(bonus),
        scale,
        raw_or_null(delta),
        raw_or_null(before),
        raw_or_null(before_ids),
        c_int::from(discretize),
        c_int::from(tile_heads),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Integers are summed in 64 bits and wrap. An empty reduction gives 0.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn sum(x: &Tensor, dims: &[i64], keep_dims: bool) -> Result<Tensor> {
    sum_with(x, dims, keep_dims, None, None)
}

/// As [`sum`], with results written to `out…` where those are Some, in a stream.
pub fn sum_with(
    x: &Tensor,
    dims: &[i64],
    keep_dims: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_sum(
        x.raw(),
        dims.len(),
        dims.as_ptr(),
        c_int::from(keep_dims),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Integers: the sum in 64 bits, divided toward zero. An empty reduction gives NaN, for integers 0.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn mean(x: &Tensor, dims: &[i64], keep_dims: bool) -> Result<Tensor> {
    mean_with(x, dims, keep_dims, None, None)
}

/// As [`mean`], with results written to `out…` where those are Some, in a stream.
pub fn mean_with(
    x: &Tensor,
    dims: &[i64],
    keep_dims: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_mean(
        x.raw(),
        dims.len(),
        dims.as_ptr(),
        c_int::from(keep_dims),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// An empty reduction gives 1.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn prod(x: &Tensor, dims: &[i64], keep_dims: bool) -> Result<Tensor> {
    prod_with(x, dims, keep_dims, None, None)
}

/// As [`prod`], with results written to `out…` where those are Some, in a stream.
pub fn prod_with(
    x: &Tensor,
    dims: &[i64],
    keep_dims: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_prod(
        x.raw(),
        dims.len(),
        dims.as_ptr(),
        c_int::from(keep_dims),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// If an element is NaN, the result is NaN. Errors: InvalidArgument for an empty reduction.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn min(x: &Tensor, dims: &[i64], keep_dims: bool) -> Result<Tensor> {
    min_with(x, dims, keep_dims, None, None)
}

/// As [`min`], with results written to `out…` where those are Some, in a stream.
pub fn min_with(
    x: &Tensor,
    dims: &[i64],
    keep_dims: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_min(
        x.raw(),
        dims.len(),
        dims.as_ptr(),
        c_int::from(keep_dims),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// If an element is NaN, the result is NaN. Errors: InvalidArgument for an empty reduction.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn max(x: &Tensor, dims: &[i64], keep_dims: bool) -> Result<Tensor> {
    max_with(x, dims, keep_dims, None, None)
}

/// As [`max`], with results written to `out…` where those are Some, in a stream.
pub fn max_with(
    x: &Tensor,
    dims: &[i64],
    keep_dims: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_max(
        x.raw(),
        dims.len(),
        dims.as_ptr(),
        c_int::from(keep_dims),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// u8: 1 if any element, or all elements, differ from zero, as NaN does. An empty reduction gives 0 for
/// any, 1 for all.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn any(x: &Tensor, dims: &[i64], keep_dims: bool) -> Result<Tensor> {
    any_with(x, dims, keep_dims, None, None)
}

/// As [`any`], with results written to `out…` where those are Some, in a stream.
pub fn any_with(
    x: &Tensor,
    dims: &[i64],
    keep_dims: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_any(
        x.raw(),
        dims.len(),
        dims.as_ptr(),
        c_int::from(keep_dims),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// u8: 1 if any element, or all elements, differ from zero, as NaN does. An empty reduction gives 0 for
/// any, 1 for all.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn all(x: &Tensor, dims: &[i64], keep_dims: bool) -> Result<Tensor> {
    all_with(x, dims, keep_dims, None, None)
}

/// As [`all`], with results written to `out…` where those are Some, in a stream.
pub fn all_with(
    x: &Tensor,
    dims: &[i64],
    keep_dims: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_all(
        x.raw(),
        dims.len(),
        dims.as_ptr(),
        c_int::from(keep_dims),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// u32: the index along `dim` of the least (argmin) or greatest (argmax) element; without `dim` the index
/// among all elements in row-major order. Of equal elements it is the first; of NaNs, which win over
/// numbers, the first NaN. Errors: InvalidArgument for an empty reduction, and for more than
/// 2^32 - 1 elements along the reduced extent.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn argmin(x: &Tensor, dim: Option<i64>, keep_dims: bool) -> Result<Tensor> {
    argmin_with(x, dim, keep_dims, None, None)
}

/// As [`argmin`], with results written to `out…` where those are Some, in a stream.
pub fn argmin_with(
    x: &Tensor,
    dim: Option<i64>,
    keep_dims: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_argmin(
        x.raw(),
        address(dim.as_ref()),
        c_int::from(keep_dims),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// u32: the index along `dim` of the least (argmin) or greatest (argmax) element; without `dim` the index
/// among all elements in row-major order. Of equal elements it is the first; of NaNs, which win over
/// numbers, the first NaN. Errors: InvalidArgument for an empty reduction, and for more than
/// 2^32 - 1 elements along the reduced extent.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn argmax(x: &Tensor, dim: Option<i64>, keep_dims: bool) -> Result<Tensor> {
    argmax_with(x, dim, keep_dims, None, None)
}

/// As [`argmax`], with results written to `out…` where those are Some, in a stream.
pub fn argmax_with(
    x: &Tensor,
    dim: Option<i64>,
    keep_dims: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_argmax(
        x.raw(),
        address(dim.as_ref()),
        c_int::from(keep_dims),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// The least or greatest element along `dim`, or of all elements, and its index as argmin or argmax gives
/// it, in one pass. Of equal elements it is the first; the first NaN wins over numbers and is returned
/// quiet; a zero may lose its sign. Errors as argmin and argmax. Results: `values`, of the input's dtype;
/// `indices`, u32.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn min_with_index(x: &Tensor, dim: Option<i64>, keep_dims: bool) -> Result<(Tensor, Tensor)> {
    min_with_index_with(x, dim, keep_dims, None, None, None)
}

/// As [`min_with_index`], with results written to `out…` where those are Some, in a stream.
pub fn min_with_index_with(
    x: &Tensor,
    dim: Option<i64>,
    keep_dims: bool,
    out_values: Option<&Tensor>,
    out_indices: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<(Tensor, Tensor)> {
    made_both(|values_made, indices_made| unsafe { c::kernelgen_min_with_index(
        x.raw(),
        address(dim.as_ref()),
        c_int::from(keep_dims),
        raw_or_null(out_values),
        raw_or_null(out_indices),
        raw_or_null(stream),
        values_made,
        indices_made,
    ) })
}

/// The least or greatest element along `dim`, or of all elements, and its index as argmin or argmax gives
/// it, in one pass. Of equal elements it is the first; the first NaN wins over numbers and is returned
/// quiet; a zero may lose its sign. Errors as argmin and argmax. Results: `values`, of the input's dtype;
/// `indices`, u32.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn max_with_index(x: &Tensor, dim: Option<i64>, keep_dims: bool) -> Result<(Tensor, Tensor)> {
    max_with_index_with(x, dim, keep_dims, None, None, None)
}

/// As [`max_with_index`], with results written to `out…` where those are Some, in a stream.
pub fn max_with_index_with(
    x: &Tensor,
    dim: Option<i64>,
    keep_dims: bool,
    out_values: Option<&Tensor>,
    out_indices: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<(Tensor, Tensor)> {
    made_both(|values_made, indices_made| unsafe { c::kernelgen_max_with_index(
        x.raw(),
        address(dim.as_ref()),
        c_int::from(keep_dims),
        raw_or_null(out_values),
        raw_or_null(out_indices),
        raw_or_null(stream),
        values_made,
        indices_made,
    ) })
}

/// A reduction of the device's packages by name, the library's or one that a manifest defines ("reduce").
/// Errors: NotFound with the nearest name; for an empty reduction by a functor with "state"
/// extreme or index InvalidArgument.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn reduce(operation: &str, x: &Tensor, dims: &[i64], keep_dims: bool) -> Result<Tensor> {
    reduce_with(operation, x, dims, keep_dims, None, None)
}

/// As [`reduce`], with results written to `out…` where those are Some, in a stream.
pub fn reduce_with(
    operation: &str,
    x: &Tensor,
    dims: &[i64],
    keep_dims: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    let operation = text(operation, "operation")?;
    made(|result_made| unsafe { c::kernelgen_reduce(
        operation.as_ptr(),
        x.raw(),
        dims.len(),
        dims.as_ptr(),
        c_int::from(keep_dims),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// As reduce(), for a reduction of several inputs, which are broadcast to a common shape with these dims,
/// or with scalars. Errors: InvalidArgument if there are others than the manifest has.
///
/// Reductions along any dims of any layout.
///
/// Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
/// those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
/// each element with 0).
///
/// Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
/// terms is below (4 + 2·log2 n + n/512) · u · Σ\|terms\|, where u is the unit roundoff of the accumulator:
/// f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
pub fn reduce_inputs(
    operation: &str,
    inputs: &[&Tensor],
    dims: &[i64],
    keep_dims: bool,
    scalars: &[Scalar],
) -> Result<Tensor> {
    reduce_inputs_with(operation, inputs, dims, keep_dims, scalars, None, None)
}

/// As [`reduce_inputs`], with results written to `out…` where those are Some, in a stream.
pub fn reduce_inputs_with(
    operation: &str,
    inputs: &[&Tensor],
    dims: &[i64],
    keep_dims: bool,
    scalars: &[Scalar],
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    let operation = text(operation, "operation")?;
    let inputs: Vec<_> = inputs.iter().map(|each| each.raw() as *const c::Tensor).collect();
    made(|result_made| unsafe { c::kernelgen_reduce_inputs(
        operation.as_ptr(),
        inputs.as_ptr(),
        inputs.len(),
        dims.len(),
        dims.as_ptr(),
        c_int::from(keep_dims),
        scalars.as_ptr().cast(),
        scalars.len(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// x: \[batch, heads, positions, d\]. Elements i and i + d/2 form a pair (a, b), which becomes (a · cos - b ·
/// sin, a · sin + b · cos).
///
/// Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
/// cos and sin are \[positions, d / 2\] or \[batch, positions, d / 2\], with at least as many positions as x; d
/// is even.
pub fn rope(x: &Tensor, cos: &Tensor, sin: &Tensor) -> Result<Tensor> {
    rope_with(x, cos, sin, None, None)
}

/// As [`rope`], with results written to `out…` where those are Some, in a stream.
pub fn rope_with(
    x: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_rope(
        x.raw(),
        cos.raw(),
        sin.raw(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// As rope, but elements 2i and 2i + 1 form a pair.
///
/// Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
/// cos and sin are \[positions, d / 2\] or \[batch, positions, d / 2\], with at least as many positions as x; d
/// is even.
pub fn rope_i(x: &Tensor, cos: &Tensor, sin: &Tensor) -> Result<Tensor> {
    rope_i_with(x, cos, sin, None, None)
}

/// As [`rope_i`], with results written to `out…` where those are Some, in a stream.
pub fn rope_i_with(
    x: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_rope_i(
        x.raw(),
        cos.raw(),
        sin.raw(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// As rope for x: \[batch, positions, heads, d\].
///
/// Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
/// cos and sin are \[positions, d / 2\] or \[batch, positions, d / 2\], with at least as many positions as x; d
/// is even.
pub fn rope_thd(x: &Tensor, cos: &Tensor, sin: &Tensor) -> Result<Tensor> {
    rope_thd_with(x, cos, sin, None, None)
}

/// As [`rope_thd`], with results written to `out…` where those are Some, in a stream.
pub fn rope_thd_with(
    x: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_rope_thd(
        x.raw(),
        cos.raw(),
        sin.raw(),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// Applies rope to queries and keys with the same angles, in one launch. The results are bit-identical to
/// those of two calls. q and k have one dtype and d and may differ in all other dims: \[batch, heads,
/// positions, d\] each. Results: `q_result`; `k_result`.
///
/// Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
/// cos and sin are \[positions, d / 2\] or \[batch, positions, d / 2\], with at least as many positions as x; d
/// is even.
pub fn rope_qk(q: &Tensor, k: &Tensor, cos: &Tensor, sin: &Tensor) -> Result<(Tensor, Tensor)> {
    rope_qk_with(q, k, cos, sin, None, None, None)
}

/// As [`rope_qk`], with results written to `out…` where those are Some, in a stream.
pub fn rope_qk_with(
    q: &Tensor,
    k: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    out_q: Option<&Tensor>,
    out_k: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<(Tensor, Tensor)> {
    made_both(|q_result_made, k_result_made| unsafe { c::kernelgen_rope_qk(
        q.raw(),
        k.raw(),
        cos.raw(),
        sin.raw(),
        raw_or_null(out_q),
        raw_or_null(out_k),
        raw_or_null(stream),
        q_result_made,
        k_result_made,
    ) })
}

/// The same with rope_i. Results: `q_result`; `k_result`.
///
/// Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
/// cos and sin are \[positions, d / 2\] or \[batch, positions, d / 2\], with at least as many positions as x; d
/// is even.
pub fn rope_i_qk(q: &Tensor, k: &Tensor, cos: &Tensor, sin: &Tensor) -> Result<(Tensor, Tensor)> {
    rope_i_qk_with(q, k, cos, sin, None, None, None)
}

/// As [`rope_i_qk`], with results written to `out…` where those are Some, in a stream.
pub fn rope_i_qk_with(
    q: &Tensor,
    k: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    out_q: Option<&Tensor>,
    out_k: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<(Tensor, Tensor)> {
    made_both(|q_result_made, k_result_made| unsafe { c::kernelgen_rope_i_qk(
        q.raw(),
        k.raw(),
        cos.raw(),
        sin.raw(),
        raw_or_null(out_q),
        raw_or_null(out_k),
        raw_or_null(stream),
        q_result_made,
        k_result_made,
    ) })
}

/// The same with rope_thd. Results: `q_result`; `k_result`.
///
/// Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
/// cos and sin are \[positions, d / 2\] or \[batch, positions, d / 2\], with at least as many positions as x; d
/// is even.
pub fn rope_thd_qk(q: &Tensor, k: &Tensor, cos: &Tensor, sin: &Tensor) -> Result<(Tensor, Tensor)> {
    rope_thd_qk_with(q, k, cos, sin, None, None, None)
}

/// As [`rope_thd_qk`], with results written to `out…` where those are Some, in a stream.
pub fn rope_thd_qk_with(
    q: &Tensor,
    k: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    out_q: Option<&Tensor>,
    out_k: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<(Tensor, Tensor)> {
    made_both(|q_result_made, k_result_made| unsafe { c::kernelgen_rope_thd_qk(
        q.raw(),
        k.raw(),
        cos.raw(),
        sin.raw(),
        raw_or_null(out_q),
        raw_or_null(out_k),
        raw_or_null(stream),
        q_result_made,
        k_result_made,
    ) })
}

/// Returns q rotated, and stores k, rotated too, and v as rows of caches, in one launch: what a step of
/// decoding writes. q is \[tokens, heads, d\], k \[tokens, key heads, d\], v \[tokens, n\] and cos and sin are
/// \[tokens, d / 2\], or have more positions; all are f32 of any layout. Pairs are those of rope, or of
/// rope_i with `are_neighbours`. Token t is stored in row key_ids\[t\] of keys, \[rows, key heads · d\], and in
/// row value_ids\[t\] of values, \[rows, n\], each f32, f16 or bf16 with contiguous rows; ids are u8, u32, i16,
/// i32 or i64. Results are bit-identical to those of rope and set_rows; an id that is out of range, or the
/// largest value of its type, means the same as there. `out` may be q, if that is contiguous; k and v may
/// have no elements.
///
/// Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
/// cos and sin are \[positions, d / 2\] or \[batch, positions, d / 2\], with at least as many positions as x; d
/// is even.
pub fn rope_set_rows(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    keys: &Tensor,
    key_ids: &Tensor,
    values: &Tensor,
    value_ids: &Tensor,
    are_neighbours: bool,
) -> Result<Tensor> {
    rope_set_rows_with(q, k, v, cos, sin, keys, key_ids, values, value_ids, are_neighbours, None, None)
}

/// As [`rope_set_rows`], with results written to `out…` where those are Some, in a stream.
#[allow(clippy::too_many_arguments)]
pub fn rope_set_rows_with(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    cos: &Tensor,
    sin: &Tensor,
    keys: &Tensor,
    key_ids: &Tensor,
    values: &Tensor,
    value_ids: &Tensor,
    are_neighbours: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_rope_set_rows(
        q.raw(),
        k.raw(),
        v.raw(),
        cos.raw(),
        sin.raw(),
        keys.raw(),
        key_ids.raw(),
        values.raw(),
        value_ids.raw(),
        c_int::from(are_neighbours),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// The inclusive prefix sum along `dim`; a negative `dim` counts from the end. Every dtype; x of any
/// layout, of rank 1 or more. `out` may be x itself if it is contiguous. Integers wrap. Floats narrower
/// than f64 are summed in f32, f64 in f64, and each element is rounded once; an element that sums n terms
/// has the error bound of sum. NaN and infinities propagate to all later elements. Results are
/// deterministic on one device. Errors: InvalidArgument for a dim out of range.
pub fn cumsum(x: &Tensor, dim: i64) -> Result<Tensor> {
    cumsum_with(x, dim, None, None)
}

/// As [`cumsum`], with results written to `out…` where those are Some, in a stream.
pub fn cumsum_with(x: &Tensor, dim: i64, out: Option<&Tensor>, stream: Option<&Stream>) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_cumsum(x.raw(), dim, raw_or_null(out), raw_or_null(stream), result_made) })
}

/// start, start + step, start + 2 · step, …, up to but without `stop`: ceil((stop - start) / step)
/// elements, none if that is negative. Every dtype; elements of floats are computed in f64 and rounded
/// once. Errors: InvalidArgument for a step of 0, for numbers that are not finite and, if the
/// dtype is an integer, for numbers that are not, or a start that is outside its range.
///
/// Numbers in sequence.
pub fn arange(
    device: &Device,
    start: impl Into<Scalar>,
    stop: impl Into<Scalar>,
    step: impl Into<Scalar>,
    dtype: DType,
) -> Result<Tensor> {
    arange_with(device, start, stop, step, dtype, None, None)
}

/// As [`arange`], with results written to `out…` where those are Some, in a stream.
pub fn arange_with(
    device: &Device,
    start: impl Into<Scalar>,
    stop: impl Into<Scalar>,
    step: impl Into<Scalar>,
    dtype: DType,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_arange(
        device.raw(),
        start.into().0,
        stop.into().0,
        step.into().0,
        dtype.0,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// The sinusoidal embedding of points in time, as in diffusion models: x \[n\] of floats becomes \[n,
/// columns\], of x's dtype. Row i has cos(x\[i\] · f_j), then sin(x\[i\] · f_j), for each j below half = columns
/// / 2, and a zero if `columns` is odd; f_j = max_period^(-j / half). x has any layout.
///
/// Numbers in sequence.
pub fn timestep_embedding(x: &Tensor, columns: i64, max_period: f64) -> Result<Tensor> {
    timestep_embedding_with(x, columns, max_period, None, None)
}

/// As [`timestep_embedding`], with results written to `out…` where those are Some, in a stream.
pub fn timestep_embedding_with(
    x: &Tensor,
    columns: i64,
    max_period: f64,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_timestep_embedding(
        x.raw(),
        columns,
        max_period,
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// The y of a · y = b for each matrix a \[batch…, n, n\], lower triangular, or upper if `upper`, and b
/// \[batch…, n, m\], with equal batch dims. Elements beyond the diagonal are not read, nor the diagonal if
/// `unit_diagonal`, which treats it as ones. Operands are f32, of any layout; sums are in f32. A zero on
/// the diagonal gives infinities and NaN. `out` may be b itself if b is contiguous.
///
/// Systems of linear equations. f32.
pub fn solve_triangular(a: &Tensor, b: &Tensor, upper: bool, unit_diagonal: bool) -> Result<Tensor> {
    solve_triangular_with(a, b, upper, unit_diagonal, None, None)
}

/// As [`solve_triangular`], with results written to `out…` where those are Some, in a stream.
pub fn solve_triangular_with(
    a: &Tensor,
    b: &Tensor,
    upper: bool,
    unit_diagonal: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_solve_triangular(
        a.raw(),
        b.raw(),
        c_int::from(upper),
        c_int::from(unit_diagonal),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// u32, of x's shape: result\[…, i\] is the index, along the last dim, of the element at sorted position i.
///
/// sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and rank 1 or
/// more. The order is stable in both directions; -0 equals +0, and NaN comes after every number in both
/// directions. Errors: InvalidArgument for rank 0 and for a last dim over 2^32 - 1.
pub fn arg_sort(x: &Tensor, ascending: bool) -> Result<Tensor> {
    arg_sort_with(x, ascending, None, None)
}

/// As [`arg_sort`], with results written to `out…` where those are Some, in a stream.
pub fn arg_sort_with(
    x: &Tensor,
    ascending: bool,
    out: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<Tensor> {
    made(|result_made| unsafe { c::kernelgen_arg_sort(
        x.raw(),
        c_int::from(ascending),
        raw_or_null(out),
        raw_or_null(stream),
        result_made,
    ) })
}

/// The sorted elements, and their indices as arg_sort gives them. A NaN keeps its bits, a zero its sign.
/// Results: `values`, of the input's dtype; `indices`, u32.
///
/// sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and rank 1 or
/// more. The order is stable in both directions; -0 equals +0, and NaN comes after every number in both
/// directions. Errors: InvalidArgument for rank 0 and for a last dim over 2^32 - 1.
pub fn sort(x: &Tensor, ascending: bool) -> Result<(Tensor, Tensor)> {
    sort_with(x, ascending, None, None, None)
}

/// As [`sort`], with results written to `out…` where those are Some, in a stream.
pub fn sort_with(
    x: &Tensor,
    ascending: bool,
    out_values: Option<&Tensor>,
    out_indices: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<(Tensor, Tensor)> {
    made_both(|values_made, indices_made| unsafe { c::kernelgen_sort(
        x.raw(),
        c_int::from(ascending),
        raw_or_null(out_values),
        raw_or_null(out_indices),
        raw_or_null(stream),
        values_made,
        indices_made,
    ) })
}

/// The k greatest elements along `dim`, in descending order, and their indices along it: x's shape with
/// extent k in that dim. Every dtype; x of any layout. Equal elements are ordered by index, -0 equals +0,
/// and NaN comes before every number, as in max but unlike in sort. Without NaN the values are the first k
/// of sort(x, false). Values keep their bits. Long rows are not sorted; a radix select finds their k-th
/// element. Errors: InvalidArgument for a dim out of range or over 2^32 - 1, and for a k below 0
/// or above the dim's extent. Results: `values`, of the input's dtype; `indices`, u32.
///
/// sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and rank 1 or
/// more. The order is stable in both directions; -0 equals +0, and NaN comes after every number in both
/// directions. Errors: InvalidArgument for rank 0 and for a last dim over 2^32 - 1.
pub fn top_k(x: &Tensor, k: i64, dim: i64) -> Result<(Tensor, Tensor)> {
    top_k_with(x, k, dim, None, None, None)
}

/// As [`top_k`], with results written to `out…` where those are Some, in a stream.
pub fn top_k_with(
    x: &Tensor,
    k: i64,
    dim: i64,
    out_values: Option<&Tensor>,
    out_indices: Option<&Tensor>,
    stream: Option<&Stream>,
) -> Result<(Tensor, Tensor)> {
    made_both(|values_made, indices_made| unsafe { c::kernelgen_top_k(
        x.raw(),
        k,
        dim,
        raw_or_null(out_values),
        raw_or_null(out_indices),
        raw_or_null(stream),
        values_made,
        indices_made,
    ) })
}
