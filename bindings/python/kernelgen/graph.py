"""Work of a device that is captured once and launched many times."""

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
    """Work of a device, of Device.capture, that is launched any number of times for the price of one launch: the same
    kernels with the same arguments, on what the same memory holds then. Tensors from before that it reads or writes have to
    stay as long as it is launched; one that goes while it is captured goes with the graph."""

    _release = lib.kernelgen_graph_release

    def launch(self, stream: Optional[Stream] = None) -> None:
        """Puts all of the work into the stream, and does not wait for it. A bad index that it meets is told to those who
        wait for that stream. Raises InvalidArgument, DeviceError."""
        lib.kernelgen_graph_launch(self, current(stream))

    @contextmanager
    def update(self) -> Iterator[GraphUpdate]:
        """`with graph.update() as update:` captures its body, such as the same operations on other tensors, in place of the
        earlier work; update.in_place then says whether the driver could change the graph, else it was made anew. Raises as
        Device.capture, and the graph is as it was."""
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
        """Launches of kernels, copies and fills in it."""
        return int(self._info().nodes)

    @property
    def memory(self) -> int:
        """Bytes that it keeps for what its work allocated."""
        return int(self._info().memory)


class GraphUpdate:
    """What became of Graph.update: `in_place` is None in its body, then whether the driver could change the graph."""

    in_place: Optional[bool] = None
