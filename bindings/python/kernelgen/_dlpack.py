"""Memory shared by DLPack capsules and Python buffers."""

from __future__ import annotations

import ctypes
import itertools
from typing import Any, Callable, Dict, Sequence, TypeVar
from ctypes import byref, c_char_p, c_int, c_ssize_t, c_void_p, py_object

from . import _c
from ._library import lib
from .device import Device
from .dtype import FORMATS, DType
from .errors import InvalidArgument

T = TypeVar("T")
# DLPack's device types.
CPU, CUDA, CUDA_HOST, ROCM = 1, 2, 3, 10
LOCATIONS = {CPU: "cpu", CUDA: "cuda:{}", ROCM: "hip:{}"}
# The newest version of DLPack that is read and written.
VERSION = (1, 1)
# Names of capsules: before and after their tensor is taken. Kept here, as capsules only borrow their name.
FRESH, USED = b"dltensor", b"used_dltensor"
FRESH_VERSIONED, USED_VERSIONED = b"dltensor_versioned", b"used_dltensor_versioned"


def _python(name: str, result: Any, *parameters: Any) -> Any:
    return ctypes.PYFUNCTYPE(result, *parameters)((name, ctypes.pythonapi))


_new = _python("PyCapsule_New", py_object, c_void_p, c_char_p, c_void_p)
_is_valid = _python("PyCapsule_IsValid", c_int, py_object, c_char_p)
_pointer = _python("PyCapsule_GetPointer", c_void_p, py_object, c_char_p)
_set_name = _python("PyCapsule_SetName", c_int, py_object, c_char_p)
# For a capsule that is being destroyed, which must not become an object again.
_dying_is_valid = _python("PyCapsule_IsValid", c_int, c_void_p, c_char_p)
_dying_pointer = _python("PyCapsule_GetPointer", c_void_p, c_void_p, c_char_p)


class _Managed(ctypes.Structure):
    """DLManagedTensor up to its deleter; of the tensor's members only the size matters here."""

    _fields_ = [
        ("data", c_void_p), ("device", c_int * 2), ("rank", c_int), ("dtype", ctypes.c_uint8 * 4),
        ("shape", c_void_p), ("strides", c_void_p), ("byte_offset", ctypes.c_uint64),
        ("context", c_void_p), ("deleter", ctypes.CFUNCTYPE(None, c_void_p)),
    ]


class _ManagedVersioned(ctypes.Structure):
    """DLManagedTensorVersioned."""

    _fields_ = [
        ("version", ctypes.c_uint32 * 2), ("context", c_void_p), ("deleter", ctypes.CFUNCTYPE(None, c_void_p)),
        ("flags", ctypes.c_uint64), ("data", c_void_p), ("device", c_int * 2), ("rank", c_int),
        ("dtype", ctypes.c_uint8 * 4), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64),
    ]


@ctypes.PYFUNCTYPE(None, c_void_p)  # type: ignore[misc, untyped-decorator, unused-ignore]
def _destroy(capsule: Any, is_valid: Any = _dying_is_valid, pointer: Any = _dying_pointer,
             kinds: Any = ((FRESH, _Managed), (FRESH_VERSIONED, _ManagedVersioned))) -> None:
    """The destructor of a capsule whose tensor was never taken."""
    for fresh, managed in kinds:
        if is_valid(capsule, fresh):
            address = pointer(capsule, fresh)
            managed.from_address(address).deleter(address)


# Capsules may outlive this module at the interpreter's end.
ctypes.pythonapi.Py_IncRef(py_object(_destroy))


def export(tensor: Any, max_version: Any = None) -> Any:
    """The tensor's memory as a capsule: of DLPack 1.x if its consumer reads that, else unversioned. Raises BufferError for
    read-only memory, which the unversioned struct cannot express."""
    managed = c_void_p()
    if max_version is not None and max_version[0] >= VERSION[0]:
        lib.kernelgen_tensor_to_dlpack_versioned(tensor, byref(managed))
        return _new(managed, FRESH_VERSIONED, ctypes.cast(_destroy, c_void_p))
    if tensor.is_read_only:
        raise BufferError("the memory is read-only, which DLPack says from version 1.0 on: ask for max_version=(1, 0), or "
                          "copy the tensor")
    lib.kernelgen_tensor_to_dlpack(tensor, byref(managed))
    return _new(managed, FRESH, ctypes.cast(_destroy, c_void_p))


def capsule_of(array: Any, stream: Any) -> Any:
    """The result of an array's __dlpack__, versioned if it supports that."""
    told = {} if stream is None else {"stream": stream}
    try:
        return array.__dlpack__(max_version=VERSION, **told)
    except TypeError:  # from before version 1.0
        return array.__dlpack__(**told)


def device_of(array: Any) -> str:
    """The name of the device that an array with __dlpack__ is on."""
    kind, ordinal = (int(number) for number in array.__dlpack_device__())
    if kind not in LOCATIONS:
        raise InvalidArgument(f"from_dlpack: the memory is on a device of DLPack's type {kind}; cpu (1), cuda (2) and "
                              "hip (10) are known")
    return LOCATIONS[kind].format(ordinal)


def stream_argument(device: Device, stream: Any) -> Any:
    """The stream that the producer orders its work before, by the rules of the Python array API."""
    if device.kind == "cpu":
        return None
    native = None if stream is None else stream.native
    # The default queue: CUDA's legacy default stream, HIP's null stream.
    return native if native else 1 if device.kind == "cuda" else 0


def take(capsule: Any, device: Device, made: Callable[..., T]) -> T:
    """Returns the tensor `made(function, managed, device)` over the capsule's memory, which it then owns."""
    for fresh, used, function in ((FRESH, USED, lib.kernelgen_tensor_from_dlpack),
                                  (FRESH_VERSIONED, USED_VERSIONED, lib.kernelgen_tensor_from_dlpack_versioned)):
        if _is_valid(capsule, fresh):
            tensor = made(function, _pointer(capsule, fresh), device)
            _set_name(capsule, used)
            return tensor
    raise ValueError("from_dlpack: the capsule was used already, or is not a DLPack capsule")


class Held:
    """Keeps objects whose memory tensors borrow until C releases them, on any thread."""

    def __init__(self) -> None:
        self._objects: Dict[int, object] = {}
        self._keys = itertools.count(1)
        self.release = _c.Release(self.drop)
        ctypes.pythonapi.Py_IncRef(py_object(self.release))

    def keep(self, given: object) -> int:
        key = next(self._keys)
        self._objects[key] = given
        return key

    def drop(self, key: int) -> None:
        self._objects.pop(key, None)


held = Held()


class _Buffer(ctypes.Structure):
    """Py_buffer: ctypes cannot give the address of read-only memory."""

    _fields_ = [
        ("address", c_void_p), ("object", py_object), ("bytes", c_ssize_t), ("item_size", c_ssize_t),
        ("readonly", c_int), ("rank", c_int), ("format", c_char_p), ("shape", c_void_p), ("strides", c_void_p),
        ("suboffsets", c_void_p), ("internal", c_void_p),
    ]


_get_buffer = _python("PyObject_GetBuffer", c_int, py_object, ctypes.POINTER(_Buffer), c_int)
_release_buffer = _python("PyBuffer_Release", None, ctypes.POINTER(_Buffer))


def address_of(view: memoryview) -> int:
    """The address of a buffer's first element, valid as long as the view exists."""
    strided = 0x0018  # PyBUF_STRIDES, read-only memory too
    buffer = _Buffer()
    _get_buffer(view, byref(buffer), strided)
    address = buffer.address
    _release_buffer(byref(buffer))
    return address or 0


READ_ONLY = 1  # the flag DLPACK_FLAG_BITMASK_READ_ONLY
TYPE_CODES = {"i": 0, "u": 1, "f": 2}  # by the first letter of a dtype's name


@ctypes.CFUNCTYPE(None, c_void_p)  # type: ignore[misc, untyped-decorator, unused-ignore]
def _drop_lent(managed: int) -> None:
    held.drop(_ManagedVersioned.from_address(managed).context)


ctypes.pythonapi.Py_IncRef(py_object(_drop_lent))


def lend_read_only(view: memoryview, dtype: DType, strides: Sequence[int], device: Device,
                   made: Callable[..., T]) -> T:
    """Returns the tensor `made(function, managed, device)` over a buffer, marked read-only. `strides` are in elements."""
    numbers: Any = ctypes.c_int64 * max(view.ndim, 1)
    managed = _ManagedVersioned(VERSION, None, _drop_lent, READ_ONLY, address_of(view), (CPU, 0), view.ndim,
                                (TYPE_CODES[dtype.name[0]], 8 * dtype.size, 1, 0), numbers(*(view.shape or ())),
                                numbers(*strides))
    managed.context = held.keep((view, managed))
    try:
        return made(lib.kernelgen_tensor_from_dlpack_versioned, byref(managed), device)
    except BaseException:
        held.drop(managed.context)
        raise


DTYPES = {**{letter: name for name, letter in FORMATS.items()}, "?": "u8", "L": "u32", "l": "i64"}


def dtype_of(view: memoryview) -> DType:
    """The dtype of a buffer's elements. Raises InvalidArgument for types that have no dtype here."""
    letter = view.format.lstrip("@=<")
    name = DTYPES.get(letter)
    if name is None or DType[name].size != view.itemsize:
        raise InvalidArgument(f"a buffer of elements '{view.format}' of {view.itemsize} bytes; there are "
                              + ", ".join(f"'{letter}' ({name})" for name, letter in FORMATS.items()))
    return DType[name]
