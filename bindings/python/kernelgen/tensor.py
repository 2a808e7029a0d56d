"""Tensors: typed, strided views of a device's memory."""

from __future__ import annotations

import builtins
import ctypes
import struct
from ctypes import POINTER, byref, c_int, c_int32, c_int64, c_size_t, c_void_p
from typing import TYPE_CHECKING, Any, Iterator, List, Optional, Sequence, Tuple

from . import _convert, _display, _dlpack, _operators
from ._convert import integer, integers, numbers_of
from ._handle import Handle
from ._library import lib
from ._methods import Methods
from ._operators import Operators
from .device import Device, DeviceLike
from .dtype import FORMATS, DType, DTypeLike
from .errors import InvalidArgument
from .stream import Stream, current

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Tensor(Operators, Methods, Handle):
    """A typed, strided view of a device's memory. The view is immutable and may be shared by threads; the memory is freed
    with the last tensor that views it.

    Created by tensor, zeros, empty and from_dlpack. + - * / @ and comparisons are the operations of those names, with
    NumPy's broadcasting; x[1, :, None, ::2] is a view. NumPy, PyTorch, CuPy and JAX use it without a copy by __dlpack__:
    numpy.from_dlpack(x). Negative dims count from the end."""

    _release = lib.kernelgen_tensor_release

    # ---- properties ----

    def use(self, stream: Optional[Stream] = None, writes: bool = True) -> None:
        """Declares a use of the memory in the stream. Call it before submitting work other than this package's operations,
        such as Device.launch: see Device.follows_streams. Raises DeviceError."""
        lib.kernelgen_tensor_use(self, current(stream), bool(writes))

    def _numbers(self, function: Any) -> Tuple[int, ...]:
        values, rank = POINTER(c_int64)(), c_size_t()
        function(self, byref(values), byref(rank))
        return tuple(values[:rank.value])

    def _number(self, function: Any, kind: Any) -> Any:
        found = kind()
        function(self, byref(found))
        return found.value

    @property
    def shape(self) -> Tuple[int, ...]:
        return self._numbers(lib.kernelgen_tensor_shape)

    @property
    def strides(self) -> Tuple[int, ...]:
        """Distance between neighbours along each dim, in elements."""
        return self._numbers(lib.kernelgen_tensor_strides)

    @property
    def offset(self) -> int:
        """Position of the first element in the viewed memory, in elements."""
        return int(self._number(lib.kernelgen_tensor_offset, c_int64))

    @property
    def dtype(self) -> DType:
        return DType(self._number(lib.kernelgen_tensor_dtype, c_int32))

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return int(self._number(lib.kernelgen_tensor_elements, c_int64))

    @property
    def nbytes(self) -> int:
        """Size of all elements without gaps, in bytes."""
        return int(self._number(lib.kernelgen_tensor_bytes, c_size_t))

    @property
    def is_contiguous(self) -> bool:
        """Whether the elements are in row-major order without gaps."""
        return bool(self._number(lib.kernelgen_tensor_is_contiguous, c_int))

    @property
    def is_read_only(self) -> bool:
        """Whether operations refuse to write to the memory, because its producer exported it read-only."""
        return bool(self._number(lib.kernelgen_tensor_is_read_only, c_int))

    @property
    def address(self) -> int:
        """Device address of the first element; valid while a tensor over the memory exists."""
        return self._number(lib.kernelgen_tensor_data, c_void_p) or 0

    @property
    def device(self) -> Device:
        return Device._made(lib.kernelgen_tensor_device, self)

    # ---- views: the same memory ----

    def _view(self, function: Any, *arguments: Any) -> Tensor:
        return Tensor._made(function, self, *arguments)

    @property
    def T(self) -> Tensor:
        """The view with all dims in reverse order."""
        return self.permute(range(self.ndim)[::-1])

    def transpose(self, dim0: int = -2, dim1: int = -1) -> Tensor:
        """The view with two dims swapped. Raises InvalidArgument, as all views do, if the view does not exist."""
        return self._view(lib.kernelgen_tensor_transpose, integer(dim0, "dim0"), integer(dim1, "dim1"))

    def permute(self, order: Sequence[int]) -> Tensor:
        """The view whose dim i is this tensor's dim order[i]."""
        return self._view(lib.kernelgen_tensor_permute, *numbers_of(order, "order"))

    def narrow(self, dim: int, start: int, length: int) -> Tensor:
        """The view of positions start to start + length - 1 of a dim."""
        return self._view(lib.kernelgen_tensor_narrow, integer(dim, "dim"), integer(start, "start"),
                          integer(length, "length"))

    def broadcast_to(self, shape: Sequence[int]) -> Tensor:
        """The view broadcast to a shape by NumPy's rule: trailing dims match or are 1."""
        return self._view(lib.kernelgen_tensor_broadcast_to, *numbers_of(shape, "shape"))

    def reshape(self, *shape: Any) -> Tensor:
        """The elements in row-major order with another shape; one extent may be -1 and is computed. Not contiguous tensors
        are copied first."""
        wanted = integers(shape[0] if len(shape) == 1 else shape, "shape")
        if wanted.count(-1) == 1:
            rest = 1
            for extent in wanted:
                rest *= 1 if extent == -1 else extent
            if rest > 0 and self.size % rest == 0:
                wanted[wanted.index(-1)] = self.size // rest
        source = self if self.is_contiguous else self.contiguous()
        return source._view(lib.kernelgen_tensor_reshape, *numbers_of(wanted, "shape"))

    def squeeze(self, dim: int) -> Tensor:
        """The view without `dim`, whose extent is 1."""
        return self._view(lib.kernelgen_tensor_squeeze, integer(dim, "dim"))

    def unsqueeze(self, dim: int) -> Tensor:
        """The view with a new dim of extent 1 before `dim`."""
        return self._view(lib.kernelgen_tensor_unsqueeze, integer(dim, "dim"))

    def as_strided(self, shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> Tensor:
        """A view of any layout over the memory, in elements. Raises InvalidArgument if it exceeds the memory."""
        rank, extents = numbers_of(shape, "shape")
        steps_rank, steps = numbers_of(strides, "strides")
        if rank.value != steps_rank.value:
            raise ValueError(f"shape has {rank.value} dims, strides have {steps_rank.value}")
        return self._view(lib.kernelgen_tensor_as_strided, rank, extents, steps, integer(offset, "offset"))

    def __getitem__(self, index: Any) -> Tensor:
        """A view, as NumPy's basic indexing: integers, slices (also with negative steps), None for a new dim, and `...`. For
        indices in tensors use index_select and gather."""
        indices = index if isinstance(index, tuple) else (index,)
        old_shape, old_strides, offset = self.shape, self.strides, self.offset
        named = sum(1 for each in indices if each is not None and each is not Ellipsis)
        if named > len(old_shape):
            raise IndexError(f"{named} indices for a tensor of {len(old_shape)} dims")
        if not any(each is Ellipsis for each in indices):
            indices = (*indices, Ellipsis)
        shape, strides, dim = [], [], 0
        for each in indices:
            if each is None:
                shape.append(1)
                strides.append(0)
            elif each is Ellipsis:
                end = dim + len(old_shape) - named
                shape += old_shape[dim:end]
                strides += old_strides[dim:end]
                dim = end
            elif isinstance(each, slice):
                chosen = range(*each.indices(old_shape[dim]))
                offset += chosen.start * old_strides[dim] if len(chosen) else 0
                shape.append(len(chosen))
                strides.append(chosen.step * old_strides[dim])
                dim += 1
            elif hasattr(each, "__index__") and not isinstance(each, Tensor):
                at = integer(each, "index")
                if not -old_shape[dim] <= at < old_shape[dim]:
                    raise IndexError(f"index {at} is out of range for dim {dim} of {old_shape[dim]} elements")
                offset += at % old_shape[dim] * old_strides[dim]
                dim += 1
            else:
                raise TypeError(f"an index must be an integer, a slice, None or ..., not {type(each).__name__}")
        return self.as_strided(shape, strides, offset)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a tensor of no dims has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        return (self[i] for i in range(len(self)))

    # ---- conversions ----

    def contiguous(self, stream: Optional[Stream] = None) -> Tensor:
        """The tensor itself if it is contiguous, else a contiguous copy."""
        from . import operations

        return self if self.is_contiguous else operations.copy(self, stream=stream)

    def to_dtype(self, dtype: DTypeLike, stream: Optional[Stream] = None) -> Tensor:
        """The elements in another dtype: by kernelgen.to_dtype, or dequantize or quantize if one dtype is quantized."""
        from . import operations

        wanted = DType.of(dtype)
        if wanted == self.dtype:
            return self
        change = (operations.quantize if wanted.is_quantized else
                  operations.dequantize if self.dtype.is_quantized else operations.to_dtype)
        return change(self, wanted, stream=stream)

    astype = to_dtype  # the array API's name

    def to(self, device: DeviceLike, stream: Optional[Stream] = None) -> Tensor:
        """The tensor on `device`: itself if it is there, else a contiguous copy. GPUs of one kind copy directly, and the
        other device's default queue waits for the copy; otherwise the copy goes through the host, which waits. `stream`
        belongs to this tensor's device. Raises InvalidArgument while the thread captures a graph; OutOfMemory,
        DeviceError."""
        wanted = Device.of(device)
        if wanted == self.device:
            return self
        return Tensor._made(lib.kernelgen_tensor_to_device, self, wanted, current(stream), None)

    def tobytes(self, stream: Optional[Stream] = None) -> bytes:
        """The elements (quantized: the blocks) in row-major order; waits for the stream. Raises what Stream.synchronize
        raises."""
        data = ctypes.create_string_buffer(self.nbytes)
        lib.kernelgen_tensor_to_host(self, data, self.nbytes, current(stream))
        return data.raw

    def _values(self) -> List[Any]:
        """The elements as Python numbers."""
        dtype = self.dtype
        source = self.to_dtype("f32") if dtype.name not in FORMATS else self
        return list(struct.unpack(f"={source.size}{FORMATS[source.dtype.name]}", source.tobytes()))

    def tolist(self) -> Any:
        """The elements as nested lists of numbers; a number if the tensor has no dims."""
        def nested(values: Any, shape: Any) -> Any:
            if not shape:
                return values[0]
            step = len(values) // shape[0] if shape[0] else 0
            return [nested(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]

        return nested(self._values(), self.shape)

    def item(self) -> Any:
        """The only element as a number. Raises ValueError unless the tensor has exactly one element."""
        if self.size != 1:
            raise ValueError(f"a tensor of {self.size} elements is not one number")
        return self._values()[0]

    __float__ = lambda self: float(self.item())  # noqa: E731
    __int__ = lambda self: int(self.item())  # noqa: E731

    def __bool__(self) -> bool:
        """Whether the only element is not 0. Raises ValueError for more elements: use all or any."""
        return bool(self.item())

    def numpy(self) -> NDArray[Any]:
        """A numpy.ndarray, over the same memory on the CPU, else a copy. Raises TypeError for dtypes that NumPy lacks."""
        import numpy

        if self.dtype.name not in FORMATS:
            raise TypeError(f"NumPy has no {self.dtype}: x.to_dtype('f32') first")
        if self.device.kind == "cpu":
            if self.is_read_only and self.is_contiguous and self.size:  # NumPy's from_dlpack takes it from 2.1 on
                return numpy.frombuffer(self.memoryview(), FORMATS[self.dtype.name]).reshape(self.shape)
            try:
                return numpy.from_dlpack(self)
            except BufferError:
                pass
        return numpy.frombuffer(self.tobytes(), FORMATS[self.dtype.name]).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> NDArray[Any]:
        """numpy.asarray(x): as numpy(), converted to `dtype` if given. `copy` as in NumPy 2: True always copies, False
        raises ValueError if a copy is needed."""
        array = self.numpy()
        shares = array.ctypes.data == self.address or not self.size
        if copy is False and (not shares or dtype not in (None, array.dtype)):
            raise ValueError(f"no array of {dtype or array.dtype} over {_display.heading(self)} without a copy")
        return array.astype(array.dtype if dtype is None else dtype, copy=bool(copy and shares))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        """numpy.exp(x) calls kernelgen.exp(x), likewise each NumPy ufunc with an operation here. The only keyword is
        `out`. Raises TypeError for other ufuncs."""
        return _operators.call_ufunc(ufunc, method, inputs, keywords)

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Optional[bool] = None) -> Any:
        """A capsule over the memory: DLPack 1.x, which marks read-only memory, if `max_version` allows it, else
        unversioned. On a GPU it waits for all work of the device first, unless `stream` is -1. Raises BufferError for
        another device, for a copy, and for read-only memory in the unversioned form."""
        if copy or (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()):
            raise BufferError("a tensor exports its own memory on its own device; .to(device) or .tobytes() copies it")
        if self.device.kind != "cpu" and stream != -1:
            self.device.synchronize()
        return _dlpack.export(self, max_version)

    def __dlpack_device__(self) -> Tuple[int, int]:
        device = self.device
        kind = {"cpu": _dlpack.CPU, "cuda": _dlpack.CUDA, "hip": _dlpack.ROCM}[device.kind]
        return kind, 0 if kind == _dlpack.CPU else device.ordinal

    def memoryview(self) -> builtins.memoryview:
        """The memory of a contiguous CPU tensor as a buffer, read-only if the tensor is. Elements without a buffer format
        (bf16, quantized blocks) are bytes. Raises BufferError for other tensors."""
        if self.device.kind != "cpu" or not self.is_contiguous:
            raise BufferError(f"no buffer over {_display.heading(self)}: it must be contiguous and on the CPU")
        if self.nbytes == 0:
            return memoryview(b"")
        memory: Any = (ctypes.c_char * self.nbytes).from_address(self.address)
        memory._tensor = self  # keeps the tensor alive while the view exists
        view: Any = memoryview(memory).cast("B")
        if self.is_read_only:
            view = view.toreadonly()
        letter = FORMATS.get(self.dtype.name)
        shaped: builtins.memoryview = view.cast(letter, self.shape) if letter and self.shape else view
        return shaped

    def __buffer__(self, flags: int) -> builtins.memoryview:  # PEP 688, from Python 3.12 on
        # numpy.asarray() asks here before __array__, and would take bytes for the elements.
        if self.dtype.name not in FORMATS:
            raise BufferError(f"no buffer format for {self.dtype}: x.memoryview() has the bytes")
        return self.memoryview()

    def __repr__(self) -> str:
        return _display.tensor_text(self)

    def _repr_html_(self) -> str:
        return _display.tensor_html(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)


# ---- constructors ----


def empty(shape: Sequence[int], dtype: DTypeLike = "f32", device: DeviceLike = "cpu",
          stream: Optional[Stream] = None) -> Tensor:
    """A new contiguous tensor, uninitialised. Raises OutOfMemory, InvalidArgument."""
    return Tensor._made(lib.kernelgen_tensor_empty, Device.of(device), DType.of(dtype), *numbers_of(shape, "shape"),
                        current(stream))


def zeros(shape: Sequence[int], dtype: DTypeLike = "f32", device: DeviceLike = "cpu",
          stream: Optional[Stream] = None) -> Tensor:
    """A new contiguous tensor of zeros. Raises OutOfMemory, DeviceError, InvalidArgument."""
    return Tensor._made(lib.kernelgen_tensor_zeros, Device.of(device), DType.of(dtype), *numbers_of(shape, "shape"),
                        current(stream))


def full(shape: Sequence[int], value: _convert.Number, dtype: DTypeLike = "f32", device: DeviceLike = "cpu",
         stream: Optional[Stream] = None) -> Tensor:
    """A new contiguous tensor with all elements equal to `value`."""
    made = empty(shape, dtype, device, stream)
    lib.kernelgen_const_set(made, _convert.scalar(value, "value"), current(stream))
    return made


def from_bytes(data: Any, dtype: DTypeLike, shape: Sequence[int], device: DeviceLike = "cpu",
               stream: Optional[Stream] = None) -> Tensor:
    """Copies row-major elements (quantized: blocks) from a buffer of bytes. Raises InvalidArgument if the size does not
    match the shape; OutOfMemory, DeviceError."""
    data = bytes(memoryview(data).cast("B"))
    return Tensor._made(lib.kernelgen_tensor_from_host, Device.of(device), data, len(data), DType.of(dtype),
                        *numbers_of(shape, "shape"), current(stream))


def from_address(address: int, nbytes: int, dtype: DTypeLike, shape: Sequence[int], device: DeviceLike,
                 owner: object = None) -> Tensor:
    """A contiguous tensor over device memory at an address, owned by something else: `owner` is kept alive until the last
    tensor over the memory is released. The address is not checked to be valid. Raises InvalidArgument if `nbytes` is too
    small for the shape, or the address is not aligned to the dtype's size."""
    key = _dlpack.held.keep(owner)
    try:
        return Tensor._made(lib.kernelgen_tensor_borrow, Device.of(device), _convert.unsigned(address, "address", 64),
                            _convert.unsigned(nbytes, "nbytes", 63), DType.of(dtype), *numbers_of(shape, "shape"),
                            _dlpack.held.release, key)
    except Exception:
        _dlpack.held.drop(key)
        raise


def from_buffer(data: Any, writable: bool = True, device: DeviceLike = "cpu") -> Tensor:
    """A tensor of a CPU device over the memory of a buffer (array.array, bytearray, memoryview, an ndarray of any strides),
    without a copy. The tensor keeps the buffer alive. With writable=False it is read-only. Raises BufferError for a
    read-only buffer unless writable=False; InvalidArgument for elements without a dtype here, and for strides
    that are not multiples of the element size."""
    view: Any = memoryview(data)
    if writable and view.readonly:
        raise BufferError("from_buffer: the memory is read-only; tensor(data) copies it")
    dtype = _dlpack.dtype_of(view)
    if any(stride % view.itemsize for stride in view.strides):
        raise InvalidArgument(f"from_buffer: strides of {view.strides} bytes are not multiples of the element size, {view.itemsize}")
    strides = [stride // view.itemsize for stride in view.strides]
    if not writable:
        return _dlpack.lend_read_only(view, dtype, strides, Device.of(device), Tensor._made)
    reach = [(extent - 1) * stride for extent, stride in zip(view.shape, strides)] if view.nbytes else []
    first, last = sum(step for step in reach if step < 0), sum(step for step in reach if step > 0)
    count = last - first + 1 if view.nbytes else 0
    memory = from_address(_dlpack.address_of(view) + first * view.itemsize, count * view.itemsize, dtype, [count], device,
                          owner=view)
    return memory.as_strided(view.shape, strides if view.nbytes else [0] * view.ndim, -first)


def from_dlpack(array: Any, device: Optional[DeviceLike] = None, stream: Optional[Stream] = None) -> Tensor:
    """A tensor over the memory of another library's array (or of a DLPack capsule, unversioned or 1.x, on `device`),
    without a copy. Memory exported read-only cannot be an `out`. On a GPU the producer makes `stream`, or the device's
    default queue, wait for its work. Raises InvalidArgument for another device and for an unsupported dtype or layout, and
    what the producer raises."""
    if isinstance(array, Tensor):
        return array
    if not hasattr(array, "__dlpack__"):
        return _dlpack.take(array, Device.of(device or "cpu"), Tensor._made)
    on = Device.of(device if device is not None else _dlpack.device_of(array))
    told = _dlpack.stream_argument(on, current(stream))
    return _dlpack.take(_dlpack.capsule_of(array, told), on, Tensor._made)


def _flat(data: Any, shape: List[int]) -> List[Any]:
    """The numbers of nested sequences; fills in `shape` and refuses ragged sequences."""
    if _convert.is_number(data):
        return [data]
    if isinstance(data, (str, bytes)) or not hasattr(data, "__len__"):
        raise TypeError(f"tensor: {data!r} is neither a number nor a sequence of them")
    shape.append(len(data))
    found, inner = [], None
    for each in data:
        below: List[int] = []
        found += _flat(each, below)
        if inner is not None and below != inner:
            raise ValueError(f"tensor: nested sequences of different shapes, {inner} and {below}")
        inner = below
    shape += inner or []
    return found


def tensor(data: Any, dtype: Optional[DTypeLike] = None, device: DeviceLike = "cpu",
           stream: Optional[Stream] = None) -> Tensor:
    """Copies nested sequences of numbers, or an array. The default dtype is the array's, i64 for integers, f32 for other
    numbers. Raises ValueError for ragged sequences, OverflowError for integers of more than 64 bits."""
    if isinstance(data, Tensor) or hasattr(data, "__dlpack__") or _is_buffer(data):
        from . import operations

        source = data if isinstance(data, Tensor) else shared(data, "data")
        copied = operations.copy(source) if source.device.kind == "cpu" else source
        changed = copied if dtype is None else copied.to_dtype(dtype)
        return changed.to(device)
    shape: List[int] = []
    values = _flat(data, shape)
    whole = bool(values) and all(hasattr(value, "__index__") for value in values)
    raw = (struct.pack(f"={len(values)}q", *(integer(value, "data") for value in values)) if whole else
           struct.pack(f"={len(values)}d", *map(float, values)))
    wide = from_bytes(raw, "i64" if whole else "f64", shape, device, stream)
    return wide.to_dtype(dtype if dtype is not None else "i64" if whole else "f32", stream)


def _is_buffer(data: Any) -> bool:
    try:
        memoryview(data)
    except TypeError:
        return False
    return True


def shared(array: Any, name: str, device: Optional[Device] = None, writable: bool = False) -> Tensor:
    """A tensor over an argument's memory: a Tensor, an object with __dlpack__, or a buffer."""
    if isinstance(array, Tensor):
        return array
    if _is_buffer(array) and (device is None or device.kind == "cpu"):
        view = memoryview(array)
        # Unversioned DLPack has neither read-only memory nor bool.
        if view.format.lstrip("@=<") in _dlpack.DTYPES:
            return from_buffer(view, writable or not view.readonly, device or "cpu")
    if hasattr(array, "__dlpack__"):
        return from_dlpack(array, device)
    if _is_buffer(array):
        return from_buffer(array, writable or not memoryview(array).readonly, device or "cpu")
    raise TypeError(f"{name} must be a Tensor or an array with __dlpack__ or a buffer, not {type(array).__name__}")
