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
    """A device's membership in a group that exchanges tensors, as rank `rank` of `ranks`: by NCCL between CUDA devices and
    by RCCL between HIP devices, in the devices' streams; in memory between CPU devices of one process. All ranks join with
    the same id, from Communicator.make_id.

    All ranks make the same calls in the same order: one thread or process a rank, or several ranks in one thread within
    `with group():`. Tensors have the same dtype and shape on all ranks, and any layout. Results are contiguous, or written
    to `out`. Not thread-safe. Raises InvalidArgument; Unsupported if the library is missing; DeviceError."""

    _release = lib.kernelgen_communicator_release

    def __init__(self, device: DeviceLike, ranks: int, rank: int, id: bytes):  # noqa: A002  what it is
        super().__init__()
        lib.kernelgen_communicator_join(Device.of(device), integer(ranks, "ranks"), integer(rank, "rank"),
                                        _c.CommunicatorId.from_buffer_copy(id), byref(self._as_parameter_))

    @staticmethod
    def make_id(device: DeviceLike) -> bytes:
        """Creates an id, in one process; the program sends it to the others. It is for devices of this device's kind."""
        made = _c.CommunicatorId()
        lib.kernelgen_communicator_make_id(Device.of(device), byref(made))
        return bytes(made)

    def all_reduce(self, x: Tensor, reduction: str = "sum", out: Optional[Tensor] = None,
                   stream: Optional[Stream] = None) -> Tensor:
        """Reduces x over all ranks element-wise ("sum", "product", "min", "max" or "mean"); every rank gets the result."""
        return self._result(lib.kernelgen_all_reduce, (x, _reduction(reduction)), out, stream)

    def reduce_scatter(self, x: Tensor, reduction: str = "sum", out: Optional[Tensor] = None,
                       stream: Optional[Stream] = None) -> Tensor:
        """As all_reduce; each rank gets its part of the result along the first dim."""
        return self._result(lib.kernelgen_reduce_scatter, (x, _reduction(reduction)), out, stream)

    def all_gather(self, x: Tensor, out: Optional[Tensor] = None, stream: Optional[Stream] = None) -> Tensor:
        """Concatenates x of all ranks along the first dim; every rank gets the result."""
        return self._result(lib.kernelgen_all_gather, (x,), out, stream)

    def broadcast(self, x: Tensor, root: int, out: Optional[Tensor] = None, stream: Optional[Stream] = None) -> Tensor:
        """Sends x of rank `root` to every rank."""
        return self._result(lib.kernelgen_broadcast, (x, integer(root, "root")), out, stream)

    def send(self, x: Tensor, to: int, stream: Optional[Stream] = None) -> None:
        """Sends x to another rank, which calls receive. Two ranks that send to each other must use a group."""
        lib.kernelgen_send(self, x, integer(to, "to"), current(stream))

    def receive(self, result: Tensor, source: int, stream: Optional[Stream] = None) -> None:
        """Receives from rank `source` into a contiguous tensor with the same number of bytes."""
        lib.kernelgen_receive(self, result, integer(source, "source"), current(stream))

    def _result(self, function: Any, given: Tuple[Any, ...], out: Optional[Tensor], stream: Optional[Stream]) -> Tensor:
        if out is None:
            return Tensor._made(function, self, *given, None, current(stream))
        function(self, *given, out, current(stream), None)
        return out


@contextmanager
def group() -> Iterator[None]:
    """`with group():` starts the Communicator calls of its body together, at its end: calls of one thread for several
    devices, or sends and receives that depend on each other. Raises their errors."""
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
