"""The backend's operations.

Inputs are tensors of any layout, or arrays of other libraries, whose memory is shared (see kernelgen.from_dlpack).
A number stands for a tensor of one element, of the last array's dtype. The result is a new contiguous tensor;
with `out`, a contiguous tensor or array of the result's shape and dtype, it is written there, and `out` is returned.
Of several results, `out_…=False` leaves one out, where the operation allows it: the tuple has None in its place.
`dims=None` means all dims. Work is enqueued in `stream`; if that is None, in the current stream (`with stream:`),
else in the device's default queue. Calls do not wait for it.

Errors of all operations: InvalidArgument, before any launch, for a dtype, shape or device that
the operation does not support, with a message that names the operation, the given operands and what it
accepts; Unsupported when the package has no code of the kernel for the device;
OutOfMemory; DeviceError.

Written by bindings/generate.py from the C headers; do not edit.
"""

from __future__ import annotations

from ctypes import byref, sizeof
from typing import Literal, Optional, Sequence, Tuple, Union, overload

from . import _c
from ._library import failure, lib, unchecked
from ._operands import (ArrayLike, DType, DTypeLike, Device, DeviceLike, Dims, Number, Pair, Stream, Tensor,
                        DIMS, DTYPES, dims_of, dtype_of, empty, entered, handle, integer, numbers_of,
                        operand_list, operands, optional_integer, optional_real, real, result, results, run,
                        scalar, scalar_list, size2, text, wide, widest)

__all__ = ["attention", "call", "gelu", "gelu_erf", "silu", "sigmoid", "normcdf", "relu", "elu", "silu_mul",
           "gelu_mul", "affine", "add", "sub", "mul", "div", "maximum", "minimum", "eq", "ne", "lt", "le",
           "gt", "ge", "exp", "log", "sin", "cos", "tanh", "erf", "pow", "ceil", "floor", "round", "square",
           "abs", "neg", "sign", "sqrt", "recip", "expm1", "softplus", "gelu_quick", "xielu", "relu_mul",
           "gelu_erf_mul", "gelu_quick_mul", "swiglu_oai", "step", "trunc", "clamp", "leaky_relu",
           "hardsigmoid", "hardswish", "to_dtype", "where", "copy", "copy_into", "copy2d", "const_set",
           "conv2d", "conv1d", "conv_transpose2d", "conv_transpose1d", "avg_pool2d", "max_pool2d",
           "upsample_nearest1d", "upsample_nearest2d", "upsample_bilinear2d", "gather", "index_select",
           "scatter_set", "scatter_add_set", "index_add", "cross_entropy", "concat", "stack", "pad",
           "pad_reflect", "pad_replicate", "pad_circular", "roll", "tril", "triu", "diag", "matmul",
           "softmax", "scaled_softmax", "log_softmax", "rms_norm", "layer_norm", "plain_rms_norm",
           "plain_layer_norm", "l2_norm", "group_norm", "add_rms_norm", "add_layer_norm", "quantize",
           "dequantize", "get_rows", "set_rows", "quantized_matmul", "indexed_matmul", "rand_uniform",
           "rand_normal", "linear_recurrence", "sum", "mean", "prod", "min", "max", "any", "all", "argmin",
           "argmax", "min_with_index", "max_with_index", "reduce", "reduce_inputs", "rope", "rope_i",
           "rope_thd", "rope_qk", "rope_i_qk", "rope_thd_qk", "rope_set_rows", "cumsum", "arange",
           "timestep_embedding", "solve_triangular", "argsort", "sort", "top_k", "subtract", "multiply",
           "divide", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "negative",
           "reciprocal", "cumulative_sum", "astype", "clip"]

# The most frequent calls, of tensors, with `out` and without streams, call C by `unchecked`, which runs less Python code
# than `lib` and result().


@overload
def attention(q: ArrayLike, k: ArrayLike, v: ArrayLike, scale: Optional[float] = None,
              soft_cap: Optional[float] = None, causal: bool = False, window_left: Optional[int] = None,
              window_right: Optional[int] = None, mask: Optional[ArrayLike] = None,
              alibi_slopes: Optional[ArrayLike] = None, sinks: Optional[ArrayLike] = None,
              query_lengths: Optional[ArrayLike] = None, key_lengths: Optional[ArrayLike] = None,
              block_table: Optional[ArrayLike] = None, *, out: Optional[ArrayLike] = None,
              stream: Optional[Stream] = None, return_log_sum_exp: Literal[False] = False) -> Tensor: ...


@overload
def attention(q: ArrayLike, k: ArrayLike, v: ArrayLike, scale: Optional[float] = None,
              soft_cap: Optional[float] = None, causal: bool = False, window_left: Optional[int] = None,
              window_right: Optional[int] = None, mask: Optional[ArrayLike] = None,
              alibi_slopes: Optional[ArrayLike] = None, sinks: Optional[ArrayLike] = None,
              query_lengths: Optional[ArrayLike] = None, key_lengths: Optional[ArrayLike] = None,
              block_table: Optional[ArrayLike] = None, *, out: Optional[ArrayLike] = None,
              stream: Optional[Stream] = None, return_log_sum_exp: Literal[True]) -> Tuple[Tensor, Tensor]: ...


def attention(q: ArrayLike, k: ArrayLike, v: ArrayLike, scale: Optional[float] = None,
              soft_cap: Optional[float] = None, causal: bool = False, window_left: Optional[int] = None,
              window_right: Optional[int] = None, mask: Optional[ArrayLike] = None,
              alibi_slopes: Optional[ArrayLike] = None, sinks: Optional[ArrayLike] = None,
              query_lengths: Optional[ArrayLike] = None, key_lengths: Optional[ArrayLike] = None,
              block_table: Optional[ArrayLike] = None, *, out: Optional[ArrayLike] = None,
              stream: Optional[Stream] = None,
              return_log_sum_exp: bool = False) -> Union[Tensor, Tuple[Tensor, Tensor]]:
    """result[b, h, t] = sum over j of softmax_j(logit(t, j)) * v[b, h / group, j], with logit(t, j) = scale *
    dot(q[b, h, t], k[b, h / group, j]). The logit is then soft-capped, slope * distance is subtracted, and the
    mask's element is added, in this order. q is [B, H, T, D]; k and v are [B, heads of k, S, D] with H = group
    * heads of k, any strides; D is 1 to 256. k and v have q's dtype, or both are f8e4m3, or q is f32 and both
    are f16 or bf16; then q and the result may be rounded to that dtype. Products and sums are f32; the result is
    rounded once.

    The last query is aligned with the last key: query t of a sequence with n queries has position t + keys - n
    among its keys. A key whose logit is -inf counts as masked. Nothing of a masked key affects the query's
    row, not even NaN. A query without visible keys, and a row beyond its sequence's length, yields zeros. Its
    log-sum-exp is the sink's logit, or -inf without sinks.

    `out` has q's shape and dtype; its last dim has stride 1, its other strides are
    arbitrary.

    Lengths and block_table are u8, u32, i16, i32 or i64. A length that is negative or too large makes its
    sequence empty; a page index that is negative or too large masks the page's keys. Both are reported as
    IndexOutOfRange by the next wait for the stream. Errors: InvalidArgument for shapes
    and dtypes that do not match, D = 0 or over 256, extents over 2^31 - 1, non-finite scalars, and options
    with a `size` that this version of the library does not know.

    scale: Factor of the products of q and k; None: 1 / sqrt(D).
    soft_cap: Logit soft-capping: cap * tanh(logit / cap) replaces each logit; None: no cap.
    causal: True: a query does not attend to keys after its own position.
    window_left: Sliding window: maximum number of keys before a query's own position; None: unlimited.
    window_right: Sliding window: maximum number of keys after a query's own position; None: unlimited.
    mask: Added to the logits: the dtype of k and v if they have 16 bits, else q's; with a shape that broadcasts to [B, H, T, S].
    alibi_slopes: ALiBi: slope * distance is subtracted from each logit. f32 [H] or [B, H].
    sinks: Attention sinks: the logit of one additional key per head, whose value is 0. f32 [H].
    query_lengths: Number of valid rows of each sequence, the leading ones of its T queries and S keys; integers [B].
    key_lengths: Number of valid rows of each sequence, the leading ones of its T queries and S keys; integers [B].
    block_table: Paged KV cache: page indices [B, pages per sequence]. k and v are [pages, heads of k, page size, D]. Key j of sequence b is row j % page size of page block_table[b, j / page size], and S is pages per sequence * page size.
    Written if it is not None: the log-sum-exp of each row, f32 [B, H, T], contiguous. It must not overlap another tensor.

    Forward attention: f16, bf16, f32.
    """
    q, k, v, mask, alibi_slopes, sinks, query_lengths, key_lengths, block_table = operands(q=q, k=k, v=v,
        mask=mask, alibi_slopes=alibi_slopes, sinks=sinks, query_lengths=query_lengths,
        key_lengths=key_lengths, block_table=block_table)
    log_sum_exp = empty(q.shape[:3], "f32", q.device, stream) if return_log_sum_exp else None
    options = _c.AttentionOptions(size=sizeof(_c.AttentionOptions),
        scale=0.0 if scale is None else real(scale, "scale"),
        soft_cap=0.0 if soft_cap is None else real(soft_cap, "soft_cap"), causal=bool(causal),
        window_left=-1 if window_left is None else integer(window_left, "window_left"),
        window_right=-1 if window_right is None else integer(window_right, "window_right"), mask=handle(mask),
        alibi_slopes=handle(alibi_slopes), sinks=handle(sinks), query_lengths=handle(query_lengths),
        key_lengths=handle(key_lengths), block_table=handle(block_table), log_sum_exp=handle(log_sum_exp))
    made = result(lib.kernelgen_attention, (q, k, v, byref(options)), out, stream)
    return made if log_sum_exp is None else (made, log_sum_exp)


def call(operation: str, inputs: Sequence[ArrayLike], scalars: Sequence[Number] = (), *,
         out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Calls an operation of the device's package by name, including a user's own: an element-wise one ("expr"),
    one on the rows along the last dim ("row"), a matrix product with an epilogue ("matmul"), one that is launched by
    its own rule ("body"), or a reduction ("reduce") of all dims; reduce() takes the dims. At most 3 inputs
    and 8 scalars (MAX_INPUTS and MAX_SCALARS). Errors: also
    NotFound with the nearest name.

    Operations by name.
    """
    inputs = operand_list(inputs)
    scalars = scalar_list(scalars)
    return result(lib.kernelgen_call, (text(operation, "operation"), inputs, len(inputs), scalars, len(scalars)),
        out, stream)


def gelu(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))), the tanh approximation of gelu_erf (Hendrycks and
    Gimpel, 2016). Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_gelu(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_gelu, (x,), out, stream)


def gelu_erf(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """x · normcdf(x), the exact GELU. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_gelu_erf(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_gelu_erf, (x,), out, stream)


def silu(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """x · sigmoid(x). Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_silu(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_silu, (x,), out, stream)


def sigmoid(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """1 / (1 + e^-x). Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_sigmoid(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_sigmoid, (x,), out, stream)


def normcdf(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The cumulative distribution function of the standard normal distribution, (1 + erf(x/√2)) / 2. Floating
    point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_normcdf(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_normcdf, (x,), out, stream)


def relu(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """max(x, 0); NaN propagates. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_relu(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_relu, (x,), out, stream)


def elu(x: ArrayLike, alpha: Number, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """x if x > 0, else alpha · (e^x - 1). Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_elu(x, scalar(alpha, "alpha"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_elu, (x, scalar(alpha, "alpha")), out, stream)


def silu_mul(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """silu(a) · b, rounded once. Floating point, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_silu_mul(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_silu_mul, (a, b), out, stream)


def gelu_mul(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """gelu(a) · b, rounded once. Floating point, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_gelu_mul(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_gelu_mul, (a, b), out, stream)


def affine(x: ArrayLike, mul: Number, add: Number, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """x · mul + add; floats are rounded once, integers wrap. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_affine(x, scalar(mul, "mul"), scalar(add, "add"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_affine, (x, scalar(mul, "mul"), scalar(add, "add")), out, stream)


def add(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """a + b; integers wrap. Any dtype, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_add(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_add, (a, b), out, stream)


def sub(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """a - b; integers wrap. Any dtype, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_sub(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_sub, (a, b), out, stream)


def mul(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """a · b; integers wrap. Any dtype, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_mul(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_mul, (a, b), out, stream)


def div(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """a / b; integers truncate toward zero and give 0 if b is 0. Any dtype, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_div(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_div, (a, b), out, stream)


def maximum(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
    """The greater input; NaN propagates. Any dtype, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_maximum(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_maximum, (a, b), out, stream)


def minimum(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
    """The lesser input; NaN propagates. Any dtype, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_minimum(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_minimum, (a, b), out, stream)


def eq(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
       stream: Optional[Stream] = None) -> Tensor:
    """Whether a = b. Any dtype, the same for both. The result is u8.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_eq(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_eq, (a, b), out, stream)


def ne(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
       stream: Optional[Stream] = None) -> Tensor:
    """Whether a ≠ b. Any dtype, the same for both. The result is u8.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_ne(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_ne, (a, b), out, stream)


def lt(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
       stream: Optional[Stream] = None) -> Tensor:
    """Whether a < b. Any dtype, the same for both. The result is u8.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_lt(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_lt, (a, b), out, stream)


def le(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
       stream: Optional[Stream] = None) -> Tensor:
    """Whether a ≤ b. Any dtype, the same for both. The result is u8.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_le(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_le, (a, b), out, stream)


def gt(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
       stream: Optional[Stream] = None) -> Tensor:
    """Whether a > b. Any dtype, the same for both. The result is u8.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_gt(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_gt, (a, b), out, stream)


def ge(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
       stream: Optional[Stream] = None) -> Tensor:
    """Whether a ≥ b. Any dtype, the same for both. The result is u8.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_ge(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_ge, (a, b), out, stream)


def exp(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """e^x. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_exp(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_exp, (x,), out, stream)


def log(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The natural logarithm. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_log(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_log, (x,), out, stream)


def sin(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The sine of x in radians. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_sin(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_sin, (x,), out, stream)


def cos(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The cosine of x in radians. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_cos(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_cos, (x,), out, stream)


def tanh(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The hyperbolic tangent. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_tanh(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_tanh, (x,), out, stream)


def erf(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The error function, 2/√π times the integral of e^-t² from 0 to x. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_erf(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_erf, (x,), out, stream)


def pow(x: ArrayLike, e: Number, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """x^e; x^0 is 1 for every x, NaN too. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_powf(x, scalar(e, "e"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_powf, (x, scalar(e, "e")), out, stream)


def ceil(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The least integer that is not less than x; integers are unchanged. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_ceil(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_ceil, (x,), out, stream)


def floor(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The greatest integer that is not greater than x; integers are unchanged. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_floor(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_floor, (x,), out, stream)


def round(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The nearest integer, halves away from zero; integers are unchanged. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_round(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_round, (x,), out, stream)


def square(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """x · x; integers wrap. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_sqr(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_sqr, (x,), out, stream)


def abs(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """|x|; the lowest integer is unchanged. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_abs(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_abs, (x,), out, stream)


def neg(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """-x; integers wrap. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_neg(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_neg, (x,), out, stream)


def sign(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """-1, 0 or 1; NaN for NaN, +0 for -0. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_sign(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_sign, (x,), out, stream)


def sqrt(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The square root; NaN for negative x. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_sqrt(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_sqrt, (x,), out, stream)


def recip(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """1 / x. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_recip(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_recip, (x,), out, stream)


def expm1(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """e^x - 1, without cancellation near 0. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_expm1(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_expm1, (x,), out, stream)


def softplus(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """log(1 + e^x). Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_softplus(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_softplus, (x,), out, stream)


def gelu_quick(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """x · sigmoid(1.702 · x), an approximation of gelu_erf (Hendrycks and Gimpel, 2016). Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_gelu_quick(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_gelu_quick, (x,), out, stream)


def xielu(x: ArrayLike, alpha_n: Number, alpha_p: Number, beta: Number, eps: Number, *,
          out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """alpha_p · x² + beta · x if x > 0, else alpha_n · (e^min(x, eps) - 1 - x) + beta · x (Huang and Schlag,
    2024). Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_xielu(x, scalar(alpha_n, "alpha_n"), scalar(alpha_p, "alpha_p"),
                    scalar(beta, "beta"), scalar(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_xielu, (x, scalar(alpha_n, "alpha_n"), scalar(alpha_p, "alpha_p"),
        scalar(beta, "beta"), scalar(eps, "eps")), out, stream)


def relu_mul(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """relu(a) · b, rounded once. Floating point, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_relu_mul(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_relu_mul, (a, b), out, stream)


def gelu_erf_mul(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tensor:
    """gelu_erf(a) · b, rounded once. Floating point, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_gelu_erf_mul(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_gelu_erf_mul, (a, b), out, stream)


def gelu_quick_mul(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tensor:
    """gelu_quick(a) · b, rounded once. Floating point, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_gelu_quick_mul(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_gelu_quick_mul, (a, b), out, stream)


def swiglu_oai(a: ArrayLike, b: ArrayLike, alpha: Number, limit: Number, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """c · sigmoid(alpha · c) · (1 + d), where c is a, but at most limit, and d is b, but from -limit to limit:
    the gate of gpt-oss. Floating point, the same for both.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_swiglu_oai(a, b, scalar(alpha, "alpha"), scalar(limit, "limit"), out, None,
                    None):
            raise failure(status)
        return out
    return result(lib.kernelgen_swiglu_oai, (a, b, scalar(alpha, "alpha"), scalar(limit, "limit")), out, stream)


def step(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """1 if x > 0, else 0; 0 for NaN. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_step(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_step, (x,), out, stream)


def trunc(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The integer part of x; integers are unchanged. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_trunc(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_trunc, (x,), out, stream)


def clamp(x: ArrayLike, low: Number, high: Number, *, out: Optional[ArrayLike] = None,
          stream: Optional[Stream] = None) -> Tensor:
    """x, but at least low and at most high, which wins if it is less than low; NaN propagates. Any dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_clamp(x, scalar(low, "low"), scalar(high, "high"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_clamp, (x, scalar(low, "low"), scalar(high, "high")), out, stream)


def leaky_relu(x: ArrayLike, slope: Number, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """x if x > 0, else slope · x. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_leaky_relu(x, scalar(slope, "slope"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_leaky_relu, (x, scalar(slope, "slope")), out, stream)


def hardsigmoid(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """(x + 3) / 6, but at least 0 and at most 1. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_hardsigmoid(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_hardsigmoid, (x,), out, stream)


def hardswish(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """x · hardsigmoid(x); 0 for x < -3. Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's
    rule. `out` may be one of them (same memory and layout), to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_hardswish(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_hardswish, (x,), out, stream)


def to_dtype(x: ArrayLike, dtype: DTypeLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """Converts to another dtype. To integers: truncated toward zero, saturating, NaN gives 0. Between
    integers: the low bits. To floats: rounded once, to nearest even. To f8e4m3: saturating at ±448.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_to_dtype(x, DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), out,
                    None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_to_dtype, (x, DTYPES[dtype] if type(dtype) is str else dtype_of(dtype)), out,
        stream)


def where(condition: ArrayLike, a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
          stream: Optional[Stream] = None) -> Tensor:
    """a where condition ≠ 0, else b. The condition is u8, u32, i16, i32 or i64; a and b have the same dtype.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule.
    """
    if not (type(condition) is type(a) is type(b) is Tensor):
        condition, a, b = operands(condition=condition, a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_where_cond(condition, a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_where_cond, (condition, a, b), out, stream)


def copy(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """A contiguous copy (candle's copy_strided_src and try_clone).

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_copy(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_copy, (x,), out, stream)


def copy_into(destination: ArrayLike, source: ArrayLike, *, stream: Optional[Stream] = None) -> None:
    """Writes the elements of `source` into the view `destination` (any layout without overlap, same dtype and
    shape) and nothing else of its storage. The two must not overlap in memory.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule.
    """
    if not (type(destination) is type(source) is Tensor):
        destination, source = operands(written={"destination"}, destination=destination, source=source)
    if stream is None and not entered:
        if status := unchecked.kernelgen_copy_into(destination, source, None):
            raise failure(status)
        return
    run(lib.kernelgen_copy_into, (destination, source), stream)


def copy2d(destination: ArrayLike, source: ArrayLike, rows: int, columns: int, destination_stride: int,
           source_stride: int, destination_offset: int = 0, source_offset: int = 0, *,
           stream: Optional[Stream] = None) -> None:
    """Copies `rows` rows of `columns` contiguous elements between contiguous tensors; row r starts at offset +
    r · stride. Offsets and strides are in elements; strides are not negative. Destination rows must not
    overlap, and all rows must be inside the tensors.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule.
    """
    if not (type(destination) is type(source) is Tensor):
        destination, source = operands(written={"destination"}, destination=destination, source=source)
    if stream is None and not entered:
        if status := unchecked.kernelgen_copy2d(destination, source, wide(rows, "rows"), wide(columns, "columns"),
                    wide(destination_stride, "destination_stride"), wide(source_stride, "source_stride"),
                    wide(destination_offset, "destination_offset"), wide(source_offset, "source_offset"), None):
            raise failure(status)
        return
    run(lib.kernelgen_copy2d, (destination, source, wide(rows, "rows"), wide(columns, "columns"),
        wide(destination_stride, "destination_stride"), wide(source_stride, "source_stride"),
        wide(destination_offset, "destination_offset"), wide(source_offset, "source_offset")), stream)


def const_set(destination: ArrayLike, value: Number, *, stream: Optional[Stream] = None) -> None:
    """Sets every element of the view (any layout) and nothing else of its storage.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule.
    """
    if type(destination) is not Tensor:
        destination, = operands(written={"destination"}, destination=destination)
    if stream is None and not entered:
        if status := unchecked.kernelgen_const_set(destination, scalar(value, "value"), None):
            raise failure(status)
        return
    run(lib.kernelgen_const_set, (destination, scalar(value, "value")), stream)


def conv2d(x: ArrayLike, weight: ArrayLike, stride: Pair = (1, 1), padding: Pair = (0, 0),
           dilation: Pair = (1, 1), output_padding: Pair = (0, 0), groups: int = 1, *,
           out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Convolves [b, c, h, w] with the kernels [o, c / groups, kh, kw] (cross-correlation, as in common
    frameworks). The result is [b, o, (h + 2 · padding - dilation · (kh - 1) - 1) / stride + 1, and w
    alike]. Floating point; x and weight have one dtype. Sums are computed in f32, for f64 in f64, and
    rounded once.

    If the system has the libraries and they are faster, CUDA devices use cuDNN or cuBLASLt for f16, bf16,
    f32 and f64, also for transposed convolutions, and HIP devices use MIOpen for f16, bf16 and f32. The
    first call for given sizes, layout and alignment measures them and waits for the stream; make such a
    call before you capture a graph. KERNELGEN_CUDNN_LIBRARY, KERNELGEN_MIOPEN_LIBRARY and the environment
    variables of matmul() name the libraries to use instead, or `none`. Errors: Unsupported if a
    named library cannot be opened, and DeviceError with the error that a library reports.

    Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim
    has fewer than 2^31 elements.
    """
    x, weight = operands(x=x, weight=weight)
    window = _c.Window2(stride=size2(stride, "stride"), padding=size2(padding, "padding"),
        dilation=size2(dilation, "dilation"), output_padding=size2(output_padding, "output_padding"),
        groups=integer(groups, "groups"))
    return result(lib.kernelgen_conv2d, (x, weight, window), out, stream)


def conv1d(x: ArrayLike, weight: ArrayLike, stride: int = 1, padding: int = 0, dilation: int = 1,
           output_padding: int = 0, groups: int = 1, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """As conv2d for x: [b, c, l] and weight: [o, c / groups, k].

    padding: at both ends; contributes nothing, even if weights are not finite
    output_padding: elements added at the end of a transposed convolution's result

    Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim
    has fewer than 2^31 elements.
    """
    x, weight = operands(x=x, weight=weight)
    window = _c.Window1(stride=integer(stride, "stride"), padding=integer(padding, "padding"),
        dilation=integer(dilation, "dilation"), output_padding=integer(output_padding, "output_padding"),
        groups=integer(groups, "groups"))
    return result(lib.kernelgen_conv1d, (x, weight, window), out, stream)


def conv_transpose2d(x: ArrayLike, weight: ArrayLike, stride: Pair = (1, 1), padding: Pair = (0, 0),
                     dilation: Pair = (1, 1), output_padding: Pair = (0, 0), groups: int = 1, *,
                     out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The gradient of conv2d with respect to its input: [b, c, h, w] with the kernels [c, o / groups, kh, kw]
    gives [b, o, (h - 1) · stride - 2 · padding + dilation · (kh - 1) + output_padding + 1, and w alike].
    Dtypes as conv2d.

    Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim
    has fewer than 2^31 elements.
    """
    x, weight = operands(x=x, weight=weight)
    window = _c.Window2(stride=size2(stride, "stride"), padding=size2(padding, "padding"),
        dilation=size2(dilation, "dilation"), output_padding=size2(output_padding, "output_padding"),
        groups=integer(groups, "groups"))
    return result(lib.kernelgen_conv_transpose2d, (x, weight, window), out, stream)


def conv_transpose1d(x: ArrayLike, weight: ArrayLike, stride: int = 1, padding: int = 0, dilation: int = 1,
                     output_padding: int = 0, groups: int = 1, *, out: Optional[ArrayLike] = None,
                     stream: Optional[Stream] = None) -> Tensor:
    """As conv_transpose2d for x: [b, c, l] and weight: [c, o / groups, k].

    padding: at both ends; contributes nothing, even if weights are not finite
    output_padding: elements added at the end of a transposed convolution's result

    Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim
    has fewer than 2^31 elements.
    """
    x, weight = operands(x=x, weight=weight)
    window = _c.Window1(stride=integer(stride, "stride"), padding=integer(padding, "padding"),
        dilation=integer(dilation, "dilation"), output_padding=integer(output_padding, "output_padding"),
        groups=integer(groups, "groups"))
    return result(lib.kernelgen_conv_transpose1d, (x, weight, window), out, stream)


def avg_pool2d(x: ArrayLike, kernel: Pair, stride: Pair, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """The average of each window of `kernel` elements, with a step of `stride`, without padding: [b, c, h, w]
    becomes [b, c, (h - kernel.height) / stride.height + 1, (w - kernel.width) / stride.width + 1]. Any
    dtype; the average of integers is the 64-bit sum, divided toward zero.

    Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim
    has fewer than 2^31 elements.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_avg_pool2d(x, size2(kernel, "kernel"), size2(stride, "stride"), out, None,
                    None):
            raise failure(status)
        return out
    return result(lib.kernelgen_avg_pool2d, (x, size2(kernel, "kernel"), size2(stride, "stride")), out, stream)


def max_pool2d(x: ArrayLike, kernel: Pair, stride: Pair, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """The largest element of each window; NaN if the window has one. Otherwise as avg_pool2d.

    Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim
    has fewer than 2^31 elements.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_max_pool2d(x, size2(kernel, "kernel"), size2(stride, "stride"), out, None,
                    None):
            raise failure(status)
        return out
    return result(lib.kernelgen_max_pool2d, (x, size2(kernel, "kernel"), size2(stride, "stride")), out, stream)


def upsample_nearest1d(x: ArrayLike, length: int, *, out: Optional[ArrayLike] = None,
                       stream: Optional[Stream] = None) -> Tensor:
    """Resizes [b, c, l]: element i is x's element min(floor(i · (l / length)), l - 1). Any dtype.

    Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim
    has fewer than 2^31 elements.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_upsample_nearest1d(x, wide(length, "length"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_upsample_nearest1d, (x, wide(length, "length")), out, stream)


def upsample_nearest2d(x: ArrayLike, size: Pair, *, out: Optional[ArrayLike] = None,
                       stream: Optional[Stream] = None) -> Tensor:
    """Resizes [b, c, h, w], each dim as in upsample_nearest1d.

    Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim
    has fewer than 2^31 elements.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_upsample_nearest2d(x, size2(size, "size"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_upsample_nearest2d, (x, size2(size, "size")), out, stream)


def upsample_bilinear2d(x: ArrayLike, size: Pair, align_corners: bool = False,
                        scale_height: Optional[float] = None, scale_width: Optional[float] = None, *,
                        out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Resizes [b, c, h, w], interpolating between the four nearest elements, as PyTorch does. With
    `align_corners` the centers of the corner elements coincide, otherwise the corners of the images. In the
    latter case a given `scale` is used instead of size / (h, w), from which it may differ by rounding. Any
    dtype; integers are computed in f64 and truncated.

    Images: [batch, channels, height, width], or [batch, channels, length] where stated. Each spatial dim
    has fewer than 2^31 elements.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_upsample_bilinear2d(x, size2(size, "size"), bool(align_corners),
                    optional_real(scale_height, "scale_height"), optional_real(scale_width, "scale_width"), out, None,
                    None):
            raise failure(status)
        return out
    return result(lib.kernelgen_upsample_bilinear2d, (x, size2(size, "size"), bool(align_corners),
        optional_real(scale_height, "scale_height"), optional_real(scale_width, "scale_width")), out, stream)


def gather(x: ArrayLike, dim: int, ids: ArrayLike, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """result[i, j, …] = x[i, ids[i, j, …], …], with the index in position `dim`. `ids` has x's rank and, in
    dims other than `dim`, at most x's extents. The result has the shape of ids.

    Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
    all have any layout. A negative `dim` counts from the end.

    An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
    written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
    to the host in it, reports IndexOutOfRange with the operation, the dim, its size and the
    first such index of the earliest call.
    """
    if not (type(x) is type(ids) is Tensor):
        x, ids = operands(x=x, ids=ids)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_gather(x,
                    DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"), ids, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_gather, (x, DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"),
        ids), out, stream)


def index_select(x: ArrayLike, dim: int, ids: ArrayLike, *, out: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tensor:
    """Concatenates the slices x[…, ids[i], …] along `dim`. `ids` has rank 1.

    Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
    all have any layout. A negative `dim` counts from the end.

    An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
    written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
    to the host in it, reports IndexOutOfRange with the operation, the dim, its size and the
    first such index of the earliest call.
    """
    if not (type(x) is type(ids) is Tensor):
        x, ids = operands(x=x, ids=ids)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_index_select(x,
                    DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"), ids, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_index_select, (x,
        DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"), ids), out, stream)


def scatter_set(destination: ArrayLike, dim: int, ids: ArrayLike, source: ArrayLike, *,
                stream: Optional[Stream] = None) -> None:
    """destination[i, ids[i, j, …], …] = source[i, j, …], in place; nothing else of the storage is written.
    `ids` has the rank of both, at most the extents of source and, in dims other than `dim`, at most those
    of destination. The elements of destination must not share memory. If indices are equal, the last one
    along `dim` wins.

    Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
    all have any layout. A negative `dim` counts from the end.

    An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
    written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
    to the host in it, reports IndexOutOfRange with the operation, the dim, its size and the
    first such index of the earliest call.
    """
    if not (type(destination) is type(ids) is type(source) is Tensor):
        destination, ids, source = operands(written={"destination"}, destination=destination, ids=ids,
        source=source)
    if stream is None and not entered:
        if status := unchecked.kernelgen_scatter_set(destination,
                    DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"), ids, source, None):
            raise failure(status)
        return
    run(lib.kernelgen_scatter_set, (destination,
        DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"), ids, source), stream)


def scatter_add_set(destination: ArrayLike, dim: int, ids: ArrayLike, source: ArrayLike,
                    deterministic: bool = False, *, stream: Optional[Stream] = None) -> None:
    """The same with +=. Integers wrap; bf16, f16 and f8e4m3 are added in f32 and rounded once. The order in
    which floats are added may differ from call to call. With `deterministic` it is the order of the
    indices, which may be slower.

    Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
    all have any layout. A negative `dim` counts from the end.

    An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
    written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
    to the host in it, reports IndexOutOfRange with the operation, the dim, its size and the
    first such index of the earliest call.
    """
    if not (type(destination) is type(ids) is type(source) is Tensor):
        destination, ids, source = operands(written={"destination"}, destination=destination, ids=ids,
        source=source)
    if stream is None and not entered:
        if status := unchecked.kernelgen_scatter_add_set(destination,
                    DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"), ids, source,
                    bool(deterministic), None):
            raise failure(status)
        return
    run(lib.kernelgen_scatter_add_set, (destination,
        DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"), ids, source,
        bool(deterministic)), stream)


def index_add(x: ArrayLike, dim: int, ids: ArrayLike, source: ArrayLike, deterministic: bool = False, *,
              out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """A copy of x with source[…, i, …] added to its slice […, ids[i], …], as scatter_add_set adds. `ids` has
    rank 1; `source` has x's shape, except for the length of ids along `dim`.

    Gather and scatter along one dim by indices. Values have any dtype; `ids` are u8, u32, i16, i32 or i64;
    all have any layout. A negative `dim` counts from the end.

    An index equal to the largest value of its type (255 for u8) is skipped: reading gives 0, and nothing is
    written. Any other index outside 0 … size - 1 is skipped too, and the next wait for the stream, or copy
    to the host in it, reports IndexOutOfRange with the operation, the dim, its size and the
    first such index of the earliest call.
    """
    if not (type(x) is type(ids) is type(source) is Tensor):
        x, ids, source = operands(x=x, ids=ids, source=source)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_index_add(x,
                    DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"), ids, source,
                    bool(deterministic), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_index_add, (x,
        DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"), ids, source,
        bool(deterministic)), out, stream)


def cross_entropy(logits: ArrayLike, targets: ArrayLike, *, out_loss: Optional[ArrayLike] = None,
                  out_log_sum_exp: Optional[ArrayLike] = None,
                  stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """log Σ exp(logits) - logits[target] of each row. Logits are [..., classes], of any layout and rank 1 or
    more; targets are [...] of u8, u32, i16, i32 or i64. Computed in f32, for f64 in f64, and rounded once,
    without loss of precision for logits far from zero.

    A target equal to the largest value of its type (255 for u8) has the loss 0. So does any other target
    outside 0 … classes - 1, and the next wait for the stream, or copy to the host in it, reports
    IndexOutOfRange.

    If a row contains NaN, its log-sum-exp is NaN, and so is its loss unless set to 0 as above. If its
    greatest logit is +inf, the log-sum-exp and the loss are +inf, but the loss is NaN if the target's logit
    is +inf. If all its logits are -inf, the log-sum-exp is -inf and the loss NaN. In other rows, a target's
    logit of -inf gives the loss +inf. Errors: InvalidArgument for rows without a logit. Results:
    `loss`, one per row, of the logits' dtype; `log_sum_exp`, one per row, f64 for f64 logits, else f32;
    empty unless requested.

    Losses along the last dim, of any length but 0; floating point.
    """
    if not (type(logits) is type(targets) is Tensor):
        logits, targets = operands(logits=logits, targets=targets)
    return results(lib.kernelgen_cross_entropy, (logits, targets), (out_loss, out_log_sum_exp), stream)


def concat(tensors: Sequence[ArrayLike], dim: int = 0, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """The tensors one after the other along `dim`. They have one dtype, which may be quantized, and one shape,
    except along `dim`, where any of them may be empty. Errors: InvalidArgument without tensors.

    Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
    negative `dim` counts from the end.
    """
    tensors = operand_list(tensors)
    return result(lib.kernelgen_concat, (tensors, len(tensors),
        DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim")), out, stream)


def stack(tensors: Sequence[ArrayLike], dim: int = 0, *, out: Optional[ArrayLike] = None,
          stream: Optional[Stream] = None) -> Tensor:
    """As concat, along a new dim: result[…, i, …] is tensor i. The tensors have one shape. A negative `dim`
    counts from the end of the result's shape.

    Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
    negative `dim` counts from the end.
    """
    tensors = operand_list(tensors)
    return result(lib.kernelgen_stack, (tensors, len(tensors),
        DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim")), out, stream)


def pad(x: ArrayLike, before: Sequence[int], after: Sequence[int], value: Number = 0, *,
        out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """x with before[i] elements before and after[i] elements after it, all of them `value`, along each dim.
    `before` and `after` have equally many numbers, none negative: one for each of x's last dims.

    Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
    negative `dim` counts from the end.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_pad(x, *numbers_of(before, "before"), *numbers_of(after, "after"),
                    scalar(value, "value"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_pad, (x, *numbers_of(before, "before"), *numbers_of(after, "after"),
        scalar(value, "value")), out, stream)


def pad_reflect(x: ArrayLike, before: Sequence[int], after: Sequence[int], *, out: Optional[ArrayLike] = None,
                stream: Optional[Stream] = None) -> Tensor:
    """As pad, with x mirrored at its first and last elements, which are not repeated: 3 2 | 1 2 3 | 2 1. Each
    number must be less than x's extent.

    Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
    negative `dim` counts from the end.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_pad_reflect(x, *numbers_of(before, "before"), *numbers_of(after, "after"),
                    out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_pad_reflect, (x, *numbers_of(before, "before"), *numbers_of(after, "after")), out,
        stream)


def pad_replicate(x: ArrayLike, before: Sequence[int], after: Sequence[int], *,
                  out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """As pad, with the nearest element of x: 1 1 | 1 2 3 | 3 3.

    Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
    negative `dim` counts from the end.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_pad_replicate(x, *numbers_of(before, "before"), *numbers_of(after, "after"),
                    out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_pad_replicate, (x, *numbers_of(before, "before"), *numbers_of(after, "after")),
        out, stream)


def pad_circular(x: ArrayLike, before: Sequence[int], after: Sequence[int], *,
                 out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """As pad, with the elements of the other end: 2 3 | 1 2 3 | 1 2. No number may exceed x's extent.

    Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
    negative `dim` counts from the end.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_pad_circular(x, *numbers_of(before, "before"), *numbers_of(after, "after"),
                    out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_pad_circular, (x, *numbers_of(before, "before"), *numbers_of(after, "after")),
        out, stream)


def roll(x: ArrayLike, shifts: Sequence[int], dims: Dims = None, *, out: Optional[ArrayLike] = None,
         stream: Optional[Stream] = None) -> Tensor:
    """x with its elements moved along dims[k] by shifts[k], those past an end to the other end: element i goes
    to (i + shift) mod extent. A shift may be negative; shifts of one dim add up.

    Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
    negative `dim` counts from the end.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_roll(x, *numbers_of(shifts, "shifts"), *dims_of(x, dims), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_roll, (x, *numbers_of(shifts, "shifts"), *dims_of(x, dims)), out, stream)


def tril(x: ArrayLike, diagonal: int = 0, value: Number = 0, *, out: Optional[ArrayLike] = None,
         stream: Optional[Stream] = None) -> Tensor:
    """x with `value` in place of the elements of each matrix (the last two dims) that are more than `diagonal`
    columns right of the main diagonal, as in a causal mask. A negative `diagonal` counts to the left. `out`
    may be x itself if it is contiguous.

    Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
    negative `dim` counts from the end.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_tril(x, wide(diagonal, "diagonal"), scalar(value, "value"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_tril, (x, wide(diagonal, "diagonal"), scalar(value, "value")), out, stream)


def triu(x: ArrayLike, diagonal: int = 0, value: Number = 0, *, out: Optional[ArrayLike] = None,
         stream: Optional[Stream] = None) -> Tensor:
    """As tril, for the elements that are fewer than `diagonal` columns right of the main diagonal.

    Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
    negative `dim` counts from the end.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_triu(x, wide(diagonal, "diagonal"), scalar(value, "value"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_triu, (x, wide(diagonal, "diagonal"), scalar(value, "value")), out, stream)


def diag(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Matrices with the rows of x as their diagonals, zero elsewhere: [..., n] becomes [..., n, n].

    Elements joined, padded, moved and masked, without arithmetic. Every dtype; inputs of any layout. A
    negative `dim` counts from the end.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_diag(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_diag, (x,), out, stream)


def matmul(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """y[…, i, j] = Σ_t a[…, i, t] · b[…, t, j] for a of shape [batch…, m, k] and b of [batch…, k, n], both of
    one dtype and of rank 2 or more. Batch dims are broadcast by NumPy's rule. Sums are accumulated in f32,
    for f64 in f64, and rounded once; k = 0 gives zeros. `out` must not overlap an input.

    f16 and bf16 give f32, the sums without rounding, if `out` is f32. a may then be f32 itself, with or
    without `out`: it is rounded to b's dtype first, as activations are for 16-bit weights.

    On the CPU, large f32 and f64 products use OpenBLAS, MKL or BLIS if the system has one of them. CUDA
    devices use cuBLASLt for most f16, bf16, f32 and f64 products, HIP devices hipBLASLt or rocBLAS. The
    environment variables KERNELGEN_BLAS_LIBRARY, KERNELGEN_CUBLASLT_LIBRARY, KERNELGEN_HIPBLASLT_LIBRARY
    and KERNELGEN_ROCBLAS_LIBRARY name the library to use instead, or `none`. Errors: Unsupported
    if a named library cannot be opened, and DeviceError with the error that a library reports. A
    BLAS uses its own threads.

    Matrix products: bf16, f16, f32, f64, f8e4m3.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_matmul(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_matmul, (a, b), out, stream)


def softmax(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """exp(x - max) / sum of exp(x - max).

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_softmax(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_softmax, (x,), out, stream)


def scaled_softmax(x: ArrayLike, scale: float = 1, mask: Optional[ArrayLike] = None,
                   slopes: Optional[ArrayLike] = None, sinks: Optional[ArrayLike] = None, *,
                   out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """softmax of scale · x + slope · mask, computed without rounding those; for x of f64 in f64. A row whose
    elements are all masked gives NaN, with a sink zeros. `mask`: f16 or f32, broadcast to x's shape by
    NumPy's rule; -inf masks an element. `slopes`: f32 [heads], where x is [..., heads, rows, columns]:
    factors of the mask, as in ALiBi. `sinks`: f32 [heads]: an additional logit of each row, which is not
    scaled and whose result is not stored.

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if not (type(x) is type(mask) is type(slopes) is type(sinks) is Tensor):
        x, mask, slopes, sinks = operands(x=x, mask=mask, slopes=slopes, sinks=sinks)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_scaled_softmax(x, real(scale, "scale"), mask, slopes, sinks, out, None,
                    None):
            raise failure(status)
        return out
    return result(lib.kernelgen_scaled_softmax, (x, real(scale, "scale"), mask, slopes, sinks), out, stream)


def log_softmax(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The logarithm of softmax, computed without rounding softmax first.

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_log_softmax(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_log_softmax, (x,), out, stream)


def rms_norm(x: ArrayLike, weight: ArrayLike, eps: float = 1e-5, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """x / sqrt(mean of x² + eps) · weight. `weight` has the last dim's length and x's dtype. eps is rounded to
    f32, or is f64 for x of f64, and must then be finite and not negative.

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if not (type(x) is type(weight) is Tensor):
        x, weight = operands(x=x, weight=weight)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_rms_norm(x, weight, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_rms_norm, (x, weight, real(eps, "eps")), out, stream)


def layer_norm(x: ArrayLike, weight: ArrayLike, bias: ArrayLike, eps: float = 1e-5, *,
               out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """(x - mean) / sqrt(variance + eps) · weight + bias, where the variance is the mean of the squared
    deviations from the mean. `weight`, `bias` and eps as in rms_norm.

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if not (type(x) is type(weight) is type(bias) is Tensor):
        x, weight, bias = operands(x=x, weight=weight, bias=bias)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_layer_norm(x, weight, bias, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_layer_norm, (x, weight, bias, real(eps, "eps")), out, stream)


def plain_rms_norm(x: ArrayLike, eps: float = 1e-5, *, out: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tensor:
    """rms_norm and layer_norm without weights.

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_plain_rms_norm(x, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_plain_rms_norm, (x, real(eps, "eps")), out, stream)


def plain_layer_norm(x: ArrayLike, eps: float = 1e-5, *, out: Optional[ArrayLike] = None,
                     stream: Optional[Stream] = None) -> Tensor:
    """rms_norm and layer_norm without weights.

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_plain_layer_norm(x, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_plain_layer_norm, (x, real(eps, "eps")), out, stream)


def l2_norm(x: ArrayLike, eps: float = 1e-5, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
    """x / max(sqrt(sum of x²), eps): rows of norm 1. eps as in rms_norm.

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_l2_norm(x, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_l2_norm, (x, real(eps, "eps")), out, stream)


def group_norm(x: ArrayLike, groups: int, eps: float = 1e-5, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """plain_layer_norm of groups of channels, together with the dims after those: x is [batch, channels, ...],
    and the channels are a multiple of `groups`.

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_group_norm(x, wide(groups, "groups"), real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_group_norm, (x, wide(groups, "groups"), real(eps, "eps")), out, stream)


def add_rms_norm(x: ArrayLike, residual: ArrayLike, weight: ArrayLike, eps: float = 1e-5, *,
                 out_sum: Optional[ArrayLike] = None, out_norm: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """x + residual and its rms_norm, in one pass over memory. `residual` has x's shape and dtype, in any
    layout; `weight` and eps as in rms_norm. Results: `sum`, x + residual, rounded to their dtype; `norm`,
    norm of the sum before that rounding.

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if not (type(x) is type(residual) is type(weight) is Tensor):
        x, residual, weight = operands(x=x, residual=residual, weight=weight)
    return results(lib.kernelgen_add_rms_norm, (x, residual, weight, real(eps, "eps")), (out_sum, out_norm),
        stream)


def add_layer_norm(x: ArrayLike, residual: ArrayLike, weight: ArrayLike, bias: ArrayLike, eps: float = 1e-5,
                   *, out_sum: Optional[ArrayLike] = None, out_norm: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """x + residual and its layer_norm, as add_rms_norm; `weight`, `bias` and eps as in layer_norm. Results:
    `sum`, x + residual, rounded to their dtype; `norm`, norm of the sum before that rounding.

    Normalization along the last dim, of any length; floating point; x of any layout and rank 1 or more.
    Floats narrower than f32 are computed in f32 and rounded once, f64 in f64. `out` may be x itself if x is
    contiguous.
    """
    if not (type(x) is type(residual) is type(weight) is type(bias) is Tensor):
        x, residual, weight, bias = operands(x=x, residual=residual, weight=weight, bias=bias)
    return results(lib.kernelgen_add_layer_norm, (x, residual, weight, bias, real(eps, "eps")),
        (out_sum, out_norm), stream)


def quantize(x: ArrayLike, format: DTypeLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """Quantizes x of f32, f16 or bf16, any layout, rank 1 or more, to `format`, any quantized dtype but the
    iq1, iq2 and iq3 formats. The result is identical, byte for byte, to that of ggml's reference
    (quantize_row_*_ref) on x86 without contraction, also for blocks with infinities. A NaN's payload is
    ignored (ggml's K formats derive codes from it); if a scale is NaN, its bits may differ from ggml's.

    Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
    few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
    is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
    blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_quantize(x, DTYPES[format] if type(format) is str else dtype_of(format), out,
                    None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_quantize, (x, DTYPES[format] if type(format) is str else dtype_of(format)), out,
        stream)


def dequantize(x: ArrayLike, dtype: DTypeLike = "f32", *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """The elements of x, any view, as f32, f16 or bf16: bit for bit those of ggml's dequantize_row_*, rounded
    once.

    Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
    few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
    is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
    blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_dequantize(x, DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), out,
                    None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_dequantize, (x, DTYPES[dtype] if type(dtype) is str else dtype_of(dtype)), out,
        stream)


def get_rows(table: ArrayLike, ids: ArrayLike, dtype: DTypeLike = "f32", *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """The rows of table [rows, n], quantized or f32, f16 or bf16, selected by ids, as f32, f16 or bf16:
    ids.shape + [n]. ids are u8, u32, i16, i32 or i64, of any shape and layout. An id equal to the largest
    value of its type gives zeros. So does any other id outside 0 … rows - 1, and the next wait for the
    stream, or copy to the host in it, reports IndexOutOfRange.

    Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
    few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
    is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
    blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
    """
    if not (type(table) is type(ids) is Tensor):
        table, ids = operands(table=table, ids=ids)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_get_rows(table, ids,
                    DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_get_rows, (table, ids, DTYPES[dtype] if type(dtype) is str else dtype_of(dtype)),
        out, stream)


def set_rows(destination: ArrayLike, ids: ArrayLike, source: ArrayLike, *,
             stream: Optional[Stream] = None) -> None:
    """destination[..., ids[..., i], :] = source[..., i, :], in place, converted to destination's dtype: f32,
    f16, bf16 or quantized as by quantize. `source` [..., m, n] is f32, f16 or bf16; destination is [...,
    rows, n], with the same dims before those; ids, of u8, u32, i16, i32 or i64, are broadcast to [..., m]
    by NumPy's rule. All have any layout; rows of destination must not share memory. An id equal to the
    largest value of its type is skipped; so is any other id outside 0 … rows - 1, which is reported as by
    get_rows. If ids are equal, any of their rows may win.

    Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
    few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
    is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
    blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
    """
    if not (type(destination) is type(ids) is type(source) is Tensor):
        destination, ids, source = operands(written={"destination"}, destination=destination, ids=ids,
        source=source)
    if stream is None and not entered:
        if status := unchecked.kernelgen_set_rows(destination, ids, source, None):
            raise failure(status)
        return
    run(lib.kernelgen_set_rows, (destination, ids, source), stream)


def quantized_matmul(x: ArrayLike, weights: ArrayLike, *, out: Optional[ArrayLike] = None,
                     stream: Optional[Stream] = None) -> Tensor:
    """x Wᵀ for x [..., n] of f32, f16 or bf16 and any layout, and quantized weights W [rows, n]. The result is
    [..., rows], of x's dtype. If x has few rows, they are quantized to 8 bits with a scale for each 32
    elements and multiplied in integers. If it has many, the product is computed in bf16 on devices with
    bf16 matrix instructions. The error before the result is rounded is, in both cases, at most half a step
    of those 8 bits times Σ|w| for each 32 elements, plus that of sums in f32. A row of x with a NaN gives
    NaN; one with an infinity gives no finite numbers.

    Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
    few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
    is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
    blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
    """
    if not (type(x) is type(weights) is Tensor):
        x, weights = operands(x=x, weights=weights)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_quantized_matmul(x, weights, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_quantized_matmul, (x, weights), out, stream)


def indexed_matmul(x: ArrayLike, weights: ArrayLike, ids: ArrayLike, *, out: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tensor:
    """The same with a matrix per result, as in mixtures of experts: y[t, j] = x[t, j] W[ids[t, j]]ᵀ. x is
    [tokens, k, n], or [tokens, 1, n] if the k results of a token share a row; W is [experts, rows, n],
    quantized or f32, f16 or bf16, to which x is rounded; ids are [tokens, k] of u8, u32, i16, i32 or i64. y
    is [tokens, k, rows]. Out of range, they give zeros and are reported as by get_rows.

    Quantized tensors: conversion and products. Their dtypes are ggml's formats, such as q4_0: codes of a
    few bits per element, and scales for each block of 32 to 256 elements along the last dim, whose length
    is a multiple of the block size. Host copies transfer the blocks' bytes, and views consist of whole
    blocks. Apart from copy, concat and stack, only the operations in this file take quantized tensors.
    """
    if not (type(x) is type(weights) is type(ids) is Tensor):
        x, weights, ids = operands(x=x, weights=weights, ids=ids)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_indexed_matmul(x, weights, ids, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_indexed_matmul, (x, weights, ids), out, stream)


def rand_uniform(device: DeviceLike, shape: Sequence[int], dtype: DTypeLike = "f32", low: Number = 0,
                 high: Number = 1, *, out: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tensor:
    """Uniformly distributed in [low, high). Both bounds must be finite and differ in that dtype. Results are
    rounded down, which keeps them in that range for every dtype.

    Random numbers, the same on every device: element i depends only on the device's seed, on the number of
    these calls since set_seed, and on i. Floating point.
    """
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_rand_uniform(Device.of(device), *numbers_of(shape, "shape"),
                    DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), scalar(low, "low"),
                    scalar(high, "high"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_rand_uniform, (Device.of(device), *numbers_of(shape, "shape"),
        DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), scalar(low, "low"), scalar(high, "high")),
        out, stream)


def rand_normal(device: DeviceLike, shape: Sequence[int], dtype: DTypeLike = "f32", mean: Number = 0,
                deviation: Number = 1, *, out: Optional[ArrayLike] = None,
                stream: Optional[Stream] = None) -> Tensor:
    """Normally distributed. `deviation` must not be negative.

    Random numbers, the same on every device: element i depends only on the device's seed, on the number of
    these calls since set_seed, and on i. Floating point.
    """
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_rand_normal(Device.of(device), *numbers_of(shape, "shape"),
                    DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), scalar(mean, "mean"),
                    scalar(deviation, "deviation"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_rand_normal, (Device.of(device), *numbers_of(shape, "shape"),
        DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), scalar(mean, "mean"),
        scalar(deviation, "deviation")), out, stream)


def linear_recurrence(q: ArrayLike, k: ArrayLike, v: ArrayLike, state: ArrayLike,
                      decay: Optional[ArrayLike] = None, rates: Optional[ArrayLike] = None,
                      removal: Optional[ArrayLike] = None, insertion: Optional[ArrayLike] = None,
                      bonus: Optional[ArrayLike] = None, scale: float = 1, delta: Optional[ArrayLike] = None,
                      before: Optional[ArrayLike] = None, before_ids: Optional[ArrayLike] = None,
                      discretize: bool = False, tile_heads: bool = False, *, out: Optional[ArrayLike] = None,
                      stream: Optional[Stream] = None) -> Tensor:
    """For each sequence b and head h, token by token, with a matrix S [V, K]:

    S = S · diag(decay[b, t, h]) + (S removal[b, t, h]) insertion[b, t, h]ᵀ + v[b, t, h] k[b, t, h]ᵀ, y[b,
    t, h] = scale · S q[b, t, h], or with a bonus y[b, t, h] = scale · (S + v (bonus[h] · k)ᵀ) q of the S
    before the token.

    `S removal` is of the S before the token, too. q and k are [B, T, H, K], or have G heads of which H is a
    multiple; v is [B, T, H, V]; y is [B, T, H, V]. `state` [B, H, V, K], contiguous or with each S
    transposed in memory, has the S before the first token, and those after the last when the work is done.
    Operands are f32, of any layout; sums are in f32. K is at most 2048. `out` must not overlap an operand,
    nor `state` any other but a `before` in the same memory. `decay`: [B, T, H, K], or [B, T, H, 1] for one
    factor of all elements; 1 by default. `rates`: [H, K] or [H, 1]. If given, the factors are exp(decay ·
    rates). `removal`: [B, T, H, K], both or neither. `bonus`: [H, K]: y is computed of the state before the
    token's decay, and of the token weighted with the bonus. `delta`: [B, T, H, 1], without a removal and a
    bonus: factors of the delta rule, by which v becomes delta · (v - S k), with the S after the token's
    decay. `before`: [B, H, V, K], in state's layout: the S before the first token, in place of `state`'s,
    which then is only written. `before_ids`: [B], integers, with a `before` of [N, H, V, K] apart from
    `state`: which of its N a sequence starts from. The largest number of the dtype means zeros, and any
    other without a state is reported when the stream is waited for (Code::index_out_of_range).
    `discretize`: Mamba's discretization: Δ = softplus(decay), with a decay of [B, T, H, 1]. Requires rates;
    v is multiplied by Δ. `tile_heads`: Whether head h takes head h mod G of q and k if those have G heads,
    instead of h / (H / G).

    Linear recurrences: RWKV-6 and -7, Mamba and Mamba-2, gated linear attention, gated delta networks. f32.
    """
    if not (type(q) is type(k) is type(v) is type(state) is type(decay) is type(rates) is type(removal) is type(insertion) is type(bonus) is type(delta) is type(before) is type(before_ids) is Tensor):
        q, k, v, state, decay, rates, removal, insertion, bonus, delta, before, before_ids = operands(
        written={"state"}, q=q, k=k, v=v, state=state, decay=decay, rates=rates, removal=removal,
        insertion=insertion, bonus=bonus, delta=delta, before=before, before_ids=before_ids)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_linear_recurrence(q, k, v, state, decay, rates, removal, insertion, bonus,
                    real(scale, "scale"), delta, before, before_ids, bool(discretize), bool(tile_heads), out, None,
                    None):
            raise failure(status)
        return out
    return result(lib.kernelgen_linear_recurrence, (q, k, v, state, decay, rates, removal, insertion, bonus,
        real(scale, "scale"), delta, before, before_ids, bool(discretize), bool(tile_heads)), out, stream)


def sum(x: ArrayLike, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """Integers are summed in 64 bits and wrap. An empty reduction gives 0.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_sum(x, *dims_of(x, dims), bool(keep_dims), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_sum, (x, *dims_of(x, dims), bool(keep_dims)), out, stream)


def mean(x: ArrayLike, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
         stream: Optional[Stream] = None) -> Tensor:
    """Integers: the sum in 64 bits, divided toward zero. An empty reduction gives NaN, for integers 0.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_mean(x, *dims_of(x, dims), bool(keep_dims), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_mean, (x, *dims_of(x, dims), bool(keep_dims)), out, stream)


def prod(x: ArrayLike, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
         stream: Optional[Stream] = None) -> Tensor:
    """An empty reduction gives 1.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_prod(x, *dims_of(x, dims), bool(keep_dims), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_prod, (x, *dims_of(x, dims), bool(keep_dims)), out, stream)


def min(x: ArrayLike, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """If an element is NaN, the result is NaN. Errors: InvalidArgument for an empty reduction.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_min(x, *dims_of(x, dims), bool(keep_dims), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_min, (x, *dims_of(x, dims), bool(keep_dims)), out, stream)


def max(x: ArrayLike, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """If an element is NaN, the result is NaN. Errors: InvalidArgument for an empty reduction.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_max(x, *dims_of(x, dims), bool(keep_dims), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_max, (x, *dims_of(x, dims), bool(keep_dims)), out, stream)


def any(x: ArrayLike, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """u8: 1 if any element, or all elements, differ from zero, as NaN does. An empty reduction gives 0 for
    any, 1 for all.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_any(x, *dims_of(x, dims), bool(keep_dims), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_any, (x, *dims_of(x, dims), bool(keep_dims)), out, stream)


def all(x: ArrayLike, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """u8: 1 if any element, or all elements, differ from zero, as NaN does. An empty reduction gives 0 for
    any, 1 for all.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_all(x, *dims_of(x, dims), bool(keep_dims), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_all, (x, *dims_of(x, dims), bool(keep_dims)), out, stream)


def argmin(x: ArrayLike, dim: Optional[int] = None, keep_dims: bool = False, *,
           out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """u32: the index along `dim` of the least (argmin) or greatest (argmax) element; without `dim` the index
    among all elements in row-major order. Of equal elements it is the first; of NaNs, which win over
    numbers, the first NaN. Errors: InvalidArgument for an empty reduction, and for more than
    2^32 - 1 elements along the reduced extent.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_argmin(x, optional_integer(dim, "dim"), bool(keep_dims), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_argmin, (x, optional_integer(dim, "dim"), bool(keep_dims)), out, stream)


def argmax(x: ArrayLike, dim: Optional[int] = None, keep_dims: bool = False, *,
           out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """u32: the index along `dim` of the least (argmin) or greatest (argmax) element; without `dim` the index
    among all elements in row-major order. Of equal elements it is the first; of NaNs, which win over
    numbers, the first NaN. Errors: InvalidArgument for an empty reduction, and for more than
    2^32 - 1 elements along the reduced extent.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_argmax(x, optional_integer(dim, "dim"), bool(keep_dims), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_argmax, (x, optional_integer(dim, "dim"), bool(keep_dims)), out, stream)


def min_with_index(x: ArrayLike, dim: Optional[int] = None, keep_dims: bool = False, *,
                   out_values: Optional[ArrayLike] = None, out_indices: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The least or greatest element along `dim`, or of all elements, and its index as argmin or argmax gives
    it, in one pass. Of equal elements it is the first; the first NaN wins over numbers and is returned
    quiet; a zero may lose its sign. Errors as argmin and argmax. Results: `values`, of the input's dtype;
    `indices`, u32.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_min_with_index, (x, optional_integer(dim, "dim"), bool(keep_dims)),
        (out_values, out_indices), stream)


def max_with_index(x: ArrayLike, dim: Optional[int] = None, keep_dims: bool = False, *,
                   out_values: Optional[ArrayLike] = None, out_indices: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The least or greatest element along `dim`, or of all elements, and its index as argmin or argmax gives
    it, in one pass. Of equal elements it is the first; the first NaN wins over numbers and is returned
    quiet; a zero may lose its sign. Errors as argmin and argmax. Results: `values`, of the input's dtype;
    `indices`, u32.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_max_with_index, (x, optional_integer(dim, "dim"), bool(keep_dims)),
        (out_values, out_indices), stream)


def reduce(operation: str, x: ArrayLike, dims: Dims = None, keep_dims: bool = False, *,
           out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """A reduction of the device's packages by name, the library's or one that a manifest defines ("reduce").
    Errors: NotFound with the nearest name; for an empty reduction by a functor with "state"
    extreme or index InvalidArgument.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_reduce(text(operation, "operation"), x, *dims_of(x, dims), bool(keep_dims),
                    out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_reduce, (text(operation, "operation"), x, *dims_of(x, dims), bool(keep_dims)),
        out, stream)


def reduce_inputs(operation: str, inputs: Sequence[ArrayLike], dims: Dims = None, keep_dims: bool = False,
                  scalars: Sequence[Number] = (), *, out: Optional[ArrayLike] = None,
                  stream: Optional[Stream] = None) -> Tensor:
    """As reduce(), for a reduction of several inputs, which are broadcast to a common shape with these dims,
    or with scalars. Errors: InvalidArgument if there are others than the manifest has.

    Reductions along any dims of any layout.

    Negative `dims` count from the end; none may occur twice. The result's shape is the input's without
    those dims, or with extent 1 in them if `keep_dims` is set. Reducing no dims copies (any, all: compares
    each element with 0).

    Results are deterministic on one device; rounding may differ between devices. The error of a sum of n
    terms is below (4 + 2·log2 n + n/512) · u · Σ|terms|, where u is the unit roundoff of the accumulator:
    f32 for bf16, f16, f8e4m3 and f32, f64 for f64.
    """
    inputs = operand_list(inputs)
    scalars = scalar_list(scalars)
    return result(lib.kernelgen_reduce_inputs, (text(operation, "operation"), inputs, len(inputs),
        *dims_of(widest(inputs), dims), bool(keep_dims), scalars, len(scalars)), out, stream)


def rope(x: ArrayLike, cos: ArrayLike, sin: ArrayLike, *, out: Optional[ArrayLike] = None,
         stream: Optional[Stream] = None) -> Tensor:
    """x: [batch, heads, positions, d]. Elements i and i + d/2 form a pair (a, b), which becomes (a · cos - b ·
    sin, a · sin + b · cos).

    Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
    cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many positions as x; d
    is even.
    """
    if not (type(x) is type(cos) is type(sin) is Tensor):
        x, cos, sin = operands(x=x, cos=cos, sin=sin)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_rope(x, cos, sin, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_rope, (x, cos, sin), out, stream)


def rope_i(x: ArrayLike, cos: ArrayLike, sin: ArrayLike, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """As rope, but elements 2i and 2i + 1 form a pair.

    Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
    cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many positions as x; d
    is even.
    """
    if not (type(x) is type(cos) is type(sin) is Tensor):
        x, cos, sin = operands(x=x, cos=cos, sin=sin)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_rope_i(x, cos, sin, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_rope_i, (x, cos, sin), out, stream)


def rope_thd(x: ArrayLike, cos: ArrayLike, sin: ArrayLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """As rope for x: [batch, positions, heads, d].

    Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
    cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many positions as x; d
    is even.
    """
    if not (type(x) is type(cos) is type(sin) is Tensor):
        x, cos, sin = operands(x=x, cos=cos, sin=sin)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_rope_thd(x, cos, sin, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_rope_thd, (x, cos, sin), out, stream)


def rope_qk(q: ArrayLike, k: ArrayLike, cos: ArrayLike, sin: ArrayLike, *, out_q: Optional[ArrayLike] = None,
            out_k: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """Applies rope to queries and keys with the same angles, in one launch. The results are bit-identical to
    those of two calls. q and k have one dtype and d and may differ in all other dims: [batch, heads,
    positions, d] each. Results: `q_result`; `k_result`.

    Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
    cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many positions as x; d
    is even.
    """
    if not (type(q) is type(k) is type(cos) is type(sin) is Tensor):
        q, k, cos, sin = operands(q=q, k=k, cos=cos, sin=sin)
    return results(lib.kernelgen_rope_qk, (q, k, cos, sin), (out_q, out_k), stream)


def rope_i_qk(q: ArrayLike, k: ArrayLike, cos: ArrayLike, sin: ArrayLike, *,
              out_q: Optional[ArrayLike] = None, out_k: Optional[ArrayLike] = None,
              stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The same with rope_i. Results: `q_result`; `k_result`.

    Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
    cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many positions as x; d
    is even.
    """
    if not (type(q) is type(k) is type(cos) is type(sin) is Tensor):
        q, k, cos, sin = operands(q=q, k=k, cos=cos, sin=sin)
    return results(lib.kernelgen_rope_i_qk, (q, k, cos, sin), (out_q, out_k), stream)


def rope_thd_qk(q: ArrayLike, k: ArrayLike, cos: ArrayLike, sin: ArrayLike, *,
                out_q: Optional[ArrayLike] = None, out_k: Optional[ArrayLike] = None,
                stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The same with rope_thd. Results: `q_result`; `k_result`.

    Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
    cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many positions as x; d
    is even.
    """
    if not (type(q) is type(k) is type(cos) is type(sin) is Tensor):
        q, k, cos, sin = operands(q=q, k=k, cos=cos, sin=sin)
    return results(lib.kernelgen_rope_thd_qk, (q, k, cos, sin), (out_q, out_k), stream)


def rope_set_rows(q: ArrayLike, k: ArrayLike, v: ArrayLike, cos: ArrayLike, sin: ArrayLike, keys: ArrayLike,
                  key_ids: ArrayLike, values: ArrayLike, value_ids: ArrayLike, are_neighbours: bool = False,
                  *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Returns q rotated, and stores k, rotated too, and v as rows of caches, in one launch: what a step of
    decoding writes. q is [tokens, heads, d], k [tokens, key heads, d], v [tokens, n] and cos and sin are
    [tokens, d / 2], or have more positions; all are f32 of any layout. Pairs are those of rope, or of
    rope_i with `are_neighbours`. Token t is stored in row key_ids[t] of keys, [rows, key heads · d], and in
    row value_ids[t] of values, [rows, n], each f32, f16 or bf16 with contiguous rows; ids are u8, u32, i16,
    i32 or i64. Results are bit-identical to those of rope and set_rows; an id that is out of range, or the
    largest value of its type, means the same as there. `out` may be q, if that is contiguous; k and v may
    have no elements.

    Rotary position embedding (Su et al., "RoFormer", 2021). Floating point; x, cos and sin have one dtype.
    cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many positions as x; d
    is even.
    """
    if not (type(q) is type(k) is type(v) is type(cos) is type(sin) is type(keys) is type(key_ids) is type(values) is type(value_ids) is Tensor):
        q, k, v, cos, sin, keys, key_ids, values, value_ids = operands(q=q, k=k, v=v, cos=cos, sin=sin, keys=keys,
        key_ids=key_ids, values=values, value_ids=value_ids)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_rope_set_rows(q, k, v, cos, sin, keys, key_ids, values, value_ids,
                    bool(are_neighbours), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_rope_set_rows, (q, k, v, cos, sin, keys, key_ids, values, value_ids,
        bool(are_neighbours)), out, stream)


def cumsum(x: ArrayLike, dim: int = -1, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """The inclusive prefix sum along `dim`; a negative `dim` counts from the end. Every dtype; x of any
    layout, of rank 1 or more. `out` may be x itself if it is contiguous. Integers wrap. Floats narrower
    than f64 are summed in f32, f64 in f64, and each element is rounded once; an element that sums n terms
    has the error bound of sum. NaN and infinities propagate to all later elements. Results are
    deterministic on one device. Errors: InvalidArgument for a dim out of range.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_cumsum(x,
                    DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_cumsum, (x, DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim")),
        out, stream)


def arange(device: DeviceLike, start: Number, stop: Number, step: Number = 1, dtype: DTypeLike = "f32", *,
           out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """start, start + step, start + 2 · step, …, up to but without `stop`: ceil((stop - start) / step)
    elements, none if that is negative. Every dtype; elements of floats are computed in f64 and rounded
    once. Errors: InvalidArgument for a step of 0, for numbers that are not finite and, if the
    dtype is an integer, for numbers that are not, or a start that is outside its range.

    Numbers in sequence.
    """
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_arange(Device.of(device), scalar(start, "start"), scalar(stop, "stop"),
                    scalar(step, "step"), DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_arange, (Device.of(device), scalar(start, "start"), scalar(stop, "stop"),
        scalar(step, "step"), DTYPES[dtype] if type(dtype) is str else dtype_of(dtype)), out, stream)


def timestep_embedding(x: ArrayLike, columns: int, max_period: float = 10000, *,
                       out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The sinusoidal embedding of points in time, as in diffusion models: x [n] of floats becomes [n,
    columns], of x's dtype. Row i has cos(x[i] · f_j), then sin(x[i] · f_j), for each j below half = columns
    / 2, and a zero if `columns` is odd; f_j = max_period^(-j / half). x has any layout.

    Numbers in sequence.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_timestep_embedding(x, wide(columns, "columns"),
                    real(max_period, "max_period"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_timestep_embedding, (x, wide(columns, "columns"), real(max_period, "max_period")),
        out, stream)


def solve_triangular(a: ArrayLike, b: ArrayLike, upper: bool = False, unit_diagonal: bool = False, *,
                     out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The y of a · y = b for each matrix a [batch…, n, n], lower triangular, or upper if `upper`, and b
    [batch…, n, m], with equal batch dims. Elements beyond the diagonal are not read, nor the diagonal if
    `unit_diagonal`, which treats it as ones. Operands are f32, of any layout; sums are in f32. A zero on
    the diagonal gives infinities and NaN. `out` may be b itself if b is contiguous.

    Systems of linear equations. f32.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_solve_triangular(a, b, bool(upper), bool(unit_diagonal), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_solve_triangular, (a, b, bool(upper), bool(unit_diagonal)), out, stream)


def argsort(x: ArrayLike, ascending: bool = True, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
    """u32, of x's shape: result[…, i] is the index, along the last dim, of the element at sorted position i.

    sort and argsort work along the last dim, of any length; every dtype; x of any layout and rank 1 or
    more. The order is stable in both directions; -0 equals +0, and NaN comes after every number in both
    directions. Errors: InvalidArgument for rank 0 and for a last dim over 2^32 - 1.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_arg_sort(x, bool(ascending), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_arg_sort, (x, bool(ascending)), out, stream)


def sort(x: ArrayLike, ascending: bool = True, *, out_values: Optional[ArrayLike] = None,
         out_indices: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The sorted elements, and their indices as argsort gives them. A NaN keeps its bits, a zero its sign.
    Results: `values`, of the input's dtype; `indices`, u32.

    sort and argsort work along the last dim, of any length; every dtype; x of any layout and rank 1 or
    more. The order is stable in both directions; -0 equals +0, and NaN comes after every number in both
    directions. Errors: InvalidArgument for rank 0 and for a last dim over 2^32 - 1.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_sort, (x, bool(ascending)), (out_values, out_indices), stream)


def top_k(x: ArrayLike, k: int, dim: int = -1, *, out_values: Optional[ArrayLike] = None,
          out_indices: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The k greatest elements along `dim`, in descending order, and their indices along it: x's shape with
    extent k in that dim. Every dtype; x of any layout. Equal elements are ordered by index, -0 equals +0,
    and NaN comes before every number, as in max but unlike in sort. Without NaN the values are the first k
    of sort(x, false). Values keep their bits. Long rows are not sorted; a radix select finds their k-th
    element. Errors: InvalidArgument for a dim out of range or over 2^32 - 1, and for a k below 0
    or above the dim's extent. Results: `values`, of the input's dtype; `indices`, u32.

    sort and argsort work along the last dim, of any length; every dtype; x of any layout and rank 1 or
    more. The order is stable in both directions; -0 equals +0, and NaN comes after every number in both
    directions. Errors: InvalidArgument for rank 0 and for a last dim over 2^32 - 1.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_top_k, (x, wide(k, "k"),
        DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim")), (out_values, out_indices),
        stream)


# The array API's names.
subtract = sub
multiply = mul
divide = div
equal = eq
not_equal = ne
less = lt
less_equal = le
greater = gt
greater_equal = ge
negative = neg
reciprocal = recip
cumulative_sum = cumsum
astype = to_dtype
clip = clamp
