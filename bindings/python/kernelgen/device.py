"""Devices."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Dict, Iterator, List, NamedTuple, Optional, Sequence, Union

from . import _c
from ._convert import text, unsigned
from ._handle import Handle
from ._library import lib
from .errors import InvalidArgument
from .graph import Graph, given_up_on_errors
from .launch import LaunchInfo, launch_shape, let_look
from .module import Function, Module, ModuleUse
from .package import Package
from .stream import Event, Stream, current, of_thread

KINDS = {"cpu": _c.CPU, "hip": _c.HIP, "cuda": _c.CUDA}
PRIORITIES = {"low": _c.PRIORITY_LOW, "normal": _c.PRIORITY_NORMAL, "high": _c.PRIORITY_HIGH}


class Device(Handle):
    """An opened device: Device("cpu"), "cpu:N" (N worker threads), "hip:N", "cuda:N", or "auto", the first GPU that has
    kernels in the package, else the CPU. The same name with the same package gives the same device.

    `package` None is the package inside the library, or the file that the environment variable KERNELGEN_PACKAGE names. Of
    several packages the first that has an operation or kernel of a name is used; kernels' ids count on from one to the next.
    Devices may be used from any thread. Raises NotFound for a name it does not know; Unsupported where no driver, no
    such ordinal or no code for the architecture is found; DeviceError."""

    _release = lib.kernelgen_device_release

    def __init__(self, name: str = "auto", package: Union[None, Package, Sequence[Package]] = None) -> None:
        super().__init__()
        if package is None or isinstance(package, Package):
            lib.kernelgen_device_open(text(name, "name"), package, byref(self._as_parameter_))
            return
        packages = list(package)
        handles = (c_void_p * len(packages))(*(each._as_parameter_ for each in packages))
        lib.kernelgen_device_open_packages(text(name, "name"), handles, len(packages), byref(self._as_parameter_))

    @classmethod
    def of(cls, given: DeviceLike) -> Device:
        """The device itself, or the one of that name with the package inside the library, which stays open."""
        if isinstance(given, Device):
            return given
        if not isinstance(given, str):
            raise TypeError(f"device must be a Device or the name of one, not {type(given).__name__}")
        device = _opened.get(given)
        return device if device is not None else _opened.setdefault(given, cls(given))

    @staticmethod
    def count(kind: str) -> int:
        """How many devices of a kind ("cpu", "hip", "cuda") the driver sees; 0 without a driver."""
        if kind not in KINDS:
            raise ValueError(f"kind is {kind!r}; there are {', '.join(KINDS)}")
        count = c_int()
        lib.kernelgen_device_count(KINDS[kind], byref(count))
        return count.value

    def _info(self) -> Any:
        info = _c.DeviceInfo()
        lib.kernelgen_device_describe(self, byref(info))
        return info

    @property
    def kind(self) -> str:
        """One of "cpu", "hip" and "cuda"."""
        return list(KINDS)[int(self._info().kind)]

    @property
    def ordinal(self) -> int:
        return int(self._info().ordinal)

    @property
    def id(self) -> int:
        """Unique in this process, never used again: equal ids are the same device."""
        return int(self._info().id)

    @property
    def location(self) -> str:
        """Where it is: "cpu", "hip:0"."""
        return str(self._info().location.decode())

    @property
    def name(self) -> str:
        """What it is sold as."""
        return str(self._info().name.decode("utf-8", "replace"))

    @property
    def architecture(self) -> str:
        """Its instruction set: "gfx90a:sramecc+:xnack-", "sm_90", "x86-64-v3"."""
        return str(self._info().architecture.decode())

    @property
    def target(self) -> str:
        """The package's target that was chosen for it, "gfx11-generic"."""
        return str(self._info().target.decode())

    @property
    def total_memory(self) -> int:
        """Bytes."""
        return int(self._info().total_memory)

    @property
    def wave_size(self) -> int:
        """Threads that run in step; 1 on the CPU."""
        return int(self._info().wave_size)

    @property
    def compute_units(self) -> int:
        return int(self._info().compute_units)

    @property
    def supports_bf16(self) -> bool:
        """Whether the package has code for the device of kernels of bf16."""
        return bool(self._info().supports_bf16)

    @property
    def free_memory(self) -> int:
        """Bytes that could be allocated now. Raises DeviceError."""
        found = c_size_t()
        lib.kernelgen_device_free_memory(self, byref(found))
        return found.value

    @property
    def memory_use(self) -> MemoryUse:
        """Bytes of its memory that are in use and otherwise. Raises DeviceError."""
        found = _c.MemoryUse()
        lib.kernelgen_device_memory_use(self, byref(found))
        return MemoryUse(found.in_use, found.peak, found.cached, found.free, found.total, found.limit)

    def set_memory_limit(self, bytes: int) -> None:  # noqa: A002  what it is
        """An allocation with which more bytes would be in use raises OutOfMemory; the device is usable as before."""
        lib.kernelgen_device_set_memory_limit(self, unsigned(bytes, "bytes", 64))

    def set_allocator(self, allocate: Optional[Callable[[int, Optional[int]], Optional[int]]] = None,
                      free: Optional[Callable[[int, int, Optional[int]], object]] = None) -> None:
        """Memory comes from allocate(nbytes, stream) from now on, and goes back by free(address, nbytes, stream); without
        functions from where it came from at first. `stream` is the driver's handle, None for the default queue; an address
        is aligned to 256 bytes (on the CPU to 64), None or 0 where there is none. They are called by any thread; what they
        raise is printed, and counts as no memory. PyTorch's allocator, for "cuda:0":

            device.set_allocator(lambda nbytes, stream: torch.cuda.caching_allocator_alloc(nbytes, 0, stream or 0),
                                 lambda address, nbytes, stream: torch.cuda.caching_allocator_delete(address))

        Raises InvalidArgument where there is only one of them."""
        functions: Any = _c.FUNCTIONS["kernelgen_device_set_allocator"][1]
        take = functions[1](lambda _, nbytes, stream: allocate(nbytes, stream)) if allocate else functions[1]()
        give = functions[2](lambda _, address, nbytes, stream: free(address, nbytes, stream)) if free else functions[2]()
        _allocators.append((take, give))  # for good, as memory may go back to them at any time
        lib.kernelgen_device_set_allocator(self, take, give, None)

    def reset_peak_memory(self) -> None:
        """The peak is what is in use now."""
        lib.kernelgen_device_reset_peak_memory(self)

    def trim_memory(self) -> None:
        """Gives what is cached back to the system, but for what work that is not done yet may use. Raises DeviceError."""
        lib.kernelgen_device_trim_memory(self)

    @property
    def package(self) -> Package:
        """The Package whose kernels the device runs, the first of several."""
        return Package._made(lib.kernelgen_device_package, self)

    @property
    def seed(self) -> int:
        """What the device's random numbers start from. Set, they start anew: the same calls after the same seed give the
        same numbers on every device. 299792458 until it is set."""
        seed = c_uint64()
        lib.kernelgen_device_get_seed(self, byref(seed))
        return seed.value

    @seed.setter
    def seed(self, value: int) -> None:
        lib.kernelgen_device_set_seed(self, unsigned(value, "seed", 64))

    def synchronize(self) -> None:
        """Waits for everything on the device. Raises what it reported since the last call: DeviceError, or, for a bad
        index met in any stream, IndexOutOfRange."""
        lib.kernelgen_device_synchronize(self)

    def preload(self) -> None:
        """Loads every module of the package now, so that no later launch does. Raises DeviceError, OutOfMemory."""
        lib.kernelgen_device_preload(self)

    def new_stream(self, priority: str = "normal") -> Stream:
        """A queue of work of its own, which is "low", "normal" or "high": where the device has room for the work of one of
        two streams, the higher one's begins first. Raises DeviceError."""
        if priority not in PRIORITIES:
            raise ValueError(f"priority is {priority!r}; there are {', '.join(PRIORITIES)}")
        if priority == "normal":
            return Stream._made(lib.kernelgen_stream_new, self)
        return Stream._made(lib.kernelgen_stream_new_with_priority, self, PRIORITIES[priority])

    def thread_stream(self) -> Stream:
        """The calling thread's own stream, made at its first call. It goes with the thread, and the device stays open till
        then. Raises DeviceError."""
        return Stream._made(lib.kernelgen_stream_of_thread, self)

    def use_thread_streams(self, own: bool = True) -> None:
        """From now on calls that name no stream mean each thread's thread_stream(), or again the one that all share."""
        lib.kernelgen_device_use_thread_streams(self, bool(own))

    @property
    def follows_streams(self) -> bool:
        """Whether operations follow which streams use a tensor's memory, as they do unless it is set to False: work in one
        stream then waits, on the device, for what another stream wrote that it reads, or still uses that it writes, and
        memory is freed behind all work that uses it."""
        follows = c_int()
        lib.kernelgen_device_follows_streams(self, byref(follows))
        return bool(follows.value)

    @follows_streams.setter
    def follows_streams(self, follow: bool) -> None:
        lib.kernelgen_device_follow_streams(self, bool(follow))

    def call(self, work: Callable[[], object], stream: Optional[Stream] = None) -> None:
        """Calls work(), on a thread of the driver's, when what is in the stream now is done; what comes later waits for it.
        It must not use the device; what it raises is printed, as there is nobody to hear of it. Not part of a graph. Raises
        InvalidArgument, Unsupported, DeviceError."""
        if of_thread.__dict__.get("captures"):
            raise InvalidArgument("Device.call: this thread captures a graph, which calls of Python cannot be part of")
        number = next(_numbers)
        _calls[number] = work
        try:
            lib.kernelgen_device_call(self, _call, number, current(stream))
        except BaseException:
            _calls.pop(number, None)
            raise

    @contextmanager
    def capture(self, stream: Optional[Stream] = None) -> Iterator[Graph]:
        """`with device.capture() as graph:` captures what its body puts into the device's default queue, or into the stream;
        none of it is done before graph.launch(). Tensors that the body makes are the graph's, written anew by each launch.
        Raises InvalidArgument, also in the body, for what cannot be part of a graph: waiting for the device, events, other
        streams of the device, copies from and to the host, random numbers; Unsupported where the driver has no graphs;
        DeviceError, OutOfMemory."""
        graph = Graph()
        lib.kernelgen_graph_begin(self, current(stream))
        with given_up_on_errors():
            yield graph
            lib.kernelgen_graph_end(self, byref(graph._as_parameter_))

    def record(self, stream: Optional[Stream] = None) -> Event:
        """An event behind everything now in the stream. Raises DeviceError."""
        return Event._made(lib.kernelgen_event_record, self, current(stream))

    def wait(self, event: Event, stream: Optional[Stream] = None) -> None:
        """Work put into the stream from now on waits for the event. Raises DeviceError."""
        lib.kernelgen_stream_wait(self, current(stream), event)

    def kernel(self, kernel: Union[int, str]) -> Function:
        """The packages' kernel of that id or name, loaded at first use. Raises NotFound; Unsupported where its package
        has no code of it for this device; DeviceError."""
        number = self.find_kernel(kernel) if isinstance(kernel, str) else unsigned(kernel, "kernel")
        function = Function(self)
        lib.kernelgen_device_kernel(self, number, byref(function._as_parameter_))
        return function

    def find_kernel(self, name: str) -> int:
        """Id of the kernel of that name, of the first package that has one. Raises NotFound."""
        number = c_uint32()
        lib.kernelgen_device_find_kernel(self, text(name, "name"), byref(number))
        return number.value

    def load(self, code: bytes, name: str = "module") -> Module:
        """A code object of your own: HSACO, cubin, PTX, or a CPU target's shared object. Loading one may run some of its
        code. Raises DeviceError with the driver's own words, or what is wrong with a shared object."""
        code = bytes(code)
        module = Module._made(lib.kernelgen_module_load, self, code, len(code), text(name, "name"))
        module._device = self
        return module

    def compile(self, source: str, name: str = "source", flags: Sequence[str] = (), is_cached: bool = True) -> Module:
        """Compiles a source for the device and loads it: by NVRTC or hipRTC, or clang++ on the CPU. The bodies of kernels/ are at
        hand: a source that includes "device/dialect.hpp" defines a kernel by KG_KERNEL(threads, name, arguments), which begins
        with begin_kernel(). `name` is what the compiler calls it, `flags` are for the compiler. Where `is_cached`, the
        result is kept on disk and found there by the next process. Raises InvalidArgument with what the compiler finds fault
        with; Unsupported where there is no compiler; IoError, DeviceError."""
        texts = [text(flag, "flags") for flag in flags]
        module = Module._made(lib.kernelgen_device_compile, self, text(source, "source"), text(name, "name"),
                              (c_char_p * len(texts))(*texts), len(texts), bool(is_cached))
        module._device = self
        return module

    @property
    def module_use(self) -> ModuleUse:
        """How many modules were loaded, of its package, of yours and of expressions: code that is the same is loaded once."""
        found = _c.ModuleUse()
        lib.kernelgen_device_module_use(self, byref(found))
        return ModuleUse(found.loaded, found.loads)

    def on_launch(self, look: Optional[Callable[[LaunchInfo], object]]) -> None:
        """Has look(launch) called before each launch of the device's from now on, by any thread that launches; None ends that.
        What it raises is printed. Launches of vendors' libraries are not seen."""
        let_look(self, look)

    def launch(self, function: Function, arguments: bytes, grid: Sequence[int], block: Sequence[int] = (1,),
               shared_bytes: int = 0, stream: Optional[Stream] = None) -> None:
        """Puts a launch into the stream. `arguments` is the kernel's argument block: its arguments in order, each at its
        natural alignment (struct.pack makes one). `grid` in blocks, `block` in threads, one to three dims of each; on the
        CPU one thread runs the whole block. Raises InvalidArgument, also for a block of more threads than a package's kernel
        is compiled for and for arguments of another size than the kernel's; DeviceError."""
        shape = launch_shape(grid, block, shared_bytes)
        arguments = bytes(arguments)
        lib.kernelgen_launch(self, function, byref(shape), arguments, len(arguments), current(stream))

    def __eq__(self, other: object) -> bool:
        return self.id == other.id if isinstance(other, Device) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<kernelgen.Device {self.location}: {self.name}, {self.architecture}, kernels for {self.target}>"


class MemoryUse(NamedTuple):
    """Bytes of a device's memory, as this process uses it: allocated and not freed; most that were; freed and kept for
    allocations to come; that could be allocated now; that the device has; on what is in use, the largest number where
    none is set."""

    in_use: int
    peak: int
    cached: int
    free: int
    total: int
    limit: int


DeviceLike = Union[Device, str]
_opened: Dict[str, Device] = {}  # by name, what Device.of opened
_numbers = itertools.count(1)
_allocators: List[object] = []  # functions of Device.set_allocator
_calls: Dict[int, Callable[[], object]] = {}  # by number, what Device.call was given and is not called yet
# One for all, as it must not go while it returns.
_call = _c.Release(lambda number: _calls.pop(number)())


def device_names() -> List[str]:
    """Every device that drivers here see, as Device takes them."""
    return ["cpu", *(f"{kind}:{ordinal}" for kind in ("hip", "cuda") for ordinal in range(Device.count(kind)))]
