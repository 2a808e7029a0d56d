"""Queues of work on a device, and points in them."""

from __future__ import annotations

import threading
from ctypes import byref, c_double, c_void_p
from typing import Any, List, Optional

from ._handle import Handle
from ._library import lib

# .streams: those of the `with` statements this thread is in; .captures: whether it does
of_thread = threading.local()
# One for each `with` statement that any thread is in. While there is none, no thread is asked.
entered: List[Stream] = []


class Stream(Handle):
    """A queue of work on a device, of Device.new_stream. In a `with` statement it is the current stream of the thread:
    the one that operations of its body go to which name no other. Nothing is waited for at its end."""

    _release = lib.kernelgen_stream_release

    def synchronize(self) -> None:
        """Waits until everything in the stream is done. Raises DeviceError, and IndexOutOfRange for the first bad index
        of the earliest call in this stream that met one since it was last waited for."""
        lib.kernelgen_stream_synchronize(self)

    @property
    def native(self) -> Optional[int]:
        """The driver's handle (hipStream_t, CUstream), valid as long as the stream; None on the CPU."""
        found = c_void_p()
        lib.kernelgen_stream_native(self, byref(found))
        return found.value

    def __enter__(self) -> Stream:
        of_thread.__dict__.setdefault("streams", []).append(self)
        entered.append(self)
        return self

    def __exit__(self, *problem: Any) -> None:
        of_thread.streams.pop()
        entered.pop()


def current(stream: Optional[Stream]) -> Optional[Stream]:
    """The stream, or the current one of this thread; None where there is none: the device's default queue."""
    if stream is not None:
        if not isinstance(stream, Stream):
            raise TypeError(f"stream must be a Stream, not {type(stream).__name__}")
        return stream
    if not entered:
        return None
    streams = of_thread.__dict__.get("streams")
    return streams[-1] if streams else None


class Event(Handle):
    """A point in a stream, of Device.record."""

    _release = lib.kernelgen_event_release

    def synchronize(self) -> None:
        """Waits until the point is reached. Raises as Stream.synchronize, for what was put there before it."""
        lib.kernelgen_event_synchronize(self)

    def elapsed(self, end: Event) -> float:
        """Milliseconds from this to `end`, both reached. Raises DeviceError."""
        found = c_double()
        lib.kernelgen_event_elapsed(self, end, byref(found))
        return found.value
