"""Graphs: work that is captured once and launched many times."""

from __future__ import annotations

from contextlib import contextmanager
from ctypes import byref, c_int
from typing import Iterator, Optional

from . import _c
from ._handle import Handle
from ._library import lib
from .stream import Stream, current, of_thread


@contextmanager
def given_up_on_errors() -> Iterator[None]:
    of_thread.captures = True
    try:
        yield
    except BaseException:
        lib.kernelgen_graph_cancel()
        raise
    finally:
        of_thread.captures = False


class Graph(Handle):
    """Captured work of a device, created by Device.capture. Each launch executes the same kernels with the same arguments
    on the current contents of the same memory, at the cost of one launch. Tensors created before the capture that the graph
    reads or writes must outlive its launches; tensors released during the capture are kept by the graph."""

    _release = lib.kernelgen_graph_release

    def launch(self, stream: Optional[Stream] = None) -> None:
        """Submits the work to the stream without waiting. An index out of range is reported by the next wait for that
        stream. Raises InvalidArgument, DeviceError."""
        lib.kernelgen_graph_launch(self, current(stream))

    @contextmanager
    def update(self) -> Iterator[GraphUpdate]:
        """`with graph.update() as update:` replaces the graph's work by what its body captures, for example the same
        operations on other tensors. Afterwards update.in_place says whether the driver changed the graph in place or
        instantiated it again. Raises what Device.capture raises; the graph is then unchanged."""
        update, in_place = GraphUpdate(), c_int()
        lib.kernelgen_graph_begin_update(self)
        with given_up_on_errors():
            yield update
            lib.kernelgen_graph_end_update(self, byref(in_place))
        update.in_place = bool(in_place.value)

    def _info(self) -> _c.GraphInfo:
        info = _c.GraphInfo()
        lib.kernelgen_graph_describe(self, byref(info))
        return info

    @property
    def nodes(self) -> int:
        """Number of kernel launches, copies and fills."""
        return int(self._info().nodes)

    @property
    def memory(self) -> int:
        """Bytes that the graph holds for the allocations of its work."""
        return int(self._info().memory)


class GraphUpdate:
    """The result of Graph.update: `in_place` is None within the body, then whether the driver changed the graph in place."""

    in_place: Optional[bool] = None
