"""Kernels of a package of your own, called as functions."""

from __future__ import annotations

import difflib
import os
import struct
from ctypes import byref, c_uint32, c_void_p, cast, create_string_buffer
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _c, _dlpack
from ._convert import is_number, text, unsigned
from ._library import lib
from .device import Device, DeviceLike
from .dtype import FORMATS
from .launch import launch_shape
from .package import Argument, Kernel, Package
from .stream import Stream, current
from .tensor import Tensor, shared

_FORMATS = {**FORMATS, "i8": "b", "u16": "H", "u64": "Q"}
Extent = Union[int, Sequence[int]]


def load(package: Union[str, bytes, os.PathLike[str], Package], device: DeviceLike = "auto") -> Kernels:
    """The kernels of a package, on a device:

        mine = kernelgen.load("mine.kgpkg", "cpu")
        mine.saxpy[grid, block](n, 2.0, x, y)

    `device` is the name of one, which is opened with the package alone, or a Device that was opened with it and others.
    "auto" is the first GPU that the package has kernels for, else the CPU. Raises IoError, BadPackage; NotFound, Unsupported
    and DeviceError as Device."""
    package = package if isinstance(package, Package) else Package(package)
    return Kernels(package, device if isinstance(device, Device) else Device(device, package))


class Kernels:
    """The kernels of a package on a device, of load(): kernels.NAME, or kernels["NAME"] for a name that an attribute has.
    Iteration gives the names. `device` makes tensors for them: kernelgen.zeros((1000,), "f32", kernels.device)."""

    def __init__(self, package: Package, device: Device) -> None:
        self.device = device
        self._kernels: Dict[str, LoadedKernel] = {each.name: LoadedKernel(device, each) for each in package.kernels}

    def __getitem__(self, name: str) -> LoadedKernel:
        found = self._kernels.get(name)
        if found is None:
            near = difflib.get_close_matches(str(name), self._kernels, 1)
            raise KeyError(f"no kernel {name!r} in the package; " + (
                f"did you mean {near[0]!r}?" if near else f"there are {', '.join(list(self._kernels)[:20])}"))
        return found

    def __getattr__(self, name: str) -> LoadedKernel:
        if name.startswith("__") or "_kernels" not in self.__dict__:
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as problem:
            raise AttributeError(problem.args[0]) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._kernels]

    def __repr__(self) -> str:
        return f"<kernelgen.Kernels: {len(self)} on {self.device.location}>"


class LoadedKernel:
    """A kernel on a device. kernel[grid, block](*arguments) launches it; grid and block are one number or up to three, in
    blocks and threads. kernel[grid, block, shared_bytes, stream] also says the bytes of dynamic shared memory and the stream,
    else the current one.

    A pointer takes a Tensor or an array of its dtype, contiguous and on the device, which is used without a copy, or an
    address, or None. A number takes a number, a struct its bytes. Raises TypeError, OverflowError and InvalidArgument that
    name the argument, and InvalidArgument for a block of more threads than the kernel is compiled for."""

    def __init__(self, device: Device, kernel: Kernel) -> None:
        self.name = kernel.name
        self.arguments: Tuple[Argument, ...] = kernel.arguments
        self.block = kernel.block  # maximum number of threads
        self._device = device
        self._id: Optional[int] = None

    def __getitem__(self, shape: Tuple[Any, ...]) -> _Launch:
        if not isinstance(shape, tuple) or not 2 <= len(shape) <= 4:
            raise TypeError(f"{self.name}: launch it as {self.name}[grid, block](…), with shared_bytes and a stream after them if needed")
        grid, block, *more = shape
        return _Launch(self, grid, block, *more)

    def __call__(self, *arguments: Any) -> None:
        """Kernels need a grid and a block: raises TypeError that says how to give them."""
        raise TypeError(f"{self.name} is a kernel: launch it as {self.name}[grid, block](…)")

    def __repr__(self) -> str:
        taken = ", ".join(f"{each.type} {each.name}" for each in self.arguments)
        return f"<kernelgen.LoadedKernel {self.name}({taken}), blocks of up to {self.block} threads>"

    def _find(self) -> int:
        if self._id is None:
            found = c_uint32()
            types = ", ".join(each.type for each in self.arguments)
            lib.kernelgen_device_find_typed_kernel(self._device, text(self.name, "name"), text(types, "types"), byref(found))
            self._id = found.value
        return self._id

    def _tensor(self, argument: Argument, value: Any) -> Tensor:
        if not isinstance(value, Tensor):
            return shared(value, f"{self.name}: {argument.name}", self._device, argument.is_written)
        on = value.device
        if on == self._device or on.location != self._device.location:
            return value  # C refuses that of another location
        # The same memory, of a device that was opened with another package; its work is done before ours.
        return _dlpack.take(_dlpack.capsule_of(value, None), self._device, Tensor._made)

    def _bytes(self, argument: Argument, value: Any) -> bytes:
        """What C reads for an argument that is not a tensor."""
        form = "Q" if argument.is_pointer else _FORMATS.get(argument.type)
        if form is None:
            return bytes(memoryview(value))
        try:
            return struct.pack("<" + form, value)  # native formats make infinities of large numbers
        except (struct.error, OverflowError, TypeError) as problem:
            is_number_of_kind = hasattr(value, "__float__" if form in "efd" else "__index__")
            kind = OverflowError if is_number_of_kind and not isinstance(problem, TypeError) else TypeError
            raise kind(f"{self.name}: {argument.name} ({argument.type}) is {value!r}: {problem}") from None


class _Launch:
    """A kernel with the shape of its launch."""

    def __init__(self, kernel: LoadedKernel, grid: Extent, block: Extent, shared_bytes: int = 0,
                 stream: Optional[Stream] = None) -> None:
        self._kernel = kernel
        self._shape = launch_shape(*((each,) if is_number(each) else each for each in (grid, block)),  # type: ignore[arg-type]
                                   unsigned(shared_bytes, "shared_bytes"))
        self._stream = stream

    def __call__(self, *values: Any) -> None:
        kernel, wanted = self._kernel, self._kernel.arguments
        if len(values) != len(wanted):
            raise TypeError(f"{kernel.name} takes {len(wanted)} arguments ("
                            f"{', '.join(f'{each.type} {each.name}' for each in wanted)}), not {len(values)}")
        given: Any = (_c.LaunchArgument * len(values))()
        kept: List[object] = []  # until the launch is enqueued
        for slot, argument, value in zip(given, wanted, values):
            if argument.is_pointer and value is not None and not is_number(value):
                tensor = kernel._tensor(argument, value)
                slot.tensor = tensor._as_parameter_
                kept.append(tensor)
            else:
                data = kernel._bytes(argument, value or 0 if argument.is_pointer else value)
                held = create_string_buffer(data, len(data))
                slot.value, slot.bytes = cast(held, c_void_p), len(data)
                kept.append(held)
        lib.kernelgen_launch_arguments(kernel._device, kernel._find(), byref(self._shape), given, len(values),
                                       current(self._stream))
