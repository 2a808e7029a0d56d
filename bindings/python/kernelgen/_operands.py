"""Helpers of operations.py: arguments to handles, handles to results."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import Any, Collection, List, Optional, Sequence, Tuple, Union

from . import _c
from ._convert import (DIMS, Dims, Number, Pair, integer, is_number, numbers_of, optional_integer,  # noqa: F401
                       optional_real, real, scalar, scalar_list, size2, text, wide)
from ._library import lib
from .device import Device, DeviceLike  # noqa: F401  for operations.py
from .dtype import DTYPES, DType, DTypeLike, dtype_of  # noqa: F401
from .stream import Stream, current, entered  # noqa: F401
from .tensor import Tensor, empty, shared

__all__ = ["ArrayLike", "DIMS", "DTYPES", "DType", "DTypeLike", "Device", "DeviceLike", "Dims", "Number", "Pair", "Stream", "Tensor",
           "dims_of", "dtype_of", "empty", "entered", "handle", "integer", "is_operand", "numbers_of", "operand_list",
           "operands", "optional_integer", "optional_real", "real", "result", "results", "run", "scalar", "scalar_list",
           "size2", "text", "wide"]

ArrayLike = Union[Tensor, Number, Any]  # Any: an array of another library


def is_operand(value: Any) -> bool:
    """Whether an operator accepts it: a tensor, a number or an array."""
    return isinstance(value, Tensor) or is_number(value) or hasattr(value, "__dlpack__")


def _constant(value: Number, like: Tensor) -> Tensor:
    """A number as a tensor of one element."""
    made = empty((), like.dtype, like.device)
    lib.kernelgen_const_set(made, scalar(value, "value"), current(None))
    return made


def operands(written: Collection[str] = (), **arrays: Any) -> Tuple[Any, ...]:
    """The tensors of a call's arguments, by name: arrays are shared without copying, on the device of the first tensor, and
    numbers become tensors of the last array's dtype. None stays. `written` names those that the call writes."""
    first = next((array for array in arrays.values() if isinstance(array, Tensor)), None)
    device = None if first is None else first.device
    found = {name: array if array is None or is_number(array) else shared(array, name, device, name in written)
             for name, array in arrays.items()}
    like = next((array for array in reversed(found.values()) if isinstance(array, Tensor)), None)
    for name, array in found.items():
        if array is not None and not isinstance(array, Tensor):
            if like is None or name in written:
                raise TypeError(f"{name} must be a Tensor or an array, not {type(array).__name__}")
            found[name] = _constant(array, like)
    return tuple(found.values())


def operand_list(arrays: Sequence[ArrayLike]) -> Any:
    """The C array of their handles, which keeps the tensors alive."""
    tensors = operands((), **{f"inputs[{index}]": array for index, array in enumerate(arrays)})
    handles: Any = (c_void_p * len(tensors))(*(tensor._as_parameter_ for tensor in tensors))
    handles.tensors = tensors
    return handles


def handle(tensor: Any) -> Optional[c_void_p]:
    """The tensor's handle, or None, as a member of a C struct."""
    return None if tensor is None else tensor._as_parameter_


def widest(handles: Any) -> Tensor:
    """The tensor with the most dims of an operand_list()."""
    if not handles.tensors:
        raise ValueError("no tensor is given")
    return max(handles.tensors, key=lambda tensor: tensor.ndim)


def dims_of(x: Tensor, dims: Dims) -> Tuple[Any, Any]:
    """The number of dims, and the C array of them; for None those of all dims of x."""
    return numbers_of(tuple(range(x.ndim)) if dims is None else dims, "dims")


def run(function: Any, arguments: Tuple[Any, ...], stream: Optional[Stream]) -> None:
    """Calls a function without a result."""
    function(*arguments, None if stream is None and not entered else current(stream))


def _device_of(arguments: Tuple[Any, ...]) -> Optional[Device]:
    """The device of the first Device or Tensor among a call's arguments."""
    return next((each if isinstance(each, Device) else each.device for each in arguments
                 if isinstance(each, (Device, Tensor))), None)


def result(function: Any, arguments: Tuple[Any, ...], out: Any, stream: Optional[Stream]) -> Tensor:
    """Calls a function with one result, and returns it: a new tensor, or `out`."""
    if type(out) is Tensor:
        function(*arguments, out, None if stream is None and not entered else current(stream), None)
        return out
    made: Tensor = results(function, arguments, (out,), stream)[0]
    return made


def results(function: Any, arguments: Tuple[Any, ...], outs: Sequence[Any],
            stream: Optional[Stream]) -> Tuple[Any, Any]:
    """Calls a function with one or two results, and returns them: each is a new tensor, or its `out`; None if that is False."""
    targets: List[Any] = []
    addresses: List[Any] = []
    given: List[Any] = []
    for out in outs:
        target: Optional[Tensor] = None
        address: Any = None
        if out is None:
            out = Tensor.__new__(Tensor)
            out._as_parameter_ = c_void_p()
            address = byref(out._as_parameter_)
        elif out is False:
            out = None
        else:
            target = out if type(out) is Tensor else shared(out, "out", _device_of(arguments), writable=True)
        targets.append(target)
        addresses.append(address)
        given.append(out)
    function(*arguments, *targets, current(stream), *addresses)
    first, second = given[0], given[-1]
    return first, second
