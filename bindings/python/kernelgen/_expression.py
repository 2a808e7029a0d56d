"""Element-wise functions compiled from expressions at run time."""

from __future__ import annotations

from ctypes import byref, c_int32
from typing import Optional

from . import _c
from ._convert import is_number, scalar, text
from ._library import lib
from ._operands import ArrayLike, Number, operands, result  # noqa: F401  for the signature
from .dtype import DType, DTypeLike
from .stream import Stream
from .tensor import Tensor


def expression(expr: str, /, *, dtype: Optional[DTypeLike] = None, out: Optional[ArrayLike] = None,
               stream: Optional[Stream] = None, **names: ArrayLike) -> Tensor:
    """Evaluates an expression for each element, in one kernel: `expression("silu(a) * b + c", a=x, b=y, c=0.5)`.

    The syntax is that of an "expr" in a manifest: C's operators, functions such as exp and maximum, and conversions such as
    u8(x). Elements narrower than f32 are computed in f32. Integers divide as div does. `names` are up to six tensors or
    arrays of any layout, which are broadcast to a common shape, and up to eight numbers, which are converted to the dtype of
    the first floating-point tensor, else of the first tensor. `dtype` is the result's; by default that of `out`, else that of
    the tensors, which must then be the same. The first call compiles, and caches the result on disk for later processes.
    Raises InvalidArgument for a text that is not an expression, with the column and the names that may be used;
    Unsupported if there is no compiler."""
    numbers = {name: value for name, value in names.items() if is_number(value)}
    arrays = [name for name in names if name not in numbers]
    *tensors, out = operands(written={"out"}, **{name: names[name] for name in arrays}, out=out)
    by_name = dict(zip(arrays, tensors))
    given = (_c.ExpressionOperand * len(names))()
    for one, name in zip(given, names):
        one.name = name.encode()
        if name in numbers:
            one.number = scalar(numbers[name], name)
        else:
            one.tensor = by_name[name]._as_parameter_
    code = None if dtype is None else byref(c_int32(DType.of(dtype)))
    arguments = (text(expr, "expr"), given, len(names), code)
    return result(lib.kernelgen_expression, arguments, out, stream)
