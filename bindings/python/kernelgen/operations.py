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
                        scalar, scalar_list, size2, text, wide)

__all__ = ["attention", "gelu", "gelu_erf", "silu", "sigmoid", "normcdf", "relu", "elu", "silu_mul",
           "gelu_mul", "affine", "add", "sub", "mul", "div", "maximum", "minimum", "eq", "ne", "lt", "le",
           "gt", "ge", "exp", "log", "sin", "cos", "tanh", "erf", "pow", "ceil", "floor", "round", "square",
           "abs", "neg", "sign", "sqrt", "recip", "expm1", "softplus", "gelu_quick", "xielu", "relu_mul",
           "gelu_erf_mul", "gelu_quick_mul", "swiglu_oai", "step", "trunc", "clamp", "leaky_relu",
           "hardsigmoid", "hardswish", "call", "to_dtype", "where", "copy", "copy_into", "copy2d",
           "const_set", "conv2d", "conv1d", "conv_transpose2d", "conv_transpose1d", "avg_pool2d",
           "max_pool2d", "upsample_nearest1d", "upsample_nearest2d", "upsample_bilinear2d", "gather",
           "index_select", "index_add", "scatter_set", "scatter_add_set", "cross_entropy", "concat", "stack",
           "pad", "pad_reflect", "pad_replicate", "pad_circular", "roll", "tril", "triu", "diag", "matmul",
           "softmax", "log_softmax", "scaled_softmax", "rms_norm", "layer_norm", "plain_rms_norm",
           "plain_layer_norm", "l2_norm", "group_norm", "add_rms_norm", "add_layer_norm", "quantize",
           "dequantize", "get_rows", "set_rows", "quantized_matmul", "indexed_matmul", "rand_uniform",
           "rand_normal", "sum", "mean", "prod", "min", "max", "any", "all", "argmin", "argmax",
           "min_with_index", "max_with_index", "rope", "rope_i", "rope_thd", "rope_qk", "rope_i_qk",
           "rope_thd_qk", "cumsum", "arange", "timestep_embedding", "argsort", "sort", "top_k", "subtract",
           "multiply", "divide", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
           "negative", "reciprocal", "cumulative_sum", "astype", "clip"]


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
    * heads of k, any strides; D is 1 to 256. k and v have q's dtype, or both are f8e4m3. Products and sums are
    f32; the result is rounded once.

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
    mask: Added to the logits: q's dtype, with a shape that broadcasts to [B, H, T, S].
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


def gelu(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))), the tanh approximation of gelu_erf (Hendrycks and
    Gimpel, 2016). Floating point.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_hardswish(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_hardswish, (x,), out, stream)


def call(operation: str, inputs: Sequence[ArrayLike], scalars: Sequence[Number] = (), *,
         out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Calls any element-wise operation of the device's package by name, including one that you defined with an
    "expr". At most 3 inputs and 8 scalars (MAX_INPUTS and
    MAX_SCALARS). Errors: also NotFound with the nearest name.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule. `out` may be one of the inputs (same memory and layout) to work in place.
    """
    inputs = operand_list(inputs)
    scalars = scalar_list(scalars)
    return result(lib.kernelgen_call, (text(operation, "operation"), inputs, len(inputs), scalars, len(scalars)),
        out, stream)


def to_dtype(x: ArrayLike, dtype: DTypeLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """Converts the elements to another dtype. Float to integer: rounds toward zero, saturates, NaN becomes 0.
    Integer to integer: keeps the low bits. To float: rounds to nearest even, once; f8e4m3 saturates at
    ±448.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule. `out` may be one of the inputs (same memory and layout) to work in place.
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
    """a where condition is true, else b. The condition is u8, u32, i16, i32 or i64; a and b have the same
    dtype.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule. `out` may be one of the inputs (same memory and layout) to work in place.
    """
    if not (type(condition) is type(a) is type(b) is Tensor):
        condition, a, b = operands(condition=condition, a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_where_cond(condition, a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_where_cond, (condition, a, b), out, stream)


def copy(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """A contiguous copy.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule. `out` may be one of the inputs (same memory and layout) to work in place.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_copy(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_copy, (x,), out, stream)


def copy_into(destination: ArrayLike, source: ArrayLike, *, stream: Optional[Stream] = None) -> None:
    """Copies the elements of `source` to the view `destination`, without writing to other elements of its memory.
    Both have the same dtype and shape. `destination` has any layout whose elements do not overlap. The two
    must not overlap.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule. `out` may be one of the inputs (same memory and layout) to work in place.
    """
    if not (type(destination) is type(source) is Tensor):
        destination, source = operands(written={"destination"}, destination=destination, source=source)
    if stream is None and not entered:
        if status := unchecked.kernelgen_copy_into(destination, source, None):
            raise failure(status)
        return
    run(lib.kernelgen_copy_into, (destination, source), stream)


def copy2d(destination: ArrayLike, source: ArrayLike, rows: int, columns: int, destination_stride: int,
           source_stride: int, destination_offset: int, source_offset: int, *,
           stream: Optional[Stream] = None) -> None:
    """Copies `rows` rows of `columns` contiguous elements; row r starts at offset + r · stride. All values are in
    elements. Errors: also InvalidArgument for a row that reaches outside its tensor's memory.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule. `out` may be one of the inputs (same memory and layout) to work in place.
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
    """Sets every element of the view (any layout), without writing to other elements of its memory.

    Element-wise operations: one result element from one element of each input. Inputs are broadcast to a
    common shape by NumPy's rule. `out` may be one of the inputs (same memory and layout) to work in place.
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
    """2-d convolution: [b, c, h, w] with weight [o, c / groups, kh, kw] gives [b, o, (h + 2 * padding - dilation
    * (kh - 1) - 1) / stride + 1, and likewise for w] (cross-correlation, as in the common frameworks). bf16,
    f16, f32, f64, f8e4m3; x and weight have the same dtype. Sums are in f32, in f64 for f64, and rounded once.
    On GPUs, this function and the transposed convolution use cuDNN or cuBLASLt, or MIOpen, if the library is
    installed and faster. The first call with given sizes, layout and alignment measures the candidates and
    waits for the stream; make it before you capture a graph. The environment variables
    KERNELGEN_CUDNN_LIBRARY, KERNELGEN_MIOPEN_LIBRARY and those of matmul select other libraries, or
    `none`.

    Convolution, pooling and upsampling of images [batch, channels, height, width], or of [batch, channels,
    length] where noted. Each spatial dim has fewer than 2^31 elements.
    """
    x, weight = operands(x=x, weight=weight)
    window = _c.Window2(stride=size2(stride, "stride"), padding=size2(padding, "padding"),
        dilation=size2(dilation, "dilation"), output_padding=size2(output_padding, "output_padding"),
        groups=integer(groups, "groups"))
    return result(lib.kernelgen_conv2d, (x, weight, window), out, stream)


def conv1d(x: ArrayLike, weight: ArrayLike, stride: int = 1, padding: int = 0, dilation: int = 1,
           output_padding: int = 0, groups: int = 1, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """As conv2d, for x: [b, c, l] and weight: [o, c / groups, k].

    padding: zeros at both ends
    output_padding: transposed convolution: additional elements at the end

    Convolution, pooling and upsampling of images [batch, channels, height, width], or of [batch, channels,
    length] where noted. Each spatial dim has fewer than 2^31 elements.
    """
    x, weight = operands(x=x, weight=weight)
    window = _c.Window1(stride=integer(stride, "stride"), padding=integer(padding, "padding"),
        dilation=integer(dilation, "dilation"), output_padding=integer(output_padding, "output_padding"),
        groups=integer(groups, "groups"))
    return result(lib.kernelgen_conv1d, (x, weight, window), out, stream)


def conv_transpose2d(x: ArrayLike, weight: ArrayLike, stride: Pair = (1, 1), padding: Pair = (0, 0),
                     dilation: Pair = (1, 1), output_padding: Pair = (0, 0), groups: int = 1, *,
                     out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Transposed convolution, the gradient of conv2d with respect to its input: [b, c, h, w] with weight [c, o /
    groups, kh, kw] gives [b, o, (h - 1) * stride - 2 * padding + dilation * (kh - 1) + output_padding + 1, and
    likewise for w]. Dtypes as in conv2d.

    Convolution, pooling and upsampling of images [batch, channels, height, width], or of [batch, channels,
    length] where noted. Each spatial dim has fewer than 2^31 elements.
    """
    x, weight = operands(x=x, weight=weight)
    window = _c.Window2(stride=size2(stride, "stride"), padding=size2(padding, "padding"),
        dilation=size2(dilation, "dilation"), output_padding=size2(output_padding, "output_padding"),
        groups=integer(groups, "groups"))
    return result(lib.kernelgen_conv_transpose2d, (x, weight, window), out, stream)


def conv_transpose1d(x: ArrayLike, weight: ArrayLike, stride: int = 1, padding: int = 0, dilation: int = 1,
                     output_padding: int = 0, groups: int = 1, *, out: Optional[ArrayLike] = None,
                     stream: Optional[Stream] = None) -> Tensor:
    """As conv_transpose2d, for x: [b, c, l] and weight: [c, o / groups, k].

    padding: zeros at both ends
    output_padding: transposed convolution: additional elements at the end

    Convolution, pooling and upsampling of images [batch, channels, height, width], or of [batch, channels,
    length] where noted. Each spatial dim has fewer than 2^31 elements.
    """
    x, weight = operands(x=x, weight=weight)
    window = _c.Window1(stride=integer(stride, "stride"), padding=integer(padding, "padding"),
        dilation=integer(dilation, "dilation"), output_padding=integer(output_padding, "output_padding"),
        groups=integer(groups, "groups"))
    return result(lib.kernelgen_conv_transpose1d, (x, weight, window), out, stream)


def avg_pool2d(x: ArrayLike, kernel: Pair, stride: Pair, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """Average over windows of `kernel` elements with the given `stride`, without padding: [b, c, h, w] becomes
    [b, c, (h - kernel.height) / stride.height + 1, (w - kernel.width) / stride.width + 1]. Any dtype; integers
    use a 64-bit sum, divided toward zero.

    Convolution, pooling and upsampling of images [batch, channels, height, width], or of [batch, channels,
    length] where noted. Each spatial dim has fewer than 2^31 elements.
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
    """The largest element of each window; NaN propagates. Shapes and dtypes as in avg_pool2d.

    Convolution, pooling and upsampling of images [batch, channels, height, width], or of [batch, channels,
    length] where noted. Each spatial dim has fewer than 2^31 elements.
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
    """[b, c, l] resampled to `length`: element i is x's min(floor(i * (l / length)), l - 1). Any dtype.

    Convolution, pooling and upsampling of images [batch, channels, height, width], or of [batch, channels,
    length] where noted. Each spatial dim has fewer than 2^31 elements.
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
    """[b, c, h, w] resampled to `size`, each dim as in upsample_nearest1d.

    Convolution, pooling and upsampling of images [batch, channels, height, width], or of [batch, channels,
    length] where noted. Each spatial dim has fewer than 2^31 elements.
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
    """[b, c, h, w] resampled to `size` by bilinear interpolation of the four nearest elements, as in PyTorch.
    With `align_corners`, the centers of the corner elements of both images coincide, else the image
    corners do. In the latter case, the scales (output size / input size), if not None, replace size / (h, w).
    Any dtype; integers are computed in f64 and truncated.

    Convolution, pooling and upsampling of images [batch, channels, height, width], or of [batch, channels,
    length] where noted. Each spatial dim has fewer than 2^31 elements.
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
    """result[i, j, …] = x[i, ids[i, j, …], …]. `ids` has x's rank and, in dims other than `dim`, at most x's
    extents. The result has the shape of `ids`.

    Gather and scatter along one dim.

    Values have any dtype; `ids` are u8, u32, i16, i32 or i64; all tensors may have any layout. A negative
    `dim` counts from the end. The largest value of the index type means "no element": reads return 0, writes
    are skipped. Any other index outside 0 … size - 1 behaves the same and is an error: the next wait for the
    stream, or copy to the host through it, returns IndexOutOfRange. The message gives the
    operation, the dim, its size and the first such index of the earliest call: see
    Stream.synchronize.
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

    Gather and scatter along one dim.

    Values have any dtype; `ids` are u8, u32, i16, i32 or i64; all tensors may have any layout. A negative
    `dim` counts from the end. The largest value of the index type means "no element": reads return 0, writes
    are skipped. Any other index outside 0 … size - 1 behaves the same and is an error: the next wait for the
    stream, or copy to the host through it, returns IndexOutOfRange. The message gives the
    operation, the dim, its size and the first such index of the earliest call: see
    Stream.synchronize.
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


def index_add(x: ArrayLike, dim: int, ids: ArrayLike, source: ArrayLike, deterministic: bool = False, *,
              out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Returns a copy of x with source[…, i, …] added to its slice […, ids[i], …]. `ids` has rank 1. `source` has
    x's shape, except along `dim`, where its extent is the length of `ids`. Sums as in
    scatter_add_set.

    Gather and scatter along one dim.

    Values have any dtype; `ids` are u8, u32, i16, i32 or i64; all tensors may have any layout. A negative
    `dim` counts from the end. The largest value of the index type means "no element": reads return 0, writes
    are skipped. Any other index outside 0 … size - 1 behaves the same and is an error: the next wait for the
    stream, or copy to the host through it, returns IndexOutOfRange. The message gives the
    operation, the dim, its size and the first such index of the earliest call: see
    Stream.synchronize.
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


def scatter_set(destination: ArrayLike, dim: int, ids: ArrayLike, source: ArrayLike, *,
                stream: Optional[Stream] = None) -> None:
    """destination[i, ids[i, j, …], …] = source[i, j, …], in place; other elements of the memory are not written.
    `ids` has the rank of both tensors, at most the extents of `source` and, in dims other than `dim`, at most
    those of `destination`. The elements of `destination` must not overlap. If several indices are equal, the
    last one along `dim` wins.

    Gather and scatter along one dim.

    Values have any dtype; `ids` are u8, u32, i16, i32 or i64; all tensors may have any layout. A negative
    `dim` counts from the end. The largest value of the index type means "no element": reads return 0, writes
    are skipped. Any other index outside 0 … size - 1 behaves the same and is an error: the next wait for the
    stream, or copy to the host through it, returns IndexOutOfRange. The message gives the
    operation, the dim, its size and the first such index of the earliest call: see
    Stream.synchronize.
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
    """As scatter_set, with += instead of =. Integers wrap; bf16, f16 and f8e4m3 are added in f32 and
    rounded once. The order of float additions may differ between calls, unless `deterministic` is true, which
    may be slower.

    Gather and scatter along one dim.

    Values have any dtype; `ids` are u8, u32, i16, i32 or i64; all tensors may have any layout. A negative
    `dim` counts from the end. The largest value of the index type means "no element": reads return 0, writes
    are skipped. Any other index outside 0 … size - 1 behaves the same and is an error: the next wait for the
    stream, or copy to the host through it, returns IndexOutOfRange. The message gives the
    operation, the dim, its size and the first such index of the earliest call: see
    Stream.synchronize.
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


def cross_entropy(logits: ArrayLike, targets: ArrayLike, *, out_loss: Optional[ArrayLike] = None,
                  out_log_sum_exp: Optional[ArrayLike] = None,
                  stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """Cross-entropy of each row: log of the sum of exp(logits), minus logits[target]. logits are [..., classes],
    with any layout and rank 1 or more; targets are [...] of u8, u32, i16, i32 or i64. The loss [...] has the
    logits' dtype; the log-sum-exp is f32, or f64 for f64 logits. Both are computed in f32, or f64 for f64, and
    rounded once, without loss of accuracy for logits far from zero.

    `out_loss` and `out_log_sum_exp` are written if they are not None, and must not overlap other tensors; with
    `out_loss`, `loss` may be None. The log-sum-exp is optional: it is omitted if `out_log_sum_exp` and
    `log_sum_exp` are both None.

    A target equal to the largest value of its type (255 for u8) gives 0. So does any other target outside 0 …
    classes - 1, and the next wait for the stream, or copy to the host through it, returns
    IndexOutOfRange: see Stream.synchronize. A row with NaN has log-sum-exp NaN and, for
    a valid target, loss NaN. A row with maximum +inf has log-sum-exp +inf, and loss +inf, or NaN if the
    target's logit is +inf. A row of only -inf has log-sum-exp -inf and loss NaN. In any other row, a target
    logit of -inf gives loss +inf.

    Errors: InvalidArgument also for rows without logits.

    Loss functions over the last dim, of any length but 0: bf16, f16, f32, f64, f8e4m3.

    Returns `loss` and `log_sum_exp`.
    """
    if not (type(logits) is type(targets) is Tensor):
        logits, targets = operands(logits=logits, targets=targets)
    return results(lib.kernelgen_cross_entropy, (logits, targets), (out_loss, out_log_sum_exp), stream)


def concat(tensors: Sequence[ArrayLike], dim: int, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """The `tensor_count` tensors one after the other along `dim`. They have one dtype, which may be quantized,
    and one shape, except along `dim`, where any of them may be empty. Errors: InvalidArgument
    without tensors.

    Elements joined, padded, moved and masked, without arithmetic.

    Every dtype; inputs of any layout. A negative `dim` counts from the end.
    """
    tensors = operand_list(tensors)
    return result(lib.kernelgen_concat, (tensors, len(tensors),
        DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim")), out, stream)


def stack(tensors: Sequence[ArrayLike], dim: int, *, out: Optional[ArrayLike] = None,
          stream: Optional[Stream] = None) -> Tensor:
    """As concat, along a new dim: result[…, i, …] is tensor i. The tensors have one shape. A negative
    `dim` counts from the end of the result's shape.

    Elements joined, padded, moved and masked, without arithmetic.

    Every dtype; inputs of any layout. A negative `dim` counts from the end.
    """
    tensors = operand_list(tensors)
    return result(lib.kernelgen_stack, (tensors, len(tensors),
        DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim")), out, stream)


def pad(x: ArrayLike, before: Sequence[int], after: Sequence[int], value: Number = 0, *,
        out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """x with before[i] elements before and after[i] elements after it, all of them `value`, along each dim.
    `before` and `after` have equally many numbers, none negative: one for each of x's last dims.

    Elements joined, padded, moved and masked, without arithmetic.

    Every dtype; inputs of any layout. A negative `dim` counts from the end.
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
    """As pad, with x mirrored at its first and last elements, which are not repeated:
    3 2 | 1 2 3 | 2 1. Each number must be less than x's extent.

    Elements joined, padded, moved and masked, without arithmetic.

    Every dtype; inputs of any layout. A negative `dim` counts from the end.
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

    Elements joined, padded, moved and masked, without arithmetic.

    Every dtype; inputs of any layout. A negative `dim` counts from the end.
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

    Elements joined, padded, moved and masked, without arithmetic.

    Every dtype; inputs of any layout. A negative `dim` counts from the end.
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
    """x with its elements moved along dims[k] by shifts[k], those past an end to the other end: element i goes to
    (i + shift) mod extent. A shift may be negative; shifts of one dim add up.

    Elements joined, padded, moved and masked, without arithmetic.

    Every dtype; inputs of any layout. A negative `dim` counts from the end.
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
    columns right of the main diagonal, as in a causal mask. A negative `diagonal` counts to the left. `out` may
    be x itself if it is contiguous.

    Elements joined, padded, moved and masked, without arithmetic.

    Every dtype; inputs of any layout. A negative `dim` counts from the end.
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

    Elements joined, padded, moved and masked, without arithmetic.

    Every dtype; inputs of any layout. A negative `dim` counts from the end.
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

    Elements joined, padded, moved and masked, without arithmetic.

    Every dtype; inputs of any layout. A negative `dim` counts from the end.
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
    """[batch..., m, k] times [batch..., k, n]: bf16, f16, f32, f64, f8e4m3, the same dtype for both, rank 2 to 8,
    any layout. Batch dims are broadcast by NumPy's rule. k = 0 gives zeros. `out` must not overlap an input.
    On the CPU, large f32 and f64 products use the system's OpenBLAS, MKL or BLIS. On GPUs, most products use
    cuBLASLt, or hipBLASLt and rocBLAS. The environment variables KERNELGEN_BLAS_LIBRARY,
    KERNELGEN_CUBLASLT_LIBRARY, KERNELGEN_HIPBLASLT_LIBRARY and KERNELGEN_ROCBLAS_LIBRARY select another
    library, or `none`.

    Matrix multiplication.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_matmul(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_matmul, (a, b), out, stream)


def softmax(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """exp(x - max) / sum of exp(x - max), and its logarithm.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_softmax(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_softmax, (x,), out, stream)


def log_softmax(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """exp(x - max) / sum of exp(x - max), and its logarithm.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_log_softmax(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_log_softmax, (x,), out, stream)


def scaled_softmax(x: ArrayLike, scale: float = 1.0, mask: Optional[ArrayLike] = None,
                   slopes: Optional[ArrayLike] = None, sinks: Optional[ArrayLike] = None, *,
                   out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """softmax of scale · x + slope · mask, computed without rounding those; for x of f64 in f64. `mask`, `slopes` and
    `sinks` may be None. `mask` is f16 or f32 and is broadcast to x's shape by NumPy's rule; -inf masks an element.
    `slopes`, f32 [heads], where x is [..., heads, rows, columns], are factors of the mask, as in ALiBi. `sinks`, f32
    [heads], are an element more in each row, which is not scaled and whose result is not stored. A row whose elements
    are all masked gives NaN, with a sink zeros.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.
    """
    if not (type(x) is type(mask) is type(slopes) is type(sinks) is Tensor):
        x, mask, slopes, sinks = operands(x=x, mask=mask, slopes=slopes, sinks=sinks)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_scaled_softmax(x, real(scale, "scale"), mask, slopes, sinks, out, None,
                    None):
            raise failure(status)
        return out
    return result(lib.kernelgen_scaled_softmax, (x, real(scale, "scale"), mask, slopes, sinks), out, stream)


def rms_norm(x: ArrayLike, weight: ArrayLike, eps: float, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """x / sqrt(mean of x^2 + eps) * weight; `weight` has the length of the last dim and x's dtype.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.
    """
    if not (type(x) is type(weight) is Tensor):
        x, weight = operands(x=x, weight=weight)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_rms_norm(x, weight, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_rms_norm, (x, weight, real(eps, "eps")), out, stream)


def layer_norm(x: ArrayLike, weight: ArrayLike, bias: ArrayLike, eps: float, *,
               out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """(x - mean) / sqrt(variance + eps) * weight + bias; `weight` and `bias` as in rms_norm.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.
    """
    if not (type(x) is type(weight) is type(bias) is Tensor):
        x, weight, bias = operands(x=x, weight=weight, bias=bias)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_layer_norm(x, weight, bias, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_layer_norm, (x, weight, bias, real(eps, "eps")), out, stream)


def plain_rms_norm(x: ArrayLike, eps: float, *, out: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tensor:
    """rms_norm and layer_norm without weights.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_plain_rms_norm(x, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_plain_rms_norm, (x, real(eps, "eps")), out, stream)


def plain_layer_norm(x: ArrayLike, eps: float, *, out: Optional[ArrayLike] = None,
                     stream: Optional[Stream] = None) -> Tensor:
    """rms_norm and layer_norm without weights.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_plain_layer_norm(x, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_plain_layer_norm, (x, real(eps, "eps")), out, stream)


def l2_norm(x: ArrayLike, eps: float, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
    """x / max(sqrt(sum of x²), eps): rows of length 1. eps as in rms_norm.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_l2_norm(x, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_l2_norm, (x, real(eps, "eps")), out, stream)


def group_norm(x: ArrayLike, groups: int, eps: float, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """plain_layer_norm of groups of channels, together with the dims after those: x is [batch, channels, ...], and
    the channels are a multiple of `groups`.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_group_norm(x, wide(groups, "groups"), real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_group_norm, (x, wide(groups, "groups"), real(eps, "eps")), out, stream)


def add_rms_norm(x: ArrayLike, residual: ArrayLike, weight: ArrayLike, eps: float, *,
                 out_sum: Optional[ArrayLike] = None, out_norm: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """Computes x + residual, rounded to their dtype, and rms_norm or layer_norm of the unrounded sum, in one pass
    over memory. `residual` has x's shape and dtype, in any layout. `out_sum` and `out_norm` are written if
    they are not None; then `sum` or `norm` may be None. Each output may be x or residual itself (same memory
    and layout), but not both the same one. Neither may overlap a weight.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.

    Returns `sum` and `norm`.
    """
    if not (type(x) is type(residual) is type(weight) is Tensor):
        x, residual, weight = operands(x=x, residual=residual, weight=weight)
    return results(lib.kernelgen_add_rms_norm, (x, residual, weight, real(eps, "eps")), (out_sum, out_norm),
        stream)


def add_layer_norm(x: ArrayLike, residual: ArrayLike, weight: ArrayLike, bias: ArrayLike, eps: float, *,
                   out_sum: Optional[ArrayLike] = None, out_norm: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """Computes x + residual, rounded to their dtype, and rms_norm or layer_norm of the unrounded sum, in one pass
    over memory. `residual` has x's shape and dtype, in any layout. `out_sum` and `out_norm` are written if
    they are not None; then `sum` or `norm` may be None. Each output may be x or residual itself (same memory
    and layout), but not both the same one. Neither may overlap a weight.

    Normalization over the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x has any layout and rank 1 or
    more. `out` may be x itself if x is contiguous.

    Returns `sum` and `norm`.
    """
    if not (type(x) is type(residual) is type(weight) is type(bias) is Tensor):
        x, residual, weight, bias = operands(x=x, residual=residual, weight=weight, bias=bias)
    return results(lib.kernelgen_add_layer_norm, (x, residual, weight, bias, real(eps, "eps")),
        (out_sum, out_norm), stream)


def quantize(x: ArrayLike, format: DTypeLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """Quantizes x, of f32, f16 or bf16, to `format`. The blocks equal those of ggml's reference
    (quantize_row_*_ref) on x86 without FMA contraction, byte for byte, including blocks with infinities. Every
    NaN is treated as the NaN with zero payload (ggml's K formats derive codes from the payload bits); the NaN
    stored as a scale may differ from ggml's.

    Quantization, dequantization and matrix multiplication of quantized tensors.

    The quantized dtypes are those from Q4_0 on, in ggml's formats: a few bits per element and scales
    per block of 32 or 256 elements along the last dim. The last dim's length is a multiple of the block size
    (DType.block). Host copies transfer the raw blocks; views do not split blocks. Only these
    operations and copy accept quantized tensors.
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


def dequantize(x: ArrayLike, dtype: DTypeLike, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """Dequantizes x to f32, f16 or bf16: bit for bit the values of ggml's dequantize_row_*, rounded once.

    Quantization, dequantization and matrix multiplication of quantized tensors.

    The quantized dtypes are those from Q4_0 on, in ggml's formats: a few bits per element and scales
    per block of 32 or 256 elements along the last dim. The last dim's length is a multiple of the block size
    (DType.block). Host copies transfer the raw blocks; views do not split blocks. Only these
    operations and copy accept quantized tensors.
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


def get_rows(table: ArrayLike, ids: ArrayLike, dtype: DTypeLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """Embedding lookup: the rows of table [rows, n], quantized or f32, f16 or bf16, selected by ids, as f32, f16 or
    bf16. The result's shape is that of ids, then n. ids are u8, u32, i16, i32 or i64. An id equal to the largest value of its type gives
    zeros. So does any other id outside 0 … rows - 1, and the next wait for the stream, or copy to the host
    through it, returns IndexOutOfRange: see Stream.synchronize.

    Quantization, dequantization and matrix multiplication of quantized tensors.

    The quantized dtypes are those from Q4_0 on, in ggml's formats: a few bits per element and scales
    per block of 32 or 256 elements along the last dim. The last dim's length is a multiple of the block size
    (DType.block). Host copies transfer the raw blocks; views do not split blocks. Only these
    operations and copy accept quantized tensors.
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
    """destination[..., ids[..., i], :] = source[..., i, :], in place, converted to destination's dtype: f32, f16, bf16
    or quantized as by quantize. `source` [..., m, n] is f32, f16 or bf16; destination is [..., rows, n],
    with the same dims before those; ids, of u8, u32, i16, i32 or i64, are broadcast to [..., m] by NumPy's rule. All
    have any layout; rows of destination must not share memory. An id equal to the largest value of its type is
    skipped; so is any other id outside 0 … rows - 1, which is reported as by get_rows. If ids are equal,
    any of their rows may win.

    Quantization, dequantization and matrix multiplication of quantized tensors.

    The quantized dtypes are those from Q4_0 on, in ggml's formats: a few bits per element and scales
    per block of 32 or 256 elements along the last dim. The last dim's length is a multiple of the block size
    (DType.block). Host copies transfer the raw blocks; views do not split blocks. Only these
    operations and copy accept quantized tensors.
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
    """x Wᵀ: x [..., n] is f32, f16 or bf16, weights W [rows, n] are quantized; the result [..., rows] has x's
    dtype. The error before the final rounding is at most half a quantization step of x at 8 bits times Σ|w|
    for each 32 elements, plus the error of f32 summation. A row of x with a NaN gives NaN; a row with an
    infinity gives no finite values.

    Quantization, dequantization and matrix multiplication of quantized tensors.

    The quantized dtypes are those from Q4_0 on, in ggml's formats: a few bits per element and scales
    per block of 32 or 256 elements along the last dim. The last dim's length is a multiple of the block size
    (DType.block). Host copies transfer the raw blocks; views do not split blocks. Only these
    operations and copy accept quantized tensors.
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
    """y[t, j] = x[t, j] W[ids[t, j]]ᵀ (mixture of experts). x is [tokens, k, n], or [tokens, 1, n] if all results
    of a token use the same row; weights are [experts, rows, n], ids [tokens, k], y [tokens, k, rows].
    Out-of-range ids as in get_rows.

    Quantization, dequantization and matrix multiplication of quantized tensors.

    The quantized dtypes are those from Q4_0 on, in ggml's formats: a few bits per element and scales
    per block of 32 or 256 elements along the last dim. The last dim's length is a multiple of the block size
    (DType.block). Host copies transfer the raw blocks; views do not split blocks. Only these
    operations and copy accept quantized tensors.
    """
    if not (type(x) is type(weights) is type(ids) is Tensor):
        x, weights, ids = operands(x=x, weights=weights, ids=ids)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_indexed_matmul(x, weights, ids, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_indexed_matmul, (x, weights, ids), out, stream)


def rand_uniform(device: DeviceLike, shape: Sequence[int], dtype: DTypeLike, low: Number, high: Number, *,
                 out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Uniform distribution over [low, high). Both bounds must be finite and differ in the dtype. Values are
    rounded down to the dtype.

    Random number generation: bf16, f16, f32, f64, f8e4m3; see Device.seed.
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


def rand_normal(device: DeviceLike, shape: Sequence[int], dtype: DTypeLike, mean: Number, std: Number, *,
                out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Normal distribution. `std` must not be negative.

    Random number generation: bf16, f16, f32, f64, f8e4m3; see Device.seed.
    """
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_rand_normal(Device.of(device), *numbers_of(shape, "shape"),
                    DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), scalar(mean, "mean"),
                    scalar(std, "std"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_rand_normal, (Device.of(device), *numbers_of(shape, "shape"),
        DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), scalar(mean, "mean"), scalar(std, "std")),
        out, stream)


def sum(x: ArrayLike, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
        stream: Optional[Stream] = None) -> Tensor:
    """Sum. bf16, f16 and f8e4m3 are summed in f32; integers in 64 bits, with wraparound. Empty: 0.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.
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
    """Mean. Integers are divided toward zero. Empty: NaN, for integers 0.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.
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
    """Product. Empty: 1.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.
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
    """Minimum and maximum; NaN propagates. Errors: InvalidArgument for an empty reduction.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.
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
    """Minimum and maximum; NaN propagates. Errors: InvalidArgument for an empty reduction.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.
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
    """Logical reductions to u8: 1 if any, or every, element is nonzero, else 0. NaN is nonzero. Empty: 0 for any,
    1 for all.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.
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
    """Logical reductions to u8: 1 if any, or every, element is nonzero, else 0. NaN is nonzero. Empty: 0 for any,
    1 for all.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.
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
    """u32 index of the smallest, or largest, element along `dim`, or in row-major order of all elements if `dim`
    is None. Ties give the first index; NaN gives the first NaN's. Errors: InvalidArgument for an
    empty reduction, or for more than 2^32 - 1 elements.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.
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
    """u32 index of the smallest, or largest, element along `dim`, or in row-major order of all elements if `dim`
    is None. Ties give the first index; NaN gives the first NaN's. Errors: InvalidArgument for an
    empty reduction, or for more than 2^32 - 1 elements.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.
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
    """The smallest, or largest, element along `dim`, or of all elements if `dim` is None, and its index as in
    argmin, or argmax, in one pass. If elements compare equal, the first one is returned. A
    NaN is the first NaN, as a quiet NaN; a zero may lose its sign. `out_values`, of x's dtype, and
    `out_indices`, u32, are written if they are not None, and must not overlap other tensors; then `values`, or
    `indices`, may be None. Errors: InvalidArgument as for argmin.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.

    Returns `values` and `indices`.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_min_with_index, (x, optional_integer(dim, "dim"), bool(keep_dims)),
        (out_values, out_indices), stream)


def max_with_index(x: ArrayLike, dim: Optional[int] = None, keep_dims: bool = False, *,
                   out_values: Optional[ArrayLike] = None, out_indices: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The smallest, or largest, element along `dim`, or of all elements if `dim` is None, and its index as in
    argmin, or argmax, in one pass. If elements compare equal, the first one is returned. A
    NaN is the first NaN, as a quiet NaN; a zero may lose its sign. `out_values`, of x's dtype, and
    `out_indices`, u32, are written if they are not None, and must not overlap other tensors; then `values`, or
    `indices`, may be None. Errors: InvalidArgument as for argmin.

    Reductions along any dims, of any layout.

    `dims` holds `dim_count` distinct dims; a negative dim counts from the end. It may be None if `dim_count`
    is 0, which copies x. The result has the input's shape without those dims, or with extent 1 for them if
    `keep_dims` is true. Results are deterministic on a given device.

    Returns `values` and `indices`.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_max_with_index, (x, optional_integer(dim, "dim"), bool(keep_dims)),
        (out_values, out_indices), stream)


def rope(x: ArrayLike, cos: ArrayLike, sin: ArrayLike, *, out: Optional[ArrayLike] = None,
         stream: Optional[Stream] = None) -> Tensor:
    """x: [batch, heads, positions, d]. Elements i and i + d/2 form a pair (a, b), which is rotated to (a * cos -
    b * sin, a * sin + b * cos).

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin have
    the same dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many
    positions as x; d is even.
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

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin have
    the same dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many
    positions as x; d is even.
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
    """As rope, for x: [batch, positions, heads, d].

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin have
    the same dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many
    positions as x; d is even.
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
    """rope of queries and keys with the same angles, in one launch; bit-identical to two separate
    calls. q and k are [batch, heads, positions, d] with the same dtype and d; their other dims may differ.
    `out_q` and `out_k` are written if they are not None, and must not overlap other tensors; then `q_result`,
    or `k_result`, may be None.

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin have
    the same dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many
    positions as x; d is even.

    Returns `q_result` and `k_result`.
    """
    if not (type(q) is type(k) is type(cos) is type(sin) is Tensor):
        q, k, cos, sin = operands(q=q, k=k, cos=cos, sin=sin)
    return results(lib.kernelgen_rope_qk, (q, k, cos, sin), (out_q, out_k), stream)


def rope_i_qk(q: ArrayLike, k: ArrayLike, cos: ArrayLike, sin: ArrayLike, *,
              out_q: Optional[ArrayLike] = None, out_k: Optional[ArrayLike] = None,
              stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """As rope_qk, with rope_i.

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin have
    the same dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many
    positions as x; d is even.

    Returns `q_result` and `k_result`.
    """
    if not (type(q) is type(k) is type(cos) is type(sin) is Tensor):
        q, k, cos, sin = operands(q=q, k=k, cos=cos, sin=sin)
    return results(lib.kernelgen_rope_i_qk, (q, k, cos, sin), (out_q, out_k), stream)


def rope_thd_qk(q: ArrayLike, k: ArrayLike, cos: ArrayLike, sin: ArrayLike, *,
                out_q: Optional[ArrayLike] = None, out_k: Optional[ArrayLike] = None,
                stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """As rope_qk, with rope_thd.

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin have
    the same dtype. cos and sin are [positions, d / 2] or [batch, positions, d / 2], with at least as many
    positions as x; d is even.

    Returns `q_result` and `k_result`.
    """
    if not (type(q) is type(k) is type(cos) is type(sin) is Tensor):
        q, k, cos, sin = operands(q=q, k=k, cos=cos, sin=sin)
    return results(lib.kernelgen_rope_thd_qk, (q, k, cos, sin), (out_q, out_k), stream)


def cumsum(x: ArrayLike, dim: int, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """Inclusive prefix sum along `dim`; a negative `dim` counts from the end. Every dtype; x has any layout and
    rank 1 or more; `out` may be x itself if x is contiguous. Integers wrap. bf16, f16, f8e4m3 and f32 are
    summed in f32, f64 in f64; each result is rounded once. NaN and infinities propagate to all later elements.
    Bit-identical between runs on a given device. Errors: InvalidArgument for a dim out of range.

    Prefix sums.
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


def arange(device: DeviceLike, start: Number, stop: Number, step: Number, dtype: DTypeLike, *,
           out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """start, start + step, start + 2 · step, …, up to but without `stop`: ceil((stop - start) / step) elements,
    none if that is negative. Every dtype; elements of floats are computed in f64 and rounded once. Errors:
    InvalidArgument for a step of 0, for numbers that are not finite and, if the dtype is an integer,
    for numbers that are not, or a start that is outside its range.

    Numbers in sequence.
    """
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_arange(Device.of(device), scalar(start, "start"), scalar(stop, "stop"),
                    scalar(step, "step"), DTYPES[dtype] if type(dtype) is str else dtype_of(dtype), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_arange, (Device.of(device), scalar(start, "start"), scalar(stop, "stop"),
        scalar(step, "step"), DTYPES[dtype] if type(dtype) is str else dtype_of(dtype)), out, stream)


def timestep_embedding(x: ArrayLike, columns: int, max_period: float = 10000.0, *,
                       out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The sinusoidal embedding of points in time, as in diffusion models: x [n] of floats becomes [n, columns], of
    x's dtype. Row i has cos(x[i] · f_j), then sin(x[i] · f_j), for j from 0 to half = columns / 2, and a zero
    if `columns` is odd; f_j = max_period^(-j / half). x has any layout.

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


def argsort(x: ArrayLike, ascending: bool = True, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
    """Returns u32 indices of x's shape: result i along the last dim is the index of the i-th element in sorted
    order.

    Sorting and top-k. sort and argsort sort along the last dim, of any length; every
    dtype; x has any layout and rank 1 or more. The sort is stable in both directions. -0 equals +0, and NaN is
    last in both directions. The order is ascending if `ascending` is true, else descending.

    Errors: InvalidArgument for rank 0 and a last dim of more than 2^32 - 1.
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
    """Returns the sorted elements, and their indices as in argsort. `out_values` and `out_indices` are
    written if they are not None; then `values`, or `indices`, may be None.

    Sorting and top-k. sort and argsort sort along the last dim, of any length; every
    dtype; x has any layout and rank 1 or more. The sort is stable in both directions. -0 equals +0, and NaN is
    last in both directions. The order is ascending if `ascending` is true, else descending.

    Errors: InvalidArgument for rank 0 and a last dim of more than 2^32 - 1.

    Returns `values` and `indices`.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_sort, (x, bool(ascending)), (out_values, out_indices), stream)


def top_k(x: ArrayLike, k: int, dim: int, *, out_values: Optional[ArrayLike] = None,
          out_indices: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """Returns the k largest elements along `dim` in descending order, and their indices along it. The results
    have x's shape with extent k for that dim. Every dtype, any layout; a negative `dim` counts from the end.
    The lower index wins ties, -0 equals +0, and NaN precedes every number, unlike in sort. Values
    are copied bit for bit. `out_values`, of x's dtype, and `out_indices`, u32, are written if they are not
    None, and must not overlap other tensors; then `values`, or `indices`, may be None. Errors:
    InvalidArgument for a dim out of range or with an extent of more than 2^32 - 1, and for a k
    below 0 or above the dim's extent.

    Sorting and top-k. sort and argsort sort along the last dim, of any length; every
    dtype; x has any layout and rank 1 or more. The sort is stable in both directions. -0 equals +0, and NaN is
    last in both directions. The order is ascending if `ascending` is true, else descending.

    Errors: InvalidArgument for rank 0 and a last dim of more than 2^32 - 1.

    Returns `values` and `indices`.
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
