"""Converts Python's values to C's. A value that C would truncate or misread is an error here."""

from __future__ import annotations

import functools
import operator
from ctypes import byref, c_double, c_int64, c_size_t
from typing import Any, List, Optional, Sequence, Tuple, Union

from . import _c

Number = Union[int, float]
Pair = Union[int, Sequence[int]]
Dims = Union[int, Sequence[int], None]


def integer(value: Any, name: str) -> int:
    """A signed 64-bit integer."""
    if type(value) is int and -2**31 <= value < 2**31:
        return value
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if not -2**63 <= number < 2**63:
        raise OverflowError(f"{name} is {number}, which 64 bits do not hold")
    return number


def wide(value: Any, name: str) -> c_int64:
    """integer() for a function without declared parameters, to which ctypes would pass an int as 32 bits."""
    return c_int64(integer(value, name))


# DIMS[dim] is wide(dim) for -8 to 8, made once.
DIMS = [c_int64(dim) for dim in (*range(9), *range(-8, 0))]


def unsigned(value: Any, name: str, bits: int = 32) -> int:
    number = integer(value, name) if bits < 64 else operator.index(value)
    if not 0 <= number < 2**bits:
        raise OverflowError(f"{name} is {number}; 0 to {2**bits - 1} are possible")
    return number


def real(value: Any, name: str) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}") from None


def optional_integer(value: Any, name: str) -> Any:
    return None if value is None else byref(wide(value, name))


def optional_real(value: Any, name: str) -> Optional[c_double]:
    return None if value is None else c_double(real(value, name))


def text(value: Any, name: str) -> bytes:
    """A C string, of a string or a path."""
    if hasattr(value, "__fspath__"):
        value = value.__fspath__()
    if isinstance(value, str):
        value = value.encode("utf-8", "surrogateescape")
    if not isinstance(value, bytes):
        raise TypeError(f"{name} must be a str, not {type(value).__name__}")
    if b"\0" in value:
        raise ValueError(f"{name} has a NUL character: {value!r}")
    return value


def integers(values: Any, name: str) -> List[int]:
    """One number, or a sequence of them, as a list."""
    if hasattr(values, "__index__"):
        return [integer(values, name)]
    try:
        return [integer(value, name) for value in values]
    except TypeError:
        raise TypeError(f"{name} must be integers, not {values!r}") from None


def numbers_of(values: Any, name: str) -> Tuple[c_size_t, Any]:
    """The count and the C array of one or more integers, as C takes a shape."""
    if type(values) is list or type(values) is tuple:
        try:
            return _counted(*values)
        except (TypeError, OverflowError):  # not hashable, or wrong: integers() then names the value
            pass
    numbers = integers(values, name)
    return _counted.__wrapped__(*numbers)


# Cached: calls repeat the same few dims. No C function writes to the arrays.
@functools.lru_cache(maxsize=256, typed=True)
def _counted(*values: Any) -> Tuple[c_size_t, Any]:
    numbers = [integer(value, "") for value in values]
    return c_size_t(len(numbers)), (c_int64 * len(numbers))(*numbers)


def size2(value: Any, name: str) -> _c.Size2:
    """(height, width), or one number for both."""
    numbers = integers(value, name)
    if len(numbers) == 1:
        numbers *= 2
    if len(numbers) != 2:
        raise ValueError(f"{name} must be one number or two (height, width), not {value!r}")
    return _c.Size2(*numbers)


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float)) or (
        not hasattr(value, "__dlpack__") and (hasattr(value, "__index__") or hasattr(value, "__float__")))


def scalar(value: Any, name: str) -> _c.Scalar:
    """A number for an operation, which converts it to the tensor's dtype."""
    if hasattr(value, "__index__"):
        return _c.Scalar(1, 0.0, integer(value, name))
    return _c.Scalar(0, real(value, name), 0)


def scalar_list(values: Sequence[Number]) -> Any:
    found = [scalar(value, "scalars") for value in values]
    return (_c.Scalar * len(found))(*found)

