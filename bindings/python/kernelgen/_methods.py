"""Operations as methods of Tensor. Written by bindings/generate.py from the C headers; do not edit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Optional, Sequence, Tuple

if TYPE_CHECKING:
    from ._operands import (ArrayLike, DTypeLike, Dims, Number, Pair, Stream, Tensor)


class Methods:
    """A mixin: x.sum(1) is kernelgen.sum(x, 1)."""

    def gelu(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.gelu of this tensor."""
        from . import operations

        return operations.gelu(self, out=out, stream=stream)

    def gelu_erf(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.gelu_erf of this tensor."""
        from . import operations

        return operations.gelu_erf(self, out=out, stream=stream)

    def silu(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.silu of this tensor."""
        from . import operations

        return operations.silu(self, out=out, stream=stream)

    def sigmoid(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.sigmoid of this tensor."""
        from . import operations

        return operations.sigmoid(self, out=out, stream=stream)

    def normcdf(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.normcdf of this tensor."""
        from . import operations

        return operations.normcdf(self, out=out, stream=stream)

    def relu(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.relu of this tensor."""
        from . import operations

        return operations.relu(self, out=out, stream=stream)

    def elu(self, alpha: Number, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.elu of this tensor."""
        from . import operations

        return operations.elu(self, alpha, out=out, stream=stream)

    def silu_mul(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.silu_mul of this tensor."""
        from . import operations

        return operations.silu_mul(self, b, out=out, stream=stream)

    def gelu_mul(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.gelu_mul of this tensor."""
        from . import operations

        return operations.gelu_mul(self, b, out=out, stream=stream)

    def affine(self, mul: Number, add: Number, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.affine of this tensor."""
        from . import operations

        return operations.affine(self, mul, add, out=out, stream=stream)

    def add(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.add of this tensor."""
        from . import operations

        return operations.add(self, b, out=out, stream=stream)

    def sub(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.sub of this tensor."""
        from . import operations

        return operations.sub(self, b, out=out, stream=stream)

    def mul(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.mul of this tensor."""
        from . import operations

        return operations.mul(self, b, out=out, stream=stream)

    def div(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.div of this tensor."""
        from . import operations

        return operations.div(self, b, out=out, stream=stream)

    def maximum(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
                stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.maximum of this tensor."""
        from . import operations

        return operations.maximum(self, b, out=out, stream=stream)

    def minimum(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
                stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.minimum of this tensor."""
        from . import operations

        return operations.minimum(self, b, out=out, stream=stream)

    def eq(self, b: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.eq of this tensor."""
        from . import operations

        return operations.eq(self, b, out=out, stream=stream)

    def ne(self, b: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.ne of this tensor."""
        from . import operations

        return operations.ne(self, b, out=out, stream=stream)

    def lt(self, b: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.lt of this tensor."""
        from . import operations

        return operations.lt(self, b, out=out, stream=stream)

    def le(self, b: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.le of this tensor."""
        from . import operations

        return operations.le(self, b, out=out, stream=stream)

    def gt(self, b: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.gt of this tensor."""
        from . import operations

        return operations.gt(self, b, out=out, stream=stream)

    def ge(self, b: ArrayLike, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.ge of this tensor."""
        from . import operations

        return operations.ge(self, b, out=out, stream=stream)

    def exp(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.exp of this tensor."""
        from . import operations

        return operations.exp(self, out=out, stream=stream)

    def log(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.log of this tensor."""
        from . import operations

        return operations.log(self, out=out, stream=stream)

    def sin(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.sin of this tensor."""
        from . import operations

        return operations.sin(self, out=out, stream=stream)

    def cos(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.cos of this tensor."""
        from . import operations

        return operations.cos(self, out=out, stream=stream)

    def tanh(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.tanh of this tensor."""
        from . import operations

        return operations.tanh(self, out=out, stream=stream)

    def erf(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.erf of this tensor."""
        from . import operations

        return operations.erf(self, out=out, stream=stream)

    def pow(self, e: Number, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.pow of this tensor."""
        from . import operations

        return operations.pow(self, e, out=out, stream=stream)

    def ceil(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.ceil of this tensor."""
        from . import operations

        return operations.ceil(self, out=out, stream=stream)

    def floor(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.floor of this tensor."""
        from . import operations

        return operations.floor(self, out=out, stream=stream)

    def round(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.round of this tensor."""
        from . import operations

        return operations.round(self, out=out, stream=stream)

    def square(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.square of this tensor."""
        from . import operations

        return operations.square(self, out=out, stream=stream)

    def abs(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.abs of this tensor."""
        from . import operations

        return operations.abs(self, out=out, stream=stream)

    def neg(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.neg of this tensor."""
        from . import operations

        return operations.neg(self, out=out, stream=stream)

    def sign(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.sign of this tensor."""
        from . import operations

        return operations.sign(self, out=out, stream=stream)

    def sqrt(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.sqrt of this tensor."""
        from . import operations

        return operations.sqrt(self, out=out, stream=stream)

    def recip(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.recip of this tensor."""
        from . import operations

        return operations.recip(self, out=out, stream=stream)

    def expm1(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.expm1 of this tensor."""
        from . import operations

        return operations.expm1(self, out=out, stream=stream)

    def softplus(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.softplus of this tensor."""
        from . import operations

        return operations.softplus(self, out=out, stream=stream)

    def gelu_quick(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.gelu_quick of this tensor."""
        from . import operations

        return operations.gelu_quick(self, out=out, stream=stream)

    def xielu(self, alpha_n: Number, alpha_p: Number, beta: Number, eps: Number, *,
              out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.xielu of this tensor."""
        from . import operations

        return operations.xielu(self, alpha_n, alpha_p, beta, eps, out=out, stream=stream)

    def relu_mul(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.relu_mul of this tensor."""
        from . import operations

        return operations.relu_mul(self, b, out=out, stream=stream)

    def gelu_erf_mul(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
                     stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.gelu_erf_mul of this tensor."""
        from . import operations

        return operations.gelu_erf_mul(self, b, out=out, stream=stream)

    def gelu_quick_mul(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
                       stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.gelu_quick_mul of this tensor."""
        from . import operations

        return operations.gelu_quick_mul(self, b, out=out, stream=stream)

    def swiglu_oai(self, b: ArrayLike, alpha: Number, limit: Number, *, out: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.swiglu_oai of this tensor."""
        from . import operations

        return operations.swiglu_oai(self, b, alpha, limit, out=out, stream=stream)

    def step(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.step of this tensor."""
        from . import operations

        return operations.step(self, out=out, stream=stream)

    def trunc(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.trunc of this tensor."""
        from . import operations

        return operations.trunc(self, out=out, stream=stream)

    def clamp(self, low: Number, high: Number, *, out: Optional[ArrayLike] = None,
              stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.clamp of this tensor."""
        from . import operations

        return operations.clamp(self, low, high, out=out, stream=stream)

    def leaky_relu(self, slope: Number, *, out: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.leaky_relu of this tensor."""
        from . import operations

        return operations.leaky_relu(self, slope, out=out, stream=stream)

    def hardsigmoid(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.hardsigmoid of this tensor."""
        from . import operations

        return operations.hardsigmoid(self, out=out, stream=stream)

    def hardswish(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.hardswish of this tensor."""
        from . import operations

        return operations.hardswish(self, out=out, stream=stream)

    def copy(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.copy of this tensor."""
        from . import operations

        return operations.copy(self, out=out, stream=stream)

    def conv2d(self, weight: ArrayLike, stride: Pair = (1, 1), padding: Pair = (0, 0),
               dilation: Pair = (1, 1), output_padding: Pair = (0, 0), groups: int = 1, *,
               out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.conv2d of this tensor."""
        from . import operations

        return operations.conv2d(self, weight, stride, padding, dilation, output_padding, groups, out=out,
                                 stream=stream)

    def conv1d(self, weight: ArrayLike, stride: int = 1, padding: int = 0, dilation: int = 1,
               output_padding: int = 0, groups: int = 1, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.conv1d of this tensor."""
        from . import operations

        return operations.conv1d(self, weight, stride, padding, dilation, output_padding, groups, out=out,
                                 stream=stream)

    def conv_transpose2d(self, weight: ArrayLike, stride: Pair = (1, 1), padding: Pair = (0, 0),
                         dilation: Pair = (1, 1), output_padding: Pair = (0, 0), groups: int = 1, *,
                         out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.conv_transpose2d of this tensor."""
        from . import operations

        return operations.conv_transpose2d(self, weight, stride, padding, dilation, output_padding, groups,
                                           out=out, stream=stream)

    def conv_transpose1d(self, weight: ArrayLike, stride: int = 1, padding: int = 0, dilation: int = 1,
                         output_padding: int = 0, groups: int = 1, *, out: Optional[ArrayLike] = None,
                         stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.conv_transpose1d of this tensor."""
        from . import operations

        return operations.conv_transpose1d(self, weight, stride, padding, dilation, output_padding, groups,
                                           out=out, stream=stream)

    def avg_pool2d(self, kernel: Pair, stride: Pair, *, out: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.avg_pool2d of this tensor."""
        from . import operations

        return operations.avg_pool2d(self, kernel, stride, out=out, stream=stream)

    def max_pool2d(self, kernel: Pair, stride: Pair, *, out: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.max_pool2d of this tensor."""
        from . import operations

        return operations.max_pool2d(self, kernel, stride, out=out, stream=stream)

    def upsample_nearest1d(self, length: int, *, out: Optional[ArrayLike] = None,
                           stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.upsample_nearest1d of this tensor."""
        from . import operations

        return operations.upsample_nearest1d(self, length, out=out, stream=stream)

    def upsample_nearest2d(self, size: Pair, *, out: Optional[ArrayLike] = None,
                           stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.upsample_nearest2d of this tensor."""
        from . import operations

        return operations.upsample_nearest2d(self, size, out=out, stream=stream)

    def upsample_bilinear2d(self, size: Pair, align_corners: bool = False,
                            scale_height: Optional[float] = None, scale_width: Optional[float] = None, *,
                            out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.upsample_bilinear2d of this tensor."""
        from . import operations

        return operations.upsample_bilinear2d(self, size, align_corners, scale_height, scale_width, out=out,
                                              stream=stream)

    def gather(self, dim: int, ids: ArrayLike, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.gather of this tensor."""
        from . import operations

        return operations.gather(self, dim, ids, out=out, stream=stream)

    def index_select(self, dim: int, ids: ArrayLike, *, out: Optional[ArrayLike] = None,
                     stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.index_select of this tensor."""
        from . import operations

        return operations.index_select(self, dim, ids, out=out, stream=stream)

    def index_add(self, dim: int, ids: ArrayLike, source: ArrayLike, deterministic: bool = False, *,
                  out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.index_add of this tensor."""
        from . import operations

        return operations.index_add(self, dim, ids, source, deterministic, out=out, stream=stream)

    def pad(self, before: Sequence[int], after: Sequence[int], value: Number = 0, *,
            out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.pad of this tensor."""
        from . import operations

        return operations.pad(self, before, after, value, out=out, stream=stream)

    def pad_reflect(self, before: Sequence[int], after: Sequence[int], *, out: Optional[ArrayLike] = None,
                    stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.pad_reflect of this tensor."""
        from . import operations

        return operations.pad_reflect(self, before, after, out=out, stream=stream)

    def pad_replicate(self, before: Sequence[int], after: Sequence[int], *, out: Optional[ArrayLike] = None,
                      stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.pad_replicate of this tensor."""
        from . import operations

        return operations.pad_replicate(self, before, after, out=out, stream=stream)

    def pad_circular(self, before: Sequence[int], after: Sequence[int], *, out: Optional[ArrayLike] = None,
                     stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.pad_circular of this tensor."""
        from . import operations

        return operations.pad_circular(self, before, after, out=out, stream=stream)

    def roll(self, shifts: Sequence[int], dims: Dims = None, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.roll of this tensor."""
        from . import operations

        return operations.roll(self, shifts, dims, out=out, stream=stream)

    def tril(self, diagonal: int = 0, value: Number = 0, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.tril of this tensor."""
        from . import operations

        return operations.tril(self, diagonal, value, out=out, stream=stream)

    def triu(self, diagonal: int = 0, value: Number = 0, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.triu of this tensor."""
        from . import operations

        return operations.triu(self, diagonal, value, out=out, stream=stream)

    def diag(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.diag of this tensor."""
        from . import operations

        return operations.diag(self, out=out, stream=stream)

    def matmul(self, b: ArrayLike, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.matmul of this tensor."""
        from . import operations

        return operations.matmul(self, b, out=out, stream=stream)

    def softmax(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.softmax of this tensor."""
        from . import operations

        return operations.softmax(self, out=out, stream=stream)

    def scaled_softmax(self, scale: float = 1, mask: Optional[ArrayLike] = None,
                       slopes: Optional[ArrayLike] = None, sinks: Optional[ArrayLike] = None, *,
                       out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.scaled_softmax of this tensor."""
        from . import operations

        return operations.scaled_softmax(self, scale, mask, slopes, sinks, out=out, stream=stream)

    def log_softmax(self, *, out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.log_softmax of this tensor."""
        from . import operations

        return operations.log_softmax(self, out=out, stream=stream)

    def rms_norm(self, weight: ArrayLike, eps: float = 1e-5, *, out: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.rms_norm of this tensor."""
        from . import operations

        return operations.rms_norm(self, weight, eps, out=out, stream=stream)

    def layer_norm(self, weight: ArrayLike, bias: ArrayLike, eps: float = 1e-5, *,
                   out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.layer_norm of this tensor."""
        from . import operations

        return operations.layer_norm(self, weight, bias, eps, out=out, stream=stream)

    def plain_rms_norm(self, eps: float = 1e-5, *, out: Optional[ArrayLike] = None,
                       stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.plain_rms_norm of this tensor."""
        from . import operations

        return operations.plain_rms_norm(self, eps, out=out, stream=stream)

    def plain_layer_norm(self, eps: float = 1e-5, *, out: Optional[ArrayLike] = None,
                         stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.plain_layer_norm of this tensor."""
        from . import operations

        return operations.plain_layer_norm(self, eps, out=out, stream=stream)

    def l2_norm(self, eps: float = 1e-5, *, out: Optional[ArrayLike] = None,
                stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.l2_norm of this tensor."""
        from . import operations

        return operations.l2_norm(self, eps, out=out, stream=stream)

    def group_norm(self, groups: int, eps: float = 1e-5, *, out: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.group_norm of this tensor."""
        from . import operations

        return operations.group_norm(self, groups, eps, out=out, stream=stream)

    def add_rms_norm(self, residual: ArrayLike, weight: ArrayLike, eps: float = 1e-5, *,
                     out_sum: Optional[ArrayLike] = None, out_norm: Optional[ArrayLike] = None,
                     stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
        """kernelgen.add_rms_norm of this tensor."""
        from . import operations

        return operations.add_rms_norm(self, residual, weight, eps, out_sum=out_sum, out_norm=out_norm,
                                       stream=stream)

    def add_layer_norm(self, residual: ArrayLike, weight: ArrayLike, bias: ArrayLike, eps: float = 1e-5, *,
                       out_sum: Optional[ArrayLike] = None, out_norm: Optional[ArrayLike] = None,
                       stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
        """kernelgen.add_layer_norm of this tensor."""
        from . import operations

        return operations.add_layer_norm(self, residual, weight, bias, eps, out_sum=out_sum,
                                         out_norm=out_norm, stream=stream)

    def quantize(self, format: DTypeLike, *, out: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.quantize of this tensor."""
        from . import operations

        return operations.quantize(self, format, out=out, stream=stream)

    def dequantize(self, dtype: DTypeLike = "f32", *, out: Optional[ArrayLike] = None,
                   stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.dequantize of this tensor."""
        from . import operations

        return operations.dequantize(self, dtype, out=out, stream=stream)

    def quantized_matmul(self, weights: ArrayLike, *, out: Optional[ArrayLike] = None,
                         stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.quantized_matmul of this tensor."""
        from . import operations

        return operations.quantized_matmul(self, weights, out=out, stream=stream)

    def indexed_matmul(self, weights: ArrayLike, ids: ArrayLike, *, out: Optional[ArrayLike] = None,
                       stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.indexed_matmul of this tensor."""
        from . import operations

        return operations.indexed_matmul(self, weights, ids, out=out, stream=stream)

    def sum(self, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.sum of this tensor."""
        from . import operations

        return operations.sum(self, dims, keep_dims, out=out, stream=stream)

    def mean(self, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.mean of this tensor."""
        from . import operations

        return operations.mean(self, dims, keep_dims, out=out, stream=stream)

    def prod(self, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.prod of this tensor."""
        from . import operations

        return operations.prod(self, dims, keep_dims, out=out, stream=stream)

    def min(self, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.min of this tensor."""
        from . import operations

        return operations.min(self, dims, keep_dims, out=out, stream=stream)

    def max(self, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.max of this tensor."""
        from . import operations

        return operations.max(self, dims, keep_dims, out=out, stream=stream)

    def any(self, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.any of this tensor."""
        from . import operations

        return operations.any(self, dims, keep_dims, out=out, stream=stream)

    def all(self, dims: Dims = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
            stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.all of this tensor."""
        from . import operations

        return operations.all(self, dims, keep_dims, out=out, stream=stream)

    def argmin(self, dim: Optional[int] = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.argmin of this tensor."""
        from . import operations

        return operations.argmin(self, dim, keep_dims, out=out, stream=stream)

    def argmax(self, dim: Optional[int] = None, keep_dims: bool = False, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.argmax of this tensor."""
        from . import operations

        return operations.argmax(self, dim, keep_dims, out=out, stream=stream)

    def min_with_index(self, dim: Optional[int] = None, keep_dims: bool = False, *,
                       out_values: Optional[ArrayLike] = None, out_indices: Optional[ArrayLike] = None,
                       stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
        """kernelgen.min_with_index of this tensor."""
        from . import operations

        return operations.min_with_index(self, dim, keep_dims, out_values=out_values, out_indices=out_indices,
                                         stream=stream)

    def max_with_index(self, dim: Optional[int] = None, keep_dims: bool = False, *,
                       out_values: Optional[ArrayLike] = None, out_indices: Optional[ArrayLike] = None,
                       stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
        """kernelgen.max_with_index of this tensor."""
        from . import operations

        return operations.max_with_index(self, dim, keep_dims, out_values=out_values, out_indices=out_indices,
                                         stream=stream)

    def rope(self, cos: ArrayLike, sin: ArrayLike, *, out: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.rope of this tensor."""
        from . import operations

        return operations.rope(self, cos, sin, out=out, stream=stream)

    def rope_i(self, cos: ArrayLike, sin: ArrayLike, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.rope_i of this tensor."""
        from . import operations

        return operations.rope_i(self, cos, sin, out=out, stream=stream)

    def rope_thd(self, cos: ArrayLike, sin: ArrayLike, *, out: Optional[ArrayLike] = None,
                 stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.rope_thd of this tensor."""
        from . import operations

        return operations.rope_thd(self, cos, sin, out=out, stream=stream)

    def cumsum(self, dim: int = -1, *, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.cumsum of this tensor."""
        from . import operations

        return operations.cumsum(self, dim, out=out, stream=stream)

    def timestep_embedding(self, columns: int, max_period: float = 10000, *, out: Optional[ArrayLike] = None,
                           stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.timestep_embedding of this tensor."""
        from . import operations

        return operations.timestep_embedding(self, columns, max_period, out=out, stream=stream)

    def solve_triangular(self, b: ArrayLike, upper: bool = False, unit_diagonal: bool = False, *,
                         out: Optional[ArrayLike] = None, stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.solve_triangular of this tensor."""
        from . import operations

        return operations.solve_triangular(self, b, upper, unit_diagonal, out=out, stream=stream)

    def argsort(self, ascending: bool = True, *, out: Optional[ArrayLike] = None,
                stream: Optional[Stream] = None) -> Tensor:
        """kernelgen.argsort of this tensor."""
        from . import operations

        return operations.argsort(self, ascending, out=out, stream=stream)

    def sort(self, ascending: bool = True, *, out_values: Optional[ArrayLike] = None,
             out_indices: Optional[ArrayLike] = None,
             stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
        """kernelgen.sort of this tensor."""
        from . import operations

        return operations.sort(self, ascending, out_values=out_values, out_indices=out_indices, stream=stream)

    def top_k(self, k: int, dim: int = -1, *, out_values: Optional[ArrayLike] = None,
              out_indices: Optional[ArrayLike] = None,
              stream: Optional[Stream] = None) -> Tuple[Tensor, Tensor]:
        """kernelgen.top_k of this tensor."""
        from . import operations

        return operations.top_k(self, k, dim, out_values=out_values, out_indices=out_indices, stream=stream)
