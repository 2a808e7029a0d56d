"""Launches of kernels: their shape and their observers."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, NamedTuple, Optional, Sequence

from . import _c
from ._convert import unsigned
from ._library import lib


class LaunchInfo(NamedTuple):
    """A launch, as reported to launch observers. `kernel` is "kg_matmul_f16_tiled" or, for a graph, "graph of 40 nodes";
    a graph's other numbers are 0. `stream` is the driver's handle, None for the default queue. `is_captured`: the launch
    becomes part of a graph and is not executed yet."""

    kernel: str
    grid: Sequence[int]
    block: Sequence[int]
    shared_bytes: int
    argument_bytes: int
    stream: Optional[int]
    is_captured: bool

    @classmethod
    def _of(cls, launch: Any) -> LaunchInfo:
        shape = launch.shape
        return cls(launch.kernel.decode("utf-8", "replace"), tuple(shape.grid), tuple(shape.block), shape.shared_bytes,
                   launch.argument_bytes, launch.stream, bool(launch.is_captured))


_numbers = itertools.count(1)
_lookers: Dict[int, Callable[[LaunchInfo], object]] = {}  # the observers of Device.on_launch, by number
_look_type: Any = _c.FUNCTIONS["kernelgen_device_on_launch"][1][1]
_look = _look_type(lambda number, launch: _lookers[number](LaunchInfo._of(launch.contents)))
_look_no_more = _c.Release(lambda number: _lookers.pop(number))


def let_look(device: Any, look: Optional[Callable[[LaunchInfo], object]]) -> None:
    """Calls look(launch) before each launch on the device; None removes the observer."""
    if look is None:
        lib.kernelgen_device_on_launch(device, _look_type(), _c.Release(), None)
        return
    number = next(_numbers)
    _lookers[number] = look
    lib.kernelgen_device_on_launch(device, _look, _look_no_more, number)


def launch_shape(grid: Sequence[int], block: Sequence[int], shared_bytes: int) -> _c.LaunchShape:
    """The C struct of a launch's shape; grid and block have one to three dims."""
    shape = _c.LaunchShape()
    for name, given in (("grid", grid), ("block", block)):
        given = list(given)
        if not 1 <= len(given) <= 3:
            raise ValueError(f"{name} must have one to three dims, not {len(given)}")
        dims = [*(unsigned(extent, name) for extent in given), 1, 1][:3]
        getattr(shape, name)[:] = dims
    shape.shared_bytes = unsigned(shared_bytes, "shared_bytes")
    return shape
