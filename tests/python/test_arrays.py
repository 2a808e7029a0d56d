"""Arrays of other libraries, both ways, without copies."""

import ctypes
import gc
import weakref

import numpy as np
import pytest

import kernelgen as kg

DTYPES = ["uint8", "uint32", "int16", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_there_and_back(dtype):
    given = np.arange(6).astype(dtype).reshape(2, 3)
    tensor = kg.from_dlpack(given)
    assert tensor.address == given.ctypes.data and tensor.dtype == kg.DType.of(dtype)
    back = np.from_dlpack(tensor)
    assert back.dtype == given.dtype and back.ctypes.data == given.ctypes.data
    assert np.asarray(tensor).tolist() == tensor.numpy().tolist() == given.tolist()


def test_numpys_functions_are_operations():
    from kernelgen._operators import UFUNCS

    values = np.array([[0.5, 1.0], [1.5, 2.0]], np.float32)
    x, out = kg.tensor(values), np.empty((2, 2), np.float32)
    for name in UFUNCS:
        function = getattr(np, name)
        got = function(x) if function.nin == 1 else function(x, 2) if name == "power" else function(values.T, x)
        wanted = function(values) if function.nin == 1 else function(values, 2) if name == "power" else function(values.T, values)
        assert isinstance(got, kg.Tensor) and np.allclose(got.numpy(), wanted, rtol=1e-5), name
    assert np.exp(x, out=out) is out and np.allclose(out, np.exp(values))
    out += x
    assert np.allclose(out, np.exp(values) + values)
    for wrong, text in [(lambda: np.sinh(x), "numpy.sinh of a Tensor: no operation"), (lambda: np.add.reduce(x), "numpy.add.reduce"),
                        (lambda: np.exp(x, where=values > 1), "no keyword but out, not where"),
                        (lambda: np.add(x, "a"), "")]:
        with pytest.raises(TypeError, match=text):
            wrong()


def test_arrays_copy_where_numpy_says_so():
    x = kg.tensor([1.0, 2.0])
    assert x.__array__().ctypes.data == x.__array__(copy=False).ctypes.data == x.address
    assert x.__array__(copy=True).ctypes.data != x.address
    assert np.asarray(x, np.float64).dtype == np.float64 and x.__array__(np.float32, copy=False).ctypes.data == x.address
    with pytest.raises(ValueError, match="without a copy"):
        x.__array__(np.float64, copy=False)
    read_only = kg.from_buffer(b"abc", writable=False)
    assert not np.asarray(read_only).flags.writeable and np.asarray(read_only).ctypes.data == read_only.address
    with pytest.raises(TypeError, match="NumPy has no bf16"):
        np.asarray(x.to_dtype("bf16"))


def test_any_layout():
    base = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    for view in (base.T, base[:, ::-1], base[1:, ::2, 1], np.broadcast_to(base[0], (5, 3, 4))):
        tensor = kg.add(view, 0)
        assert np.array_equal(tensor.numpy(), view)
    assert kg.from_dlpack(base[:, ::-1]).strides == (12, -4, 1)


def test_operands_are_taken_where_they_lie():
    x, y = np.ones((2, 3), np.float32), np.zeros((2, 3), np.float32)
    assert kg.exp(x, out=y) is y
    assert np.allclose(y, np.e)
    kg.copy_into(y[:, 1:], np.full((2, 2), 5, np.float32))
    assert y[:, 1:].tolist() == [[5, 5], [5, 5]]


def test_read_only_memory_is_read_and_not_written():
    x = np.arange(4, dtype=np.float32)
    x.flags.writeable = False
    assert kg.add(x, 1).tolist() == [1, 2, 3, 4]
    with pytest.raises(BufferError, match="read-only"):
        kg.add(x, 1, out=x)
    with pytest.raises(BufferError, match="read-only"):
        kg.const_set(x, 1)
    assert x.tolist() == [0, 1, 2, 3]


def test_bools_are_u8():
    mask = np.array([True, False, True])
    assert kg.where(mask, kg.tensor([1.0, 2.0, 3.0]), 0).tolist() == [1, 0, 3]


def test_memory_lives_as_long_as_either_side():
    class Array(np.ndarray):
        pass

    given = np.arange(1000, dtype=np.float64).view(Array)
    gone = weakref.ref(given)
    tensor = kg.from_dlpack(given)
    del given
    gc.collect()
    assert gone() is not None and tensor[999].item() == 999
    del tensor
    gc.collect()
    assert gone() is None

    tensor = kg.tensor(list(range(1000)))
    array = np.from_dlpack(tensor)
    del tensor
    gc.collect()
    assert array[999] == 999


def test_borrowed_buffers_are_given_back():
    given = np.arange(10, dtype=np.float32)
    gone = weakref.ref(given)
    tensor = kg.from_buffer(given)
    view = tensor[2:]
    del given, tensor
    gc.collect()
    assert gone() is not None and view.tolist() == [2, 3, 4, 5, 6, 7, 8, 9]
    del view
    gc.collect()
    assert gone() is None


def test_memory_at_an_address():
    given = np.arange(6, dtype=np.int32)
    tensor = kg.from_address(given.ctypes.data, given.nbytes, "u32", (2, 3), "cpu", owner=given)
    gone = weakref.ref(given)
    del given
    assert tensor.tolist() == [[0, 1, 2], [3, 4, 5]] and tensor.dtype == kg.u32
    with pytest.raises(kg.InvalidArgument):
        kg.from_address(tensor.address, 4, "u32", (2, 3), "cpu")
    with pytest.raises(kg.InvalidArgument):
        kg.from_address(tensor.address + 1, 4, "u32", (1,), "cpu")
    del tensor
    gc.collect()
    assert gone() is None


def resident_bytes():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_a_capsule_that_nobody_takes_is_given_back(version):
    for _ in range(10):
        kg.zeros((1 << 20,)).__dlpack__(max_version=version)
    before = resident_bytes()
    for _ in range(100):
        kg.zeros((1 << 20,)).__dlpack__(max_version=version)
    assert resident_bytes() - before < 40 << 20


def test_a_capsule_is_used_once():
    capsule = kg.tensor([1.0]).__dlpack__()
    assert kg.from_dlpack(capsule).tolist() == [1]
    with pytest.raises(ValueError, match="used already"):
        kg.from_dlpack(capsule)
    with pytest.raises(ValueError):
        kg.from_dlpack(object())


# Kept here, as capsules only borrow their name.
VERSIONED = b"dltensor_versioned"


class Versioned:
    """An array of another library that knows of DLPack 1.x: numbers of our own, in a struct that is written here."""

    class Struct(ctypes.Structure):
        _fields_ = [
            ("version", ctypes.c_uint32 * 2), ("context", ctypes.c_void_p),
            ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)), ("flags", ctypes.c_uint64), ("data", ctypes.c_void_p),
            ("device", ctypes.c_int * 2), ("rank", ctypes.c_int), ("dtype", ctypes.c_uint8 * 4),
            ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
        ]

    def __init__(self, flags=0, major=1):
        self.values = (ctypes.c_float * 3)(1, 2, 3)
        self.shape = (ctypes.c_int64 * 1)(3)
        self.deleted = 0
        self.asked = None
        self.deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self.delete)
        self.managed = self.Struct((major, 0), None, self.deleter, flags, ctypes.addressof(self.values), (1, 0), 1,
                                   (2, 32, 1, 0), self.shape, None, 0)

    def delete(self, _):
        self.deleted += 1

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, *, stream=None, max_version=None):
        self.asked = max_version
        new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
            ("PyCapsule_New", ctypes.pythonapi))
        return new(ctypes.addressof(self.managed), VERSIONED, None)


def test_versioned_capsules_come_in():
    given = Versioned()
    tensor = kg.from_dlpack(given)
    assert given.asked[0] == 1 and tensor.tolist() == [1, 2, 3] and not tensor.is_read_only
    assert kg.add(tensor, 1, out=tensor) is tensor and list(given.values) == [2, 3, 4]
    del tensor
    assert given.deleted == 1
    with pytest.raises(kg.InvalidArgument, match=r"of DLPack 2\.0; versions 1\.x"):
        kg.from_dlpack(Versioned(major=2))


def test_nothing_writes_to_memory_that_is_lent_for_reading():
    given = Versioned(flags=1)
    tensor = kg.from_dlpack(given)
    assert tensor.is_read_only and kg.add(tensor, 1).tolist() == [2, 3, 4]
    with pytest.raises(kg.InvalidArgument, match="out is read-only memory"):
        kg.add(tensor, 1, out=tensor)
    assert tensor.memoryview().readonly and list(given.values) == [1, 2, 3]
    with pytest.raises(BufferError, match="read-only"):
        tensor.__dlpack__()
    assert tensor.numpy().tolist() == [1, 2, 3]
    again = kg.from_dlpack(tensor.__dlpack__(max_version=(1, 0)))
    assert again.is_read_only and again.address == tensor.address


def test_versioned_capsules_go_out():
    tensor = kg.tensor([1.0])
    capsule = tensor.__dlpack__(max_version=(1, 2))
    assert '"dltensor_versioned"' in repr(capsule)
    assert '"dltensor"' in repr(tensor.__dlpack__(max_version=(0, 8)))
    assert kg.from_dlpack(capsule).address == tensor.address
    with pytest.raises(ValueError, match="used already"):
        kg.from_dlpack(capsule)


def test_what_is_refused():
    with pytest.raises(kg.InvalidArgument, match="no dtype for type code"):
        kg.from_dlpack(np.zeros(3, np.int8))
    with pytest.raises(kg.InvalidArgument, match="DLPack has no type for blocks"):
        kg.zeros((32,)).to_dtype("q8_0").__dlpack__()
    with pytest.raises(TypeError, match="NumPy has no bf16"):
        kg.zeros((1,), "bf16").numpy()
    with pytest.raises(BufferError):
        kg.zeros((1,)).__dlpack__(dl_device=(2, 0))
    with pytest.raises(BufferError):
        kg.zeros((1,)).__dlpack__(copy=True)

    class Elsewhere:
        def __dlpack_device__(self):
            return 14, 0

        __dlpack__ = None

    with pytest.raises(kg.InvalidArgument, match="device of DLPack's type 14"):
        kg.from_dlpack(Elsewhere())


def test_pytorch_there_and_back():
    torch = pytest.importorskip("torch")
    given = torch.arange(6, dtype=torch.bfloat16).reshape(2, 3)
    tensor = kg.from_dlpack(given.T)
    assert tensor.address == given.data_ptr() and tensor.dtype == kg.bf16 and tensor.shape == (3, 2)
    back = torch.utils.dlpack.from_dlpack(kg.add(tensor, 1))
    assert torch.equal(back, given.T + 1)
    out = torch.zeros(3, 2, dtype=torch.bfloat16)
    assert kg.mul(tensor, 2, out=out) is out and torch.equal(out, given.T * 2)


def test_jax_there_and_back():
    jax = pytest.importorskip("jax")
    given = jax.numpy.arange(6, dtype="float32")
    assert kg.add(given, 1).tolist() == [1, 2, 3, 4, 5, 6]
    assert jax.dlpack.from_dlpack(kg.add(given, 1)).tolist() == [1, 2, 3, 4, 5, 6]


def test_producers_are_told_the_stream_to_be_ready_in():
    """By the Python array API: CUDA's legacy default stream is 1, HIP's is 0; the CPU has none."""
    from kernelgen._dlpack import stream_argument

    class On:
        def __init__(self, kind):
            self.kind = kind

    class Stream:
        native = 0x1234

    assert [stream_argument(On(kind), None) for kind in ("cpu", "cuda", "hip")] == [None, 1, 0]
    assert [stream_argument(On(kind), Stream()) for kind in ("cpu", "cuda", "hip")] == [None, 0x1234, 0x1234]
