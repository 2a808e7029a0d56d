"""Pinned host memory, and copies between it and devices."""

from __future__ import annotations

import ctypes
from ctypes import byref, c_size_t, c_void_p
from typing import Any, Optional

from ._convert import unsigned
from ._handle import Handle
from ._library import lib
from .device import Device, DeviceLike
from .stream import Stream, current
from .tensor import Tensor


class PinnedMemory(Handle):
    """Uninitialised page-locked host memory: a device copies from and to it asynchronously. `memory` is its bytes, for
    numpy.frombuffer for example. The program orders its own accesses, by a wait for the stream or an event. Raises
    OutOfMemory."""

    _release = lib.kernelgen_pinned_release

    def __init__(self, device: DeviceLike, nbytes: int) -> None:
        super().__init__()
        lib.kernelgen_pinned_new(Device.of(device), unsigned(nbytes, "nbytes", 63), byref(self._as_parameter_))

    @property
    def memory(self) -> memoryview:
        """The bytes; the view keeps the memory alive."""
        address, count = c_void_p(), c_size_t()
        lib.kernelgen_pinned_data(self, byref(address), byref(count))
        if not count.value:
            return memoryview(bytearray())
        view: Any = (ctypes.c_char * count.value).from_address(address.value or 0)
        view.owner = self
        return memoryview(view).cast("B")

    def upload(self, destination: Tensor, offset: int = 0, stream: Optional[Stream] = None) -> None:
        """Copies the bytes from `offset` on to the tensor's elements, in the stream. In a graph, each launch copies the
        current bytes. Raises InvalidArgument for a tensor that is not contiguous, is on another device, or has more bytes
        than the memory from `offset` on; DeviceError."""
        lib.kernelgen_upload(destination, self, unsigned(offset, "offset", 63), current(stream))

    def download(self, source: Tensor, offset: int = 0, stream: Optional[Stream] = None) -> None:
        """Copies a tensor of any layout to the bytes from `offset` on, in the stream. Raises what upload raises."""
        lib.kernelgen_download(self, source, unsigned(offset, "offset", 63), current(stream))
