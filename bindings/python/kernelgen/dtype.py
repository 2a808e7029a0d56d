"""Element types."""

from __future__ import annotations

import enum
from ctypes import byref, c_int32
from typing import Union

from . import _c
from ._convert import text
from ._library import lib

# By NumPy's, PyTorch's and JAX's names, and by Python's types.
NAMES = {"uint8": "u8", "bool": "u8", "bool_": "u8", "uint32": "u32", "int16": "i16", "int32": "i32", "int64": "i64",
         "int": "i64", "bfloat16": "bf16", "float16": "f16", "half": "f16", "float32": "f32", "float64": "f64",
         "double": "f64", "float": "f64", "float8_e4m3fn": "f8e4m3"}
# What the buffer protocol calls them, native byte order.
FORMATS = {"u8": "B", "u32": "I", "i16": "h", "i32": "i", "i64": "q", "f16": "e", "f32": "f", "f64": "d"}


class _Members(dict):
    """The dtypes of the C header, by their names in C: u8, …, q4_K."""

    def __init__(self):
        for code in range(_c.DTYPE_COUNT):
            self[lib.kernelgen_dtype_name(code).decode()] = code


class _DType(enum.IntEnum):
    @classmethod
    def of(cls, given: DTypeLike) -> DType:
        """A DType, its name ("f32", "q4_K"), or what NumPy, PyTorch and JAX call theirs (numpy.float32, torch.float32),
        or float, int, bool. Raises NotFound with the names there are."""
        return dtype_of(given)

    @property
    def size(self) -> int:
        """Bytes of one element, or of one block where the dtype is quantized."""
        return lib.kernelgen_dtype_size(self)

    @property
    def block(self) -> int:
        """Elements of a block: 32 or 256 where the dtype is quantized, else 1."""
        return lib.kernelgen_dtype_block(self)

    @property
    def is_quantized(self) -> bool:
        return self.block > 1

    @property
    def is_float(self) -> bool:
        return self.name in ("bf16", "f16", "f32", "f64", "f8e4m3")

    def __repr__(self):
        return f"kernelgen.{self.name}"

    def __str__(self):
        return self.name


DType = _DType("DType", _Members(), module=__name__)


class _Known(dict):
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


DType.__doc__ = "Element type of a tensor: kernelgen.f32, …, of the C header. DType.of takes other libraries' names."
DTypeLike = Union[DType, str, type, object]
