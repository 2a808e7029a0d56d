"""GGUF files, of language models in GGML's formats."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_double, c_int, c_int32, c_int64, c_size_t, c_uint64
from dataclasses import dataclass
from typing import Any, Iterator, List, Mapping, Optional, Tuple

from . import _c
from ._convert import text
from ._handle import Handle
from ._library import lib
from .device import Device, DeviceLike
from .dtype import DType
from .stream import Stream, current
from .tensor import Tensor


def _string(given: _c.Text) -> str:
    """Decodes UTF-8; tokens may be parts of a character."""
    return ctypes.string_at(given.data, given.bytes).decode("utf-8", "surrogateescape") if given.bytes else ""


@dataclass(frozen=True)
class GgufTensor:
    """A tensor as the file lists it."""

    name: str
    format: str  # "q4_K"; "" for a format that is not known
    dtype: Optional[DType]  # None for a format that has no dtype here: listed, not loaded
    shape: Tuple[int, ...]  # slowest dim first
    offset: int  # of the first byte in the file
    nbytes: int  # 0 for a format that is not known


class Gguf(Handle, Mapping[str, Any]):
    """A GGUF file, mapped and checked. It is a mapping of its metadata: gguf["llama.block_count"]; `tensors` lists the
    tensors, load() loads one. The file must not change while this object or a tensor loaded on the CPU exists.

    Raises IoError, and BadPackage with the offset and the defect; for an absent key NotFound, which is a KeyError, with
    the nearest key."""

    _release = lib.kernelgen_gguf_release

    def __init__(self, file: Any) -> None:
        super().__init__()
        lib.kernelgen_gguf_open(text(file, "file"), byref(self._as_parameter_))

    def _counts(self) -> Tuple[int, int]:
        entries, tensors = c_size_t(), c_size_t()
        lib.kernelgen_gguf_counts(self, byref(entries), byref(tensors))
        return entries.value, tensors.value

    def __len__(self) -> int:
        return self._counts()[0]

    def __iter__(self) -> Iterator[str]:
        for position in range(len(self)):
            key = _c.Text()
            lib.kernelgen_gguf_key(self, position, byref(key))
            yield _string(key)

    def __contains__(self, key: object) -> bool:
        return any(key == each for each in self)

    def __getitem__(self, key: str) -> Any:
        """A number, bool, str, or a list of such. Raises NotFound; Unsupported for arrays of arrays."""
        name = text(key, "key")
        kind, is_array, count = c_int32(), c_int(), c_uint64()
        lib.kernelgen_gguf_kind(self, name, byref(kind), byref(is_array), byref(count))
        integers = {_c.GGUF_U8, _c.GGUF_I8, _c.GGUF_U16, _c.GGUF_I16, _c.GGUF_U32, _c.GGUF_I32, _c.GGUF_U64, _c.GGUF_I64}
        if not is_array.value:
            if kind.value in integers:
                return self._one(lib.kernelgen_gguf_integer, name, c_int64).value
            if kind.value == _c.GGUF_BOOLEAN:
                return bool(self._one(lib.kernelgen_gguf_boolean, name, c_int).value)
            if kind.value == _c.GGUF_TEXT:
                return _string(self._one(lib.kernelgen_gguf_text, name, _c.Text))
            return self._one(lib.kernelgen_gguf_real, name, c_double).value
        if kind.value == _c.GGUF_TEXT:
            return list(map(_string, self._all(lib.kernelgen_gguf_texts, name, _c.Text, count.value)))
        if kind.value in integers or kind.value == _c.GGUF_BOOLEAN:
            values = self._all(lib.kernelgen_gguf_integers, name, c_int64, count.value)
            return list(map(bool, values)) if kind.value == _c.GGUF_BOOLEAN else values
        return self._all(lib.kernelgen_gguf_reals, name, c_double, count.value)

    def _one(self, function: Any, name: bytes, kind: Any) -> Any:
        found = kind()
        function(self, name, byref(found))
        return found

    def _all(self, function: Any, name: bytes, kind: Any, count: int) -> List[Any]:
        found = (kind * count)()
        function(self, name, found, count)
        return list(found)

    def _tensor(self, position: int) -> GgufTensor:
        found = _c.GgufTensor()
        lib.kernelgen_gguf_describe(self, position, byref(found))
        return GgufTensor(_string(found.name), _string(found.format_name),
                          None if found.dtype < 0 else DType(found.dtype), tuple(found.shape[:found.rank]),
                          found.offset, found.bytes)

    @property
    def tensors(self) -> List[GgufTensor]:
        """All tensors, in the file's order."""
        return [self._tensor(position) for position in range(self._counts()[1])]

    def find(self, name: str) -> GgufTensor:
        """The description of the tensor of that name. Raises NotFound with the nearest name."""
        return self._tensor(self._one(lib.kernelgen_gguf_find, text(name, "name"), c_size_t).value)

    def load(self, name: str, device: DeviceLike = "cpu", stream: Optional[Stream] = None) -> Tensor:
        """Loads the tensor of that name on a device; on the CPU it is the file's own memory if the alignment permits.
        Raises NotFound; Unsupported for a format without a dtype; OutOfMemory, DeviceError."""
        return Tensor._made(lib.kernelgen_gguf_load, self, Device.of(device), text(name, "name"), current(stream))

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __repr__(self) -> str:
        entries, tensors = self._counts()
        return f"<kernelgen.Gguf: {entries} entries of metadata, {tensors} tensors>"
