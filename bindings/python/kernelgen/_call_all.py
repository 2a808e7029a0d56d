"""Operations by name with several results."""

from __future__ import annotations

from ctypes import byref, c_size_t, c_void_p
from typing import Any, Optional, Sequence, Tuple

from . import _c
from ._convert import scalar_list, text
from ._library import lib
from ._operands import ArrayLike, Number, operand_list
from .stream import Stream, current
from .tensor import Tensor


def call_all(operation: str, inputs: Sequence[ArrayLike], scalars: Sequence[Number] = (), *,
             stream: Optional[Stream] = None) -> Tuple[Tensor, ...]:
    """As call(), for an operation of the device's package with any number of results, in the order of its manifest."""
    given: Any = operand_list(inputs)
    numbers: Any = scalar_list(scalars)
    handles = (c_void_p * _c.MAX_RESULTS)()
    count = c_size_t()
    lib.kernelgen_call_all(text(operation, "operation"), given, len(given), numbers, len(numbers), current(stream), handles,
                           len(handles), byref(count))
    results = []
    for handle in handles[:count.value]:
        result = Tensor.__new__(Tensor)
        result._as_parameter_ = c_void_p(handle)
        results.append(result)
    return tuple(results)
