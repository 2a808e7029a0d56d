"""Element types."""

from __future__ import annotations

from ctypes import byref, c_int32
from typing import Dict, Union

from ._convert import text
from ._dtypes import DType
from ._library import lib

__all__ = ["DTYPES", "DType", "DTypeLike", "FORMATS", "dtype_of"]

# By NumPy's, PyTorch's and JAX's names, and by Python's types.
NAMES = {"uint8": "u8", "bool": "u8", "bool_": "u8", "uint32": "u32", "int16": "i16", "int32": "i32", "int64": "i64",
         "int": "i64", "bfloat16": "bf16", "float16": "f16", "half": "f16", "float32": "f32", "float64": "f64",
         "double": "f64", "float": "f64", "float8_e4m3fn": "f8e4m3"}
# What the buffer protocol calls them, native byte order.
FORMATS = {"u8": "B", "u32": "I", "i16": "h", "i32": "i", "i64": "q", "f16": "e", "f32": "f", "f64": "d"}


class _Known(Dict[object, DType]):
    """What was asked for so far: calls of operations ask again and again."""

    def __missing__(self, given: DTypeLike) -> DType:
        self[given] = found = _named(given)
        return found


DTYPES = _Known()


def dtype_of(given: DTypeLike) -> DType:
    """DType.of for operations, by few steps."""
    if type(given) is DType:
        return given
    try:
        return DTYPES[given]
    except TypeError:  # no key of a dictionary
        return _named(given)


def _named(given: DTypeLike) -> DType:
    if isinstance(given, str):
        name = given
    else:
        name = getattr(given, "name", None) or getattr(given, "__name__", None) or str(given)
    name = name.rpartition(".")[2]
    code = c_int32()
    lib.kernelgen_dtype_parse(text(NAMES.get(name, name), "dtype"), byref(code))
    return DType(code.value)


DTypeLike = Union[DType, str, type, object]
