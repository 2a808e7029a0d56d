"""Element-wise functions that a program writes itself."""

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
    """The expression of each element, by one kernel: `expression("silu(a) * b + c", a=x, b=y, c=0.5)`.

    Its words are those of an "expr" in a manifest: C's operators, functions such as exp and maximum, and conversions such as
    u8(x), on elements that are f32 where their dtype is narrower than that. Integers divide as div does. `names` are up to six tensors or arrays of any layout, which are broadcast to a
    common shape, and up to eight numbers, which are converted to the dtype of the first tensor of floats, else of the
    first tensor. `dtype` is the result's: where it is None that of `out`, else that of the tensors, which then all have
    the same. The first call compiles, and keeps what it made on disk for the next process. Raises InvalidArgument for
    a text that is no expression, with the column and the names that may be used; Unsupported where there is no compiler."""
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
