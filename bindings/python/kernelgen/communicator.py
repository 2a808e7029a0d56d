"""Exchange of tensors between devices."""

from __future__ import annotations

from contextlib import contextmanager
from ctypes import byref
from typing import Any, Iterator, Optional, Tuple

from . import _c
from ._convert import integer
from ._handle import Handle
from ._library import lib
from .device import Device, DeviceLike
from .stream import Stream, current
from .tensor import Tensor

REDUCTIONS = {"sum": _c.REDUCE_SUM, "product": _c.REDUCE_PRODUCT, "min": _c.REDUCE_MIN, "max": _c.REDUCE_MAX,
              "mean": _c.REDUCE_MEAN}


def _reduction(name: str) -> int:
    if name not in REDUCTIONS:
        raise ValueError(f"reduction is {name!r}; there are {', '.join(REDUCTIONS)}")
    return REDUCTIONS[name]


class Communicator(Handle):
    """One of several devices that exchange tensors: by NCCL between CUDA devices, by RCCL between HIP devices, in the
    devices' streams; between CPU devices of one process in its memory. Rank `rank` of `ranks`, which join with the same id,
    of Communicator.make_id.

    The ranks make the same calls in the same order, each in a thread or process of its own, or several in one thread in the
    body of `with group():`. Tensors have one dtype and shape everywhere, and any layout; results are contiguous, or written
    to `out`. Used by one thread at a time. Raises InvalidArgument; Unsupported where there is no library; DeviceError."""

    _release = lib.kernelgen_communicator_release

    def __init__(self, device: DeviceLike, ranks: int, rank: int, id: bytes):  # noqa: A002  what it is
        super().__init__()
        lib.kernelgen_communicator_join(Device.of(device), integer(ranks, "ranks"), integer(rank, "rank"),
                                        _c.CommunicatorId.from_buffer_copy(id), byref(self._as_parameter_))

    @staticmethod
    def make_id(device: DeviceLike) -> bytes:
        """What one of the processes makes, and tells the others by ways of its own. For devices of that one's kind."""
        made = _c.CommunicatorId()
        lib.kernelgen_communicator_make_id(Device.of(device), byref(made))
        return bytes(made)

    def all_reduce(self, x: Tensor, reduction: str = "sum", out: Optional[Tensor] = None,
                   stream: Optional[Stream] = None) -> Tensor:
        """Every rank gets the same: x of all, "sum", "product", "min", "max" or "mean" element by element."""
        return self._result(lib.kernelgen_all_reduce, (x, _reduction(reduction)), out, stream)

    def reduce_scatter(self, x: Tensor, reduction: str = "sum", out: Optional[Tensor] = None,
                       stream: Optional[Stream] = None) -> Tensor:
        """The same, of which each rank gets its part along the first dim."""
        return self._result(lib.kernelgen_reduce_scatter, (x, _reduction(reduction)), out, stream)

    def all_gather(self, x: Tensor, out: Optional[Tensor] = None, stream: Optional[Stream] = None) -> Tensor:
        """Every rank gets the x of all, one behind the other along the first dim."""
        return self._result(lib.kernelgen_all_gather, (x,), out, stream)

    def broadcast(self, x: Tensor, root: int, out: Optional[Tensor] = None, stream: Optional[Stream] = None) -> Tensor:
        """Every rank gets x of the rank `root`."""
        return self._result(lib.kernelgen_broadcast, (x, integer(root, "root")), out, stream)

    def send(self, x: Tensor, to: int, stream: Optional[Stream] = None) -> None:
        """To another rank, which calls receive. Two that send to each other do so in a group."""
        lib.kernelgen_send(self, x, integer(to, "to"), current(stream))

    def receive(self, result: Tensor, source: int, stream: Optional[Stream] = None) -> None:
        """From the rank `source` into a contiguous tensor of as many bytes."""
        lib.kernelgen_receive(self, result, integer(source, "source"), current(stream))

    def _result(self, function: Any, given: Tuple[Any, ...], out: Optional[Tensor], stream: Optional[Stream]) -> Tensor:
        if out is None:
            return Tensor._made(function, self, *given, None, current(stream))
        function(self, *given, out, current(stream), None)
        return out


@contextmanager
def group() -> Iterator[None]:
    """`with group():` has the calls of Communicators in its body begin together, at its end: those of one thread for several
    devices, or sends and receives that wait for each other. Raises what came of them."""
    lib.kernelgen_group_begin()
    try:
        yield
    except BaseException:
        try:
            lib.kernelgen_group_end()
        except Exception:  # noqa: BLE001, S110  less than why there are no more calls
            pass
        raise
    lib.kernelgen_group_end()
