"""Memory of the host that devices copy from and to by themselves."""

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
    """Memory of the host that does not move, uninitialised, so that a device copies from and to it while the host and other
    streams work on: `memory` is its bytes, for numpy.frombuffer say. What is read and written there is the program's to
    order: behind a wait for the stream, or an event. Raises OutOfMemory."""

    _release = lib.kernelgen_pinned_release

    def __init__(self, device: DeviceLike, nbytes: int) -> None:
        super().__init__()
        lib.kernelgen_pinned_new(Device.of(device), unsigned(nbytes, "nbytes", 63), byref(self._as_parameter_))

    @property
    def memory(self) -> memoryview:
        """Its bytes, which keep it alive."""
        address, count = c_void_p(), c_size_t()
        lib.kernelgen_pinned_data(self, byref(address), byref(count))
        if not count.value:
            return memoryview(bytearray())
        view: Any = (ctypes.c_char * count.value).from_address(address.value or 0)
        view.owner = self
        return memoryview(view).cast("B")

    def upload(self, destination: Tensor, offset: int = 0, stream: Optional[Stream] = None) -> None:
        """Puts a copy of the bytes from `offset` on to the tensor's elements into the stream. Part of a graph, each launch
        copies what is there then. Raises InvalidArgument for a tensor that is not contiguous, of another device, or that
        takes more bytes than there are; DeviceError."""
        lib.kernelgen_upload(destination, self, unsigned(offset, "offset", 63), current(stream))

    def download(self, source: Tensor, offset: int = 0, stream: Optional[Stream] = None) -> None:
        """The other way, of a tensor of any layout. Raises as upload."""
        lib.kernelgen_download(self, source, unsigned(offset, "offset", 63), current(stream))
