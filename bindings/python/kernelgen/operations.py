"""The backend's operations.

Inputs have any layout. They are tensors, or arrays of other libraries, which are taken where they lie (see
kernelgen.from_dlpack); a number stands for a tensor of one element, of the last array's dtype. The result
is a new contiguous tensor, or is written to `out`, a contiguous tensor (or array) of the result's shape and dtype,
which is then what is returned; of several results, one whose `out_…` is False is not wanted, where the operation
can leave it out, and None. `dims` None are all of them. Work is put into `stream`, where that is None into
the current one (`with stream:`), else into the device's default queue, and not waited for.

Errors of all: InvalidArgument, before anything is launched, for a dtype, shape or device the
operation does not take, with a text that names the operation, what was given and what it accepts;
Unsupported when the package has no code of the kernel for the device; OutOfMemory;
DeviceError.

Written by bindings/generate.py from the C headers; do not edit.
"""

from __future__ import annotations

from ctypes import byref, sizeof
from typing import Optional, Sequence, Tuple

from . import _c
from ._library import failure, lib, unchecked
from ._operands import (ArrayLike, DType, DTypeLike, Device, DeviceLike, Dims, Number, Pair, Stream, Tensor,
                        DIMS, DTYPES, dims_of, dtype_of, entered, handle, integer, numbers_of, operand_list,
                        operands, optional_integer, optional_real, real, result, results, run, scalar,
                        scalar_list, size2, text, wide)

__all__ = ["attention", "gelu", "gelu_erf", "silu", "sigmoid", "normcdf", "relu", "elu", "silu_mul",
           "gelu_mul", "affine", "add", "sub", "mul", "div", "maximum", "minimum", "eq", "ne", "lt", "le",
           "gt", "ge", "exp", "log", "sin", "cos", "tanh", "erf", "powf", "ceil", "floor", "round", "sqr",
           "abs", "neg", "sign", "sqrt", "recip", "call", "to_dtype", "where_cond", "copy", "copy_into",
           "copy2d", "const_set", "conv2d", "conv1d", "conv_transpose2d", "conv_transpose1d", "avg_pool2d",
           "max_pool2d", "upsample_nearest1d", "upsample_nearest2d", "upsample_bilinear2d", "gather",
           "index_select", "index_add", "scatter_set", "scatter_add_set", "cross_entropy", "matmul",
           "softmax", "log_softmax", "rms_norm", "layer_norm", "add_rms_norm", "add_layer_norm", "quantize",
           "dequantize", "get_rows", "quantized_matmul", "indexed_matmul", "rand_uniform", "rand_normal",
           "sum", "mean", "prod", "min", "max", "any", "all", "argmin", "argmax", "min_with_index",
           "max_with_index", "rope", "rope_i", "rope_thd", "rope_qk", "rope_i_qk", "rope_thd_qk", "cumsum",
           "arg_sort", "sort", "top_k"]


def attention(q: ArrayLike, k: ArrayLike, v: ArrayLike, scale: float = 0.0, soft_cap: float = 0.0,
              causal: bool = False, before: int = -1, after: int = -1, mask: Optional[ArrayLike] = None,
              slopes: Optional[ArrayLike] = None, sinks: Optional[ArrayLike] = None,
              query_lengths: Optional[ArrayLike] = None, key_lengths: Optional[ArrayLike] = None,
              pages: Optional[ArrayLike] = None, log_sum_exp: Optional[ArrayLike] = None, *,
              out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """result[b, h, t] = sum over j of softmax_j(logit(t, j)) * v[b, h / group, j], where logit(t, j) is scale * q[b, h, t].k[b,
    h / group, j], capped, then less slope * distance, then plus the mask's element. q is [B, H, T, D], k and v are [B, heads
    of k, S, D] with H = group * heads of k, any strides; D is 1 to 256. k and v have q's dtype, or both are f8e4m3. Products
    and sums are f32, the result is rounded once.

    Queries and keys end together: query t of a sequence of n stands at t + keys - n among its keys. A key whose logit is
    -inf counts as not seen; nothing of a key that a query does not see reaches its row. A query that sees no key, and a row
    behind its sequence's length, gives zeros and, without a sink, a log-sum-exp of -inf, with one the sink.

    `options` may be None. `out` has q's shape and dtype, elements of its last dim are neighbours, its other strides are any.

    Lengths and pages are u8, u32, i16, i32 or i64; one that is negative or too large makes a sequence without rows, or keys
    that are not seen, and IndexOutOfRange at the next wait for the stream. Errors:
    InvalidArgument for shapes and dtypes that do not fit, D = 0 or over 256, extents over 2^31 - 1, numbers that
    are not finite, options of another size than a library of this version knows.

    scale: Of products of q and k; 0: 1 / sqrt(D).
    soft_cap: cap * tanh(logit / cap) in place of each logit; 0: no cap.
    causal: True: a query sees no key behind its own place.
    before: Keys that a query sees at most before, and behind, its own place; -1: all.
    after: Keys that a query sees at most before, and behind, its own place; -1: all.
    mask: Added to logits: q's dtype, of a shape that broadcasts to [B, H, T, S].
    slopes: ALiBi: slope * distance is taken off a logit. f32 [H] or [B, H].
    sinks: Logits of keys that each head sees besides, whose values are 0. f32 [H].
    query_lengths: Rows that each sequence has, the first of its T and S; ids [B].
    key_lengths: Rows that each sequence has, the first of its T and S; ids [B].
    pages: ids [B, pages each]: then k and v are a cache [pages, heads of k, rows of a page, D], in which key j of sequence b is row j % rows of page pages[b, j / rows], and S is pages each * rows.
    log_sum_exp: Written where it is not None: the log-sum-exp of each row, f32 [B, H, T], contiguous, memory of its own.

    Attention, forward: f16, bf16, f32.
    """
    q, k, v, mask, slopes, sinks, query_lengths, key_lengths, pages, log_sum_exp = operands(
        written={"log_sum_exp"}, q=q, k=k, v=v, mask=mask, slopes=slopes, sinks=sinks,
        query_lengths=query_lengths, key_lengths=key_lengths, pages=pages, log_sum_exp=log_sum_exp)
    options = _c.AttentionOptions(size=sizeof(_c.AttentionOptions), scale=real(scale, "scale"),
        soft_cap=real(soft_cap, "soft_cap"), causal=bool(causal), before=integer(before, "before"),
        after=integer(after, "after"), mask=handle(mask), slopes=handle(slopes), sinks=handle(sinks),
        query_lengths=handle(query_lengths), key_lengths=handle(key_lengths), pages=handle(pages),
        log_sum_exp=handle(log_sum_exp))
    return result(lib.kernelgen_attention, (q, k, v, byref(options)), out, stream)


def gelu(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """x/2 · (1 + tanh(√(2/π) · (x + 0.044715 · x³))), which Hendrycks and Gimpel (2016) give for gelu_erf.
    Floating point.

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
    """x · normcdf(x), GELU itself. Floating point.

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
    """The normal distribution function, (1 + erf(x/√2)) / 2. Floating point.

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
    """max(x, 0); NaN stays. Any dtype.

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
    """x where x > 0, else alpha · (e^x - 1). Floating point.

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
    """x · mul + add, of floats rounded once; integers wrap. Any dtype.

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
    """a / b; of integers toward zero, and 0 where b is 0. Any dtype, the same for both.

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
    """The greater one; NaN where either is. Any dtype, the same for both.

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
    """The lesser one; NaN where either is. Any dtype, the same for both.

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


def powf(x: ArrayLike, e: Number, *, out: Optional[ArrayLike] = None,
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
    """The least integer that is not less than x; integers stay. Any dtype.

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
    """The greatest integer that is not greater than x; integers stay. Any dtype.

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
    """The nearest integer, halves away from zero; integers stay. Any dtype.

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


def sqr(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
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
    """|x|; the lowest integer stays. Any dtype.

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
    """-1, 0 or 1; NaN of NaN, 0 of -0. Any dtype.

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
    """The square root; NaN of what is less than 0. Floating point.

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


def call(operation: str, inputs: Sequence[ArrayLike], scalars: Sequence[Number] = (), *,
         out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """Any element-wise operation of the device's package by name, one with an "expr" of your own too. At most 3
    inputs and 8 scalars (MAX_INPUTS and MAX_SCALARS). Errors: also
    NotFound with the nearest name.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
    """
    inputs = operand_list(inputs)
    scalars = scalar_list(scalars)
    return result(lib.kernelgen_call, (text(operation, "operation"), inputs, len(inputs), scalars, len(scalars)),
        out, stream)


def to_dtype(x: ArrayLike, dtype: DTypeLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """The elements in another dtype. To integers: toward zero, saturating, NaN gives 0; between integers: the low
    bits; to floats: to nearest even, once; to f8e4m3: saturating at ±448.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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


def where_cond(condition: ArrayLike, a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """a where condition is true, else b. The condition is u8, u32, i16, i32 or i64; a and b share a dtype.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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
    shape) and nothing else of its memory. The two must not overlap.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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
    """Copies `rows` runs of `columns` elements; row r starts at offset + r · stride. All counted in elements.
    Errors: also InvalidArgument for a run that leaves its tensor's memory.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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
    """Sets every element of the view (any layout) and nothing else of its memory.

    One result element from one element of each input. Inputs are broadcast to a common shape by NumPy's rule;
    `out` may be one of them (same memory and layout) to work in place.
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
    """[b, c, h, w] with the kernels [o, c / groups, kh, kw] gives [b, o, (h + 2 * padding - dilation * (kh - 1) - 1) /
    stride + 1, and w alike] (cross-correlation, as in the usual frameworks). bf16, f16, f32, f64, f8e4m3, x and
    weight of one dtype; summed in f32, f64 in f64, and rounded once. On GPUs they go, as transposed ones do, to cuDNN or
    cuBLASLt, or to MIOpen, where the system has them and they are faster: the first call of its sizes, layout and
    alignment tries, and waits for the stream, so that one before a graph is captured is well spent. The environment
    variables KERNELGEN_CUDNN_LIBRARY, KERNELGEN_MIOPEN_LIBRARY and those of matmul name other libraries, or
    `none`.

    Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
    fewer than 2^31 elements.
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

    padding: at both ends, where nothing is added up
    output_padding: more elements at the end, of a transposed convolution

    Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
    fewer than 2^31 elements.
    """
    x, weight = operands(x=x, weight=weight)
    window = _c.Window1(stride=integer(stride, "stride"), padding=integer(padding, "padding"),
        dilation=integer(dilation, "dilation"), output_padding=integer(output_padding, "output_padding"),
        groups=integer(groups, "groups"))
    return result(lib.kernelgen_conv1d, (x, weight, window), out, stream)


def conv_transpose2d(x: ArrayLike, weight: ArrayLike, stride: Pair = (1, 1), padding: Pair = (0, 0),
                     dilation: Pair = (1, 1), output_padding: Pair = (0, 0), groups: int = 1, *,
                     out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """The gradient of conv2d by its input: [b, c, h, w] with the kernels [c, o / groups, kh, kw] gives [b, o, (h - 1) *
    stride - 2 * padding + dilation * (kh - 1) + output_padding + 1, and w alike]. Dtypes as conv2d.

    Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
    fewer than 2^31 elements.
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

    padding: at both ends, where nothing is added up
    output_padding: more elements at the end, of a transposed convolution

    Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
    fewer than 2^31 elements.
    """
    x, weight = operands(x=x, weight=weight)
    window = _c.Window1(stride=integer(stride, "stride"), padding=integer(padding, "padding"),
        dilation=integer(dilation, "dilation"), output_padding=integer(output_padding, "output_padding"),
        groups=integer(groups, "groups"))
    return result(lib.kernelgen_conv_transpose1d, (x, weight, window), out, stream)


def avg_pool2d(x: ArrayLike, kernel: Pair, stride: Pair, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
    """The average of windows of `kernel` elements, `stride` apart, without padding: [b, c, h, w] becomes
    [b, c, (h - kernel.height) / stride.height + 1, (w - kernel.width) / stride.width + 1]. Any dtype; of integers
    the 64-bit sum, divided toward zero.

    Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
    fewer than 2^31 elements.
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
    """The largest element of each window; NaN where there is one. As avg_pool2d.

    Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
    fewer than 2^31 elements.
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
    """[b, c, l] at another length: element i is x's min(floor(i * (l / length)), l - 1). Any dtype.

    Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
    fewer than 2^31 elements.
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
    """[b, c, h, w] at another size, each dim as in upsample_nearest1d.

    Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
    fewer than 2^31 elements.
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
    """[b, c, h, w] at another size, each element between the four nearest ones. With `align_corners` the corner
    elements of both sizes coincide, else the corners of the images do; then the scales, output elements to one of
    the input, are used instead of size / (h, w) where they are not None. As PyTorch's. Any dtype; integers are
    computed in f64 and truncated.

    Images: [batch, channels, height, width], or [batch, channels, length] where it says so. Each spatial dim has
    fewer than 2^31 elements.
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
    """result[i, j, …] = x[i, ids[i, j, …], …]. `ids` has x's rank and, in dims other than `dim`, at most x's extents;
    the result has the shape of ids.

    Elements from, or to, where indices point along one dim.

    Values are of any dtype, `ids` u8, u32, i16, i32 or i64; all have any layout. `dim` counts from the end where
    negative. An index that is its type's largest value points nowhere: what is read for it is 0, and nothing is
    written. Any other outside 0 … size - 1 does the same, and the next wait for the stream, or copy to the host by
    it, gives IndexOutOfRange with the operation, the dim, its size and the first such index of the
    earliest call: see Stream.synchronize.
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
    """The slices x[…, ids[i], …] along `dim`, one after another. `ids` has rank 1.

    Elements from, or to, where indices point along one dim.

    Values are of any dtype, `ids` u8, u32, i16, i32 or i64; all have any layout. `dim` counts from the end where
    negative. An index that is its type's largest value points nowhere: what is read for it is 0, and nothing is
    written. Any other outside 0 … size - 1 does the same, and the next wait for the stream, or copy to the host by
    it, gives IndexOutOfRange with the operation, the dim, its size and the first such index of the
    earliest call: see Stream.synchronize.
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
    """A copy of x with source[…, i, …] added to its slice […, ids[i], …]. `ids` has rank 1; `source` has x's shape,
    but along `dim` the length of ids. Sums as in scatter_add_set.

    Elements from, or to, where indices point along one dim.

    Values are of any dtype, `ids` u8, u32, i16, i32 or i64; all have any layout. `dim` counts from the end where
    negative. An index that is its type's largest value points nowhere: what is read for it is 0, and nothing is
    written. Any other outside 0 … size - 1 does the same, and the next wait for the stream, or copy to the host by
    it, gives IndexOutOfRange with the operation, the dim, its size and the first such index of the
    earliest call: see Stream.synchronize.
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
    """destination[i, ids[i, j, …], …] = source[i, j, …], in place: nothing else of the storage is written. `ids` has
    the rank of both, at most the extents of source and, in dims other than `dim`, at most those of
    destination, whose elements must not share memory. Of several indices that are the same the last one, in the
    order of `dim`, wins.

    Elements from, or to, where indices point along one dim.

    Values are of any dtype, `ids` u8, u32, i16, i32 or i64; all have any layout. `dim` counts from the end where
    negative. An index that is its type's largest value points nowhere: what is read for it is 0, and nothing is
    written. Any other outside 0 … size - 1 does the same, and the next wait for the stream, or copy to the host by
    it, gives IndexOutOfRange with the operation, the dim, its size and the first such index of the
    earliest call: see Stream.synchronize.
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
    """The same with +=. Integers wrap; bf16, f16 and f8e4m3 are added in f32 and rounded once. Floats are added in
    an order that may differ from call to call, unless `deterministic` is true, which may take longer.

    Elements from, or to, where indices point along one dim.

    Values are of any dtype, `ids` u8, u32, i16, i32 or i64; all have any layout. `dim` counts from the end where
    negative. An index that is its type's largest value points nowhere: what is read for it is 0, and nothing is
    written. Any other outside 0 … size - 1 does the same, and the next wait for the stream, or copy to the host by
    it, gives IndexOutOfRange with the operation, the dim, its size and the first such index of the
    earliest call: see Stream.synchronize.
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
    """log of the sum of exp(logits), less logits[target], of each row: logits [..., classes] of any layout and rank 1 or
    more, targets [...] of u8, u32, i16, i32 or i64. The loss is of the logits' dtype, [...], the log-sum-exp f32, for f64
    f64. Computed in f32, f64's in f64, and rounded once, without loss for logits far from zero.

    `out_loss` and `out_log_sum_exp` are written where they are not None, each memory of its own; with `out_loss`, `loss`
    may be None. The log-sum-exp is optional: with None for both `out_log_sum_exp` and `log_sum_exp` there is none.

    A target that is its type's largest value (255 for u8) gives 0. So does any other outside 0 … classes - 1, and the
    next wait for the stream, or copy to the host by it, gives IndexOutOfRange: see
    Stream.synchronize. In a row with NaN all else is NaN. A row whose greatest logit is +inf has the
    log-sum-exp +inf and the loss +inf, or NaN where the target's logit is +inf; one of -inf alone -inf and NaN. Of the
    target's logit -inf in another row the loss is +inf.

    Errors: InvalidArgument for rows without a logit, too.

    What a model's answers are worth, along the last dim, of any length but 0: bf16, f16, f32, f64, f8e4m3.

    Returns `loss` and `log_sum_exp`.
    """
    if not (type(logits) is type(targets) is Tensor):
        logits, targets = operands(logits=logits, targets=targets)
    return results(lib.kernelgen_cross_entropy, (logits, targets), (out_loss, out_log_sum_exp), stream)


def matmul(a: ArrayLike, b: ArrayLike, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """[batch..., m, k] times [batch..., k, n]: bf16, f16, f32, f64, f8e4m3, both of one dtype, rank 2 to 8, any
    layout. Batch dims are broadcast by NumPy's rule. k = 0 gives zeros. `out` must not overlap an input. On the
    CPU, large f32 and f64 products go to the system's OpenBLAS, MKL or BLIS, on GPUs most to cuBLASLt, or to
    hipBLASLt and rocBLAS; the environment variables KERNELGEN_BLAS_LIBRARY, KERNELGEN_CUBLASLT_LIBRARY,
    KERNELGEN_HIPBLASLT_LIBRARY and KERNELGEN_ROCBLAS_LIBRARY name another library, or `none`.

    Products of matrices.
    """
    if not (type(a) is type(b) is Tensor):
        a, b = operands(a=a, b=b)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_matmul(a, b, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_matmul, (a, b), out, stream)


def softmax(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """exp(x - max) / sum of exp(x - max), and its logarithm

    Along the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x of any layout and rank 1 or more. `out` may
    be x itself, where x is contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_softmax(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_softmax, (x,), out, stream)


def log_softmax(x: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """exp(x - max) / sum of exp(x - max), and its logarithm

    Along the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x of any layout and rank 1 or more. `out` may
    be x itself, where x is contiguous.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_log_softmax(x, out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_log_softmax, (x,), out, stream)


def rms_norm(x: ArrayLike, weight: ArrayLike, eps: float, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """x / sqrt(mean of x^2 + eps) * weight; `weight` has the last dim's length and x's dtype

    Along the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x of any layout and rank 1 or more. `out` may
    be x itself, where x is contiguous.
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
    """(x - mean) / sqrt(variance + eps) * weight + bias

    Along the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x of any layout and rank 1 or more. `out` may
    be x itself, where x is contiguous.
    """
    if not (type(x) is type(weight) is type(bias) is Tensor):
        x, weight, bias = operands(x=x, weight=weight, bias=bias)
    if type(out) is Tensor and stream is None and not entered:
        if status := unchecked.kernelgen_layer_norm(x, weight, bias, real(eps, "eps"), out, None, None):
            raise failure(status)
        return out
    return result(lib.kernelgen_layer_norm, (x, weight, bias, real(eps, "eps")), out, stream)


def add_rms_norm(x: ArrayLike, residual: ArrayLike, weight: ArrayLike, eps: float, *,
                 out_sum: Optional[ArrayLike] = None, out_norm: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """x + residual, rounded to their dtype, and the rms_norm, or layer_norm, of that sum as it was before that rounding, in
    one pass over memory. `residual` has x's shape and dtype, in any layout. `out_sum` and `out_norm` are written where
    they are not None; then `sum`, or `norm`, may be None. Each may be x or residual itself (same memory and layout), but
    not both the same one, and neither may overlap a weight.

    Along the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x of any layout and rank 1 or more. `out` may
    be x itself, where x is contiguous.

    Returns `sum` and `norm`.
    """
    if not (type(x) is type(residual) is type(weight) is Tensor):
        x, residual, weight = operands(x=x, residual=residual, weight=weight)
    return results(lib.kernelgen_add_rms_norm, (x, residual, weight, real(eps, "eps")), (out_sum, out_norm),
        stream)


def add_layer_norm(x: ArrayLike, residual: ArrayLike, weight: ArrayLike, bias: ArrayLike, eps: float, *,
                   out_sum: Optional[ArrayLike] = None, out_norm: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """x + residual, rounded to their dtype, and the rms_norm, or layer_norm, of that sum as it was before that rounding, in
    one pass over memory. `residual` has x's shape and dtype, in any layout. `out_sum` and `out_norm` are written where
    they are not None; then `sum`, or `norm`, may be None. Each may be x or residual itself (same memory and layout), but
    not both the same one, and neither may overlap a weight.

    Along the last dim, of any length: bf16, f16, f32, f64, f8e4m3; x of any layout and rank 1 or more. `out` may
    be x itself, where x is contiguous.

    Returns `sum` and `norm`.
    """
    if not (type(x) is type(residual) is type(weight) is type(bias) is Tensor):
        x, residual, weight, bias = operands(x=x, residual=residual, weight=weight, bias=bias)
    return results(lib.kernelgen_add_layer_norm, (x, residual, weight, bias, real(eps, "eps")),
        (out_sum, out_norm), stream)


def quantize(x: ArrayLike, format: DTypeLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """x in blocks of `format`, byte for byte as ggml's reference (quantize_row_*_ref) makes them on x86 without contraction,
    blocks with infinities and NaN too, but for which NaN a scale is: x of f32, f16 or bf16.

    Quantized tensors: made, read and multiplied with.

    Their dtypes are those from Q4_0 on, ggml's formats: a few bits an element and scales for each block of 32 or
    256 elements along the last dim, whose length is a multiple of that (DType.block). Host copies give and take
    the blocks' bytes, views keep blocks whole; operations other than these and copy refuse them.
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
    """The elements of x as f32, f16 or bf16: bit for bit what ggml's dequantize_row_* give, rounded once.

    Quantized tensors: made, read and multiplied with.

    Their dtypes are those from Q4_0 on, ggml's formats: a few bits an element and scales for each block of 32 or
    256 elements along the last dim, whose length is a multiple of that (DType.block). Host copies give and take
    the blocks' bytes, views keep blocks whole; operations other than these and copy refuse them.
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
    """The rows of table [rows, n] that ids choose, as f32, f16 or bf16: ids' shape and n. ids are u8, u32, i16, i32 or i64.
    One that is its type's largest value gives zeros. So does any other outside 0 … rows - 1, and the next wait for the
    stream, or copy to the host by it, gives IndexOutOfRange: see Stream.synchronize.

    Quantized tensors: made, read and multiplied with.

    Their dtypes are those from Q4_0 on, ggml's formats: a few bits an element and scales for each block of 32 or
    256 elements along the last dim, whose length is a multiple of that (DType.block). Host copies give and take
    the blocks' bytes, views keep blocks whole; operations other than these and copy refuse them.
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


def quantized_matmul(x: ArrayLike, weights: ArrayLike, *, out: Optional[ArrayLike] = None,
                     stream: Optional[Stream] = None) -> Tensor:
    """x Wᵀ: x [..., n] of f32, f16 or bf16, weights W [rows, n] quantized; the result [..., rows] is of x's dtype. The error
    is at most half a step of x quantized to 8 bits times Σ|w| for each 32 elements, and that of sums in f32, before the
    result is rounded. A row of x with a NaN gives NaN, one with an infinity no finite numbers.

    Quantized tensors: made, read and multiplied with.

    Their dtypes are those from Q4_0 on, ggml's formats: a few bits an element and scales for each block of 32 or
    256 elements along the last dim, whose length is a multiple of that (DType.block). Host copies give and take
    the blocks' bytes, views keep blocks whole; operations other than these and copy refuse them.
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
    """y[t, j] = x[t, j] W[ids[t, j]]ᵀ for x [tokens, k, n], or [tokens, 1, n] where a token's results share one row, weights
    [experts, rows, n] and ids [tokens, k]; y is [tokens, k, rows]. Bad ids as in get_rows.

    Quantized tensors: made, read and multiplied with.

    Their dtypes are those from Q4_0 on, ggml's formats: a few bits an element and scales for each block of 32 or
    256 elements along the last dim, whose length is a multiple of that (DType.block). Host copies give and take
    the blocks' bytes, views keep blocks whole; operations other than these and copy refuse them.
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
    """In [low, high), which both must be finite and differ in that dtype; rounded down where it is coarser.

    Random numbers: bf16, f16, f32, f64, f8e4m3; see Device.seed.
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
    """Normally distributed. `std` is not negative.

    Random numbers: bf16, f16, f32, f64, f8e4m3; see Device.seed.
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
    """The narrow floats are summed in f32; integers in 64 bits, and wrap. Of no element: 0.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.
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
    """Integers: divided toward zero. Of no element: NaN, for integers 0.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.
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
    """Of no element: 1.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.
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
    """NaN wins. Errors: InvalidArgument where there is no element.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.
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
    """NaN wins. Errors: InvalidArgument where there is no element.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.
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
    """u8: 1 where any, or every, element is not zero (NaN is not). Of no element: 0, or 1.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.
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
    """u8: 1 where any, or every, element is not zero (NaN is not). Of no element: 0, or 1.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.
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
    """u32: the place of the least, or greatest, element along `dim`, or in row-major order of all elements where
    `dim` is None. The first of several; the first NaN if there is one. Errors: InvalidArgument where
    there is no element, or more than 2^32 - 1.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.
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
    """u32: the place of the least, or greatest, element along `dim`, or in row-major order of all elements where
    `dim` is None. The first of several; the first NaN if there is one. Errors: InvalidArgument where
    there is no element, or more than 2^32 - 1.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.
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
    """The least, or greatest, element along `dim`, or of all where `dim` is None, and its place as argmin, or
    argmax, gives it, in one pass. Of what compares equal the first: a NaN is the first there is, as a quiet
    one, and a zero may have lost its sign. `out_values`, of x's dtype, and `out_indices`, u32, are written where they
    are not None, each memory of its own; then `values`, or `indices`, may be None. Errors:
    InvalidArgument as theirs.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.

    Returns `values` and `indices`.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_min_with_index, (x, optional_integer(dim, "dim"), bool(keep_dims)),
        (out_values, out_indices), stream)


def max_with_index(x: ArrayLike, dim: Optional[int] = None, keep_dims: bool = False, *,
                   out_values: Optional[ArrayLike] = None, out_indices: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The least, or greatest, element along `dim`, or of all where `dim` is None, and its place as argmin, or
    argmax, gives it, in one pass. Of what compares equal the first: a NaN is the first there is, as a quiet
    one, and a zero may have lost its sign. `out_values`, of x's dtype, and `out_indices`, u32, are written where they
    are not None, each memory of its own; then `values`, or `indices`, may be None. Errors:
    InvalidArgument as theirs.

    Many elements into one, along any dims of any layout.

    `dims` holds `dim_count` dims, counted from the end where negative, none twice; it may be None when there are
    none, which copies. The result's shape is the input's without those dims, or, where `keep_dims` is true,
    with 1 in their place. Results are the same each time on one device.

    Returns `values` and `indices`.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_max_with_index, (x, optional_integer(dim, "dim"), bool(keep_dims)),
        (out_values, out_indices), stream)


def rope(x: ArrayLike, cos: ArrayLike, sin: ArrayLike, *, out: Optional[ArrayLike] = None,
         stream: Optional[Stream] = None) -> Tensor:
    """x: [batch, heads, positions, d]. Elements i and i + d/2 are a pair (a, b), which becomes
    (a * cos - b * sin, a * sin + b * cos).

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin of one
    dtype. cos and sin are [positions, d / 2], or [batch, positions, d / 2], with at least as many positions as x
    has; d is even.
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
    """As rope, but elements 2i and 2i + 1 are a pair.

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin of one
    dtype. cos and sin are [positions, d / 2], or [batch, positions, d / 2], with at least as many positions as x
    has; d is even.
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

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin of one
    dtype. cos and sin are [positions, d / 2], or [batch, positions, d / 2], with at least as many positions as x
    has; d is even.
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
    """rope of queries and keys by the same angles, in one launch; the results are those of two calls, bit for
    bit. q and k have one dtype and d, and may differ in all other dims: [batch, heads, positions, d] each. `out_q` and
    `out_k` are written where they are not None, each memory of its own; then `q_result`, or `k_result`, may be None.

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin of one
    dtype. cos and sin are [positions, d / 2], or [batch, positions, d / 2], with at least as many positions as x
    has; d is even.

    Returns `q_result` and `k_result`.
    """
    if not (type(q) is type(k) is type(cos) is type(sin) is Tensor):
        q, k, cos, sin = operands(q=q, k=k, cos=cos, sin=sin)
    return results(lib.kernelgen_rope_qk, (q, k, cos, sin), (out_q, out_k), stream)


def rope_i_qk(q: ArrayLike, k: ArrayLike, cos: ArrayLike, sin: ArrayLike, *,
              out_q: Optional[ArrayLike] = None, out_k: Optional[ArrayLike] = None,
              stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The same with rope_i.

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin of one
    dtype. cos and sin are [positions, d / 2], or [batch, positions, d / 2], with at least as many positions as x
    has; d is even.

    Returns `q_result` and `k_result`.
    """
    if not (type(q) is type(k) is type(cos) is type(sin) is Tensor):
        q, k, cos, sin = operands(q=q, k=k, cos=cos, sin=sin)
    return results(lib.kernelgen_rope_i_qk, (q, k, cos, sin), (out_q, out_k), stream)


def rope_thd_qk(q: ArrayLike, k: ArrayLike, cos: ArrayLike, sin: ArrayLike, *,
                out_q: Optional[ArrayLike] = None, out_k: Optional[ArrayLike] = None,
                stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The same with rope_thd.

    Rotary position embedding (Su et al., "RoFormer", 2021): bf16, f16, f32, f64, f8e4m3; x, cos and sin of one
    dtype. cos and sin are [positions, d / 2], or [batch, positions, d / 2], with at least as many positions as x
    has; d is even.

    Returns `q_result` and `k_result`.
    """
    if not (type(q) is type(k) is type(cos) is type(sin) is Tensor):
        q, k, cos, sin = operands(q=q, k=k, cos=cos, sin=sin)
    return results(lib.kernelgen_rope_thd_qk, (q, k, cos, sin), (out_q, out_k), stream)


def cumsum(x: ArrayLike, dim: int, *, out: Optional[ArrayLike] = None,
           stream: Optional[Stream] = None) -> Tensor:
    """The sum of each element and all before it along `dim`, which counts from the end where negative. Every dtype; x of
    any layout, of rank 1 or more; `out` may be x itself, contiguous. Integers wrap. The narrow floats and f32 are summed
    in f32, f64 in f64, and each element is rounded once. NaN and infinities stay in what follows them. The same bits
    each time on one device. Errors: InvalidArgument for a dim that is not there.

    Sums along a dim.
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


def arg_sort(x: ArrayLike, ascending: bool = True, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
    """u32, of x's shape: the i-th along the last dim is the place there of the element that comes i-th.

    sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and
    rank 1 or more. Equal elements keep their order, whichever way is sorted; -0 equals +0, and NaN comes after every
    number both ways. The first element is the least where `ascending` is true, else the greatest.

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
    """The elements themselves, and their places as arg_sort gives them. `out_values` and `out_indices`
    are written where they are not None; then `values`, or `indices`, may be None.

    sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and
    rank 1 or more. Equal elements keep their order, whichever way is sorted; -0 equals +0, and NaN comes after every
    number both ways. The first element is the least where `ascending` is true, else the greatest.

    Errors: InvalidArgument for rank 0 and a last dim of more than 2^32 - 1.

    Returns `values` and `indices`.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_sort, (x, bool(ascending)), (out_values, out_indices), stream)


def top_k(x: ArrayLike, k: int, dim: int, *, out_values: Optional[ArrayLike] = None,
          out_indices: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
    """The k greatest elements along `dim`, in descending order, and their places along it; the results' shape is x's
    with k in that dim's place. Every dtype, any layout; `dim` counts from the end where negative. Ties go by the lower
    place, -0 equals +0, and NaN comes before every number, unlike in sort. Values keep their bits.
    `out_values`, of x's dtype, and `out_indices`, u32, are written where they are not None, each memory of its own;
    then `values`, or `indices`, may be None. Errors: InvalidArgument for a dim that is not there, or of more
    than 2^32 - 1, and a k below 0 or above the dim's extent.

    sort and arg_sort work along the last dim, of any length; every dtype; x of any layout and
    rank 1 or more. Equal elements keep their order, whichever way is sorted; -0 equals +0, and NaN comes after every
    number both ways. The first element is the least where `ascending` is true, else the greatest.

    Errors: InvalidArgument for rank 0 and a last dim of more than 2^32 - 1.

    Returns `values` and `indices`.
    """
    if type(x) is not Tensor:
        x, = operands(x=x)
    return results(lib.kernelgen_top_k, (x, wide(k, "k"),
        DIMS[dim] if type(dim) is int and -9 < dim < 9 else wide(dim, "dim")), (out_values, out_indices),
        stream)
