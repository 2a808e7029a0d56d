"""Queues of work on a device, and points in them."""

from __future__ import annotations

import threading
from ctypes import byref, c_double, c_void_p
from typing import Any, List, Optional

from ._handle import Handle
from ._library import lib

# .streams: the streams of the thread's open `with` statements; .captures: whether it captures a graph
of_thread = threading.local()
# The streams of all threads' open `with` statements. While it is empty, the thread-local list is not read.
entered: List[Stream] = []


class Stream(Handle):
    """A queue of work on a device, created by Device.new_stream. In a `with` statement it is the thread's current stream:
    operations in the body use it unless they name another. The end of the body does not wait."""

    _release = lib.kernelgen_stream_release

    def synchronize(self) -> None:
        """Waits until all work in the stream is done. Raises DeviceError, and IndexOutOfRange for the first bad index
        of the earliest call in this stream since the last wait."""
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
    """The stream, else the thread's current one, else None: the device's default queue."""
    if stream is not None:
        if not isinstance(stream, Stream):
            raise TypeError(f"stream must be a Stream, not {type(stream).__name__}")
        return stream
    if not entered:
        return None
    streams = of_thread.__dict__.get("streams")
    return streams[-1] if streams else None


class Event(Handle):
    """A point in a stream, created by Device.record."""

    _release = lib.kernelgen_event_release

    def synchronize(self) -> None:
        """Waits until the point is reached. Raises what Stream.synchronize raises, for work submitted before the event."""
        lib.kernelgen_event_synchronize(self)

    def elapsed(self, end: Event) -> float:
        """Milliseconds from this event to `end`; both must be reached. Raises DeviceError."""
        found = c_double()
        lib.kernelgen_event_elapsed(self, end, byref(found))
        return found.value
