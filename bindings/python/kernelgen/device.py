"""Devices."""

from __future__ import annotations

import itertools
from contextlib import contextmanager
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint32, c_uint64, c_void_p
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

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
    """An opened device: Device("cpu"), "cpu:N" (N worker threads), "hip:N", "cuda:N", "simulated:gfx942" (an AMD GPU in
    software), or "auto", the first GPU that has kernels in the package, else the CPU. The same name with the same package gives the same device.

    `package` None is the package embedded in the library, or the file that the environment variable KERNELGEN_PACKAGE
    names. With several packages, a name means the first package that has it, and kernel ids continue from one package to
    the next. Devices are thread-safe. Raises NotFound for an unknown name; Unsupported if there is no driver, no device
    with that ordinal or no code for its architecture; DeviceError."""

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
        """The device itself, or the one with that name and the embedded package, which stays open."""
        if isinstance(given, Device):
            return given
        if not isinstance(given, str):
            raise TypeError(f"device must be a Device or the name of one, not {type(given).__name__}")
        device = _opened.get(given)
        return device if device is not None else _opened.setdefault(given, cls(given))

    @staticmethod
    def count(kind: str) -> int:
        """Number of devices of a kind ("cpu", "hip", "cuda") that the driver reports; 0 without a driver."""
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
        """Unique in this process and never reused: equal ids are the same device."""
        return int(self._info().id)

    @property
    def location(self) -> str:
        """The name that opens it: "cpu", "hip:0"."""
        return str(self._info().location.decode())

    @property
    def name(self) -> str:
        """The product's name."""
        return str(self._info().name.decode("utf-8", "replace"))

    @property
    def architecture(self) -> str:
        """Its instruction set: "gfx90a:sramecc+:xnack-", "sm_90", "x86-64-v3"."""
        return str(self._info().architecture.decode())

    @property
    def target(self) -> str:
        """The package's target chosen for the device: "gfx11-generic"."""
        return str(self._info().target.decode())

    @property
    def total_memory(self) -> int:
        """Bytes."""
        return int(self._info().total_memory)

    @property
    def wave_size(self) -> int:
        """Threads in a wave; 1 on the CPU."""
        return int(self._info().wave_size)

    @property
    def compute_units(self) -> int:
        return int(self._info().compute_units)

    @property
    def supports_bf16(self) -> bool:
        """Whether the package has bf16 kernels for the device."""
        return bool(self._info().supports_bf16)

    @property
    def free_memory(self) -> int:
        """Bytes that could be allocated now. Raises DeviceError."""
        found = c_size_t()
        lib.kernelgen_device_free_memory(self, byref(found))
        return found.value

    @property
    def memory_use(self) -> MemoryUse:
        """Memory in use, its peak, and cached, free and total memory, in bytes. Raises DeviceError."""
        found = _c.MemoryUse()
        lib.kernelgen_device_memory_use(self, byref(found))
        return MemoryUse(found.in_use, found.peak, found.cached, found.free, found.total, found.limit)

    def set_memory_limit(self, bytes: int) -> None:  # noqa: A002  what it is
        """Makes allocations that would bring the memory in use above `bytes` raise OutOfMemory; the device stays usable."""
        lib.kernelgen_device_set_memory_limit(self, unsigned(bytes, "bytes", 64))

    def set_allocator(self, allocate: Optional[Callable[[int, Optional[int]], Optional[int]]] = None,
                      free: Optional[Callable[[int, int, Optional[int]], object]] = None) -> None:
        """Installs an allocator: allocate(nbytes, stream) returns an address, free(address, nbytes, stream) releases it.
        Without functions, restores the default. `stream` is the driver's handle, None for the default queue. Addresses are
        aligned to 256 bytes (64 on the CPU); None or 0 means out of memory. The functions are called by any thread; an
        exception in them is printed and counts as out of memory. PyTorch's allocator, for "cuda:0":

            device.set_allocator(lambda nbytes, stream: torch.cuda.caching_allocator_alloc(nbytes, 0, stream or 0),
                                 lambda address, nbytes, stream: torch.cuda.caching_allocator_delete(address))

        Raises InvalidArgument if only one function is given."""
        functions: Any = _c.FUNCTIONS["kernelgen_device_set_allocator"][1]
        take = functions[1](lambda _, nbytes, stream: allocate(nbytes, stream)) if allocate else functions[1]()
        give = functions[2](lambda _, address, nbytes, stream: free(address, nbytes, stream)) if free else functions[2]()
        _allocators.append((take, give))  # never removed: memory may be returned to them at any time
        lib.kernelgen_device_set_allocator(self, take, give, None)

    def reset_peak_memory(self) -> None:
        """Sets the peak to the memory in use now."""
        lib.kernelgen_device_reset_peak_memory(self)

    def trim_memory(self) -> None:
        """Returns cached memory to the system, except memory that unfinished work may use. Raises DeviceError."""
        lib.kernelgen_device_trim_memory(self)

    @property
    def package(self) -> Package:
        """The Package that the device was opened with; the first of several."""
        return Package._made(lib.kernelgen_device_package, self)

    @property
    def seed(self) -> int:
        """Seed of the device's random numbers; setting it restarts the sequence. The same calls after the same seed give
        the same numbers on every device. Default: 299792458."""
        seed = c_uint64()
        lib.kernelgen_device_get_seed(self, byref(seed))
        return seed.value

    @seed.setter
    def seed(self, value: int) -> None:
        lib.kernelgen_device_set_seed(self, unsigned(value, "seed", 64))

    def synchronize(self) -> None:
        """Waits for all work on the device. Raises errors reported since the last call: DeviceError, or IndexOutOfRange
        for a bad index in any stream."""
        lib.kernelgen_device_synchronize(self)

    def preload(self) -> None:
        """Loads all modules of the package, so that no later launch has to. Raises DeviceError, OutOfMemory."""
        lib.kernelgen_device_preload(self)

    def new_stream(self, priority: str = "normal") -> Stream:
        """Creates a stream with priority "low", "normal" or "high": work of higher priority starts first if the device
        cannot start both. Raises DeviceError."""
        if priority not in PRIORITIES:
            raise ValueError(f"priority is {priority!r}; there are {', '.join(PRIORITIES)}")
        if priority == "normal":
            return Stream._made(lib.kernelgen_stream_new, self)
        return Stream._made(lib.kernelgen_stream_new_with_priority, self, PRIORITIES[priority])

    def thread_stream(self) -> Stream:
        """The calling thread's own stream, created on first use and released when the thread ends; the device stays open
        until then. Raises DeviceError."""
        return Stream._made(lib.kernelgen_stream_of_thread, self)

    def use_thread_streams(self, own: bool = True) -> None:
        """Makes calls without a stream use each thread's thread_stream(); with False, the shared default queue again."""
        lib.kernelgen_device_use_thread_streams(self, bool(own))

    @property
    def follows_streams(self) -> bool:
        """Whether streams are ordered automatically; the default is True. Work in one stream then waits, on the device,
        for other streams' writes to memory that it reads and for their uses of memory that it writes, and memory is freed
        after all work that uses it."""
        follows = c_int()
        lib.kernelgen_device_follows_streams(self, byref(follows))
        return bool(follows.value)

    @follows_streams.setter
    def follows_streams(self, follow: bool) -> None:
        lib.kernelgen_device_follow_streams(self, bool(follow))

    def call(self, work: Callable[[], object], stream: Optional[Stream] = None) -> None:
        """Calls work() on a driver's thread after all work submitted to the stream so far; later work waits for it.
        work() must not use the device; its exceptions are printed. It cannot be captured in a graph. Raises InvalidArgument,
        Unsupported, DeviceError."""
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
        """`with device.capture() as graph:` captures the work that its body submits to the device's default queue, or to
        `stream`; nothing is executed before graph.launch(). Tensors created in the body belong to the graph; each launch
        overwrites them. Raises InvalidArgument, also within the body, for what a graph cannot contain: waits, events, other
        streams of the device, copies from and to the host, random numbers; Unsupported if the driver has no graphs;
        DeviceError, OutOfMemory."""
        graph = Graph()
        lib.kernelgen_graph_begin(self, current(stream))
        with given_up_on_errors():
            yield graph
            lib.kernelgen_graph_end(self, byref(graph._as_parameter_))

    def record(self, stream: Optional[Stream] = None) -> Event:
        """Creates an event after all work now in the stream. Raises DeviceError."""
        return Event._made(lib.kernelgen_event_record, self, current(stream))

    def wait(self, event: Event, stream: Optional[Stream] = None) -> None:
        """Makes later work in the stream wait for the event. Raises DeviceError."""
        lib.kernelgen_stream_wait(self, current(stream), event)

    def kernel(self, kernel: Union[int, str]) -> Function:
        """The kernel with that id or name, loaded on first use. Raises NotFound; Unsupported if its package has no code
        for this device; DeviceError."""
        number = self.find_kernel(kernel) if isinstance(kernel, str) else unsigned(kernel, "kernel")
        function = Function(self)
        lib.kernelgen_device_kernel(self, number, byref(function._as_parameter_))
        return function

    def find_kernel(self, name: str) -> int:
        """Id of the kernel with that name, in the first package that has one. Raises NotFound."""
        number = c_uint32()
        lib.kernelgen_device_find_kernel(self, text(name, "name"), byref(number))
        return number.value

    def load(self, code: bytes, name: str = "module") -> Module:
        """Loads a code object: HSACO, cubin, PTX, or a shared object for the CPU. Loading may execute some of its code.
        Raises DeviceError with the driver's message, or with what is wrong with a shared object."""
        code = bytes(code)
        module = Module._made(lib.kernelgen_module_load, self, code, len(code), text(name, "name"))
        module._device = self
        return module

    def compile(self, source: str, name: str = "source", flags: Sequence[str] = (), is_cached: bool = True) -> Module:
        """Compiles a source for the device and loads it: with NVRTC or hipRTC, on the CPU with clang++. The headers of
        kernels/ are available: a source that includes "device/dialect.hpp" defines a kernel by KG_KERNEL(threads, name,
        arguments), whose body starts with begin_kernel(). `name` is the source's name in diagnostics, `flags` are passed to
        the compiler. If `is_cached`, the result is cached on disk for later processes. Raises InvalidArgument with the
        compiler's diagnostics; Unsupported without a compiler; IoError, DeviceError."""
        texts = [text(flag, "flags") for flag in flags]
        module = Module._made(lib.kernelgen_device_compile, self, text(source, "source"), text(name, "name"),
                              (c_char_p * len(texts))(*texts), len(texts), bool(is_cached))
        module._device = self
        return module

    def add(self, package: Package) -> int:
        """Adds a package, whose operations can then be called by name with tensors of this device; gives its number, from 1.
        Of several added packages that have an operation, its name means that of the last one, and "NAME@NUMBER" that of one.
        A package of the same bytes is added once. Raises Unsupported if the package has no code for the device;
        InvalidArgument if a package that the device was opened with has an operation of one of its names."""
        number = c_uint32()
        lib.kernelgen_device_add_package(self, package, byref(number))
        return number.value

    def compile_manifest(self, manifest: str, name: str = "manifest.json", headers: Optional[Mapping[str, str]] = None,
                         is_cached: bool = True) -> Tuple[Package, int]:
        """Compiles the operations of a manifest (JSON) for the device and adds them as add() does; gives the package and its
        number. It starts `kernel-gen build`: the program that the environment variable KERNELGEN_TOOL names, else the one
        installed with the library, else the one in PATH. `name` is what messages call the manifest, `headers` are the names and
        texts of headers of your own. If `is_cached`, the result is cached on disk for later processes. Raises InvalidArgument
        with what is wrong at the manifest's or a header's lines; Unsupported without kernel-gen; IoError; as add()."""
        given = headers or {}
        names = [text(each, "headers") for each in given]
        texts = [text(each, "headers") for each in given.values()]
        package, number = Package.__new__(Package), c_uint32()
        Handle.__init__(package)
        lib.kernelgen_device_compile_manifest(
            self, text(manifest, "manifest"), text(name, "name"), (c_char_p * len(names))(*names),
            (c_char_p * len(texts))(*texts), len(names), bool(is_cached), byref(package._as_parameter_), byref(number))
        return package, number.value

    @property
    def module_use(self) -> ModuleUse:
        """Number of modules loaded from packages, by load() and by expressions; identical code is loaded once."""
        found = _c.ModuleUse()
        lib.kernelgen_device_module_use(self, byref(found))
        return ModuleUse(found.loaded, found.loads)

    def on_launch(self, look: Optional[Callable[[LaunchInfo], object]]) -> None:
        """Installs an observer: look(launch) is called before each launch on the device, by the launching thread; None
        removes it. Its exceptions are printed. Launches by vendor libraries are not reported."""
        let_look(self, look)

    def launch(self, function: Function, arguments: bytes, grid: Sequence[int], block: Sequence[int] = (1,),
               shared_bytes: int = 0, stream: Optional[Stream] = None) -> None:
        """Launches a kernel in the stream. `arguments` is the kernel's argument block: its arguments in order, each at its
        natural alignment (struct.pack makes one). `grid` is in blocks, `block` in threads, with one to three dims each; on
        the CPU one thread executes a whole block. Raises InvalidArgument, also for a block with more threads than the kernel
        was compiled for and for arguments whose size differs from the kernel's; DeviceError."""
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
    """A device's memory as this process uses it, in bytes. in_use: allocated and not freed; peak: maximum of in_use;
    cached: freed and kept for later allocations; free: available now; total: of the device; limit: maximum of in_use, the
    largest number if none is set."""

    in_use: int
    peak: int
    cached: int
    free: int
    total: int
    limit: int


DeviceLike = Union[Device, str]
_opened: Dict[str, Device] = {}  # the devices that Device.of opened, by name
_numbers = itertools.count(1)
_allocators: List[object] = []  # functions of Device.set_allocator
_calls: Dict[int, Callable[[], object]] = {}  # pending functions of Device.call, by number
# One callback object for all calls: it must not be destroyed while it returns.
_call = _c.Release(lambda number: _calls.pop(number)())


def device_names() -> List[str]:
    """The names of all devices of this machine, as Device takes them."""
    return ["cpu", *(f"{kind}:{ordinal}" for kind in ("hip", "cuda") for ordinal in range(Device.count(kind)))]
