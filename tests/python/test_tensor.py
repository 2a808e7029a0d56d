"""Tensors: made, looked at, viewed, shown."""

import array
import pickle

import numpy as np
import pytest

import kernelgen as kg


def test_made_of_numbers():
    x = kg.tensor([[1, 2, 3], [4, 5, 6]])
    assert (x.dtype, x.shape, x.strides, x.size, x.ndim, x.nbytes) == (kg.i64, (2, 3), (3, 1), 6, 2, 48)
    assert x.tolist() == [[1, 2, 3], [4, 5, 6]]
    assert kg.tensor([1, 2.5]).dtype == kg.f32
    assert kg.tensor(2.5).shape == () and kg.tensor(2.5).item() == 2.5
    assert kg.tensor([[], []]).shape == (2, 0)
    assert kg.tensor([1.5], "bf16").tolist() == [1.5]
    assert kg.tensor([True, False], np.uint8).tolist() == [1, 0]
    assert kg.zeros((2, 2)).tolist() == [[0, 0], [0, 0]]
    assert kg.full([2], 7, "i32").tolist() == [7, 7]
    assert kg.empty((3,), "f64").nbytes == 24
    assert kg.from_bytes(b"\1\0\2\0", "i16", [2]).tolist() == [1, 2]


def test_a_copy_does_not_share():
    source = np.array([1.0, 2.0], np.float32)
    copied = kg.tensor(source)
    source[0] = 9
    assert copied.tolist() == [1, 2]


@pytest.mark.parametrize("places", [
    (), (1,), (-1,), (slice(None), 2), (slice(None, None, -1),), (slice(1, None, 2), slice(-2, None)), (None, 1, None),
    (Ellipsis, 0), (1, Ellipsis, slice(0, 0)), (slice(3, 1), 0), (1, 2, 3), (slice(None), None, Ellipsis, -1),
])
def test_places_are_numpys(places):
    wanted = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    given = kg.from_dlpack(wanted)[places]
    assert given.shape == wanted[places].shape
    assert given.tolist() == wanted[places].tolist()
    if isinstance(wanted[places], np.ndarray) and given.size:
        assert given.address == wanted[places].ctypes.data


def test_places_that_are_not_there():
    x = kg.zeros((2, 3))
    for places, kind in [(2, IndexError), ((0, 0, 0), IndexError), ("a", TypeError), (1.0, TypeError),
                         (kg.tensor([0]), TypeError)]:
        with pytest.raises(kind):
            x[places]
    with pytest.raises(ValueError):
        x[::0]


def test_views_share_memory():
    x = kg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    for view, wanted in [
        (x.T, [[1, 4], [2, 5], [3, 6]]), (x.transpose(0, 1), [[1, 4], [2, 5], [3, 6]]),
        (x.permute([1, 0]), [[1, 4], [2, 5], [3, 6]]), (x.narrow(1, 0, 2), [[1, 2], [4, 5]]),
        (x.reshape(3, -1), [[1, 2], [3, 4], [5, 6]]), (x.reshape([6]), [1, 2, 3, 4, 5, 6]),
        (x.unsqueeze(0).squeeze(0), [[1, 2, 3], [4, 5, 6]]), (x.as_strided([2], [4]), [1, 5]),
        (x[0].broadcast_to((2, 3)), [[1, 2, 3], [1, 2, 3]]),
    ]:
        assert view.tolist() == wanted
        assert view.address == x.address
    assert not x.T.is_contiguous and x.T.contiguous().is_contiguous
    assert x.T.reshape(6).tolist() == [1, 4, 2, 5, 3, 6]
    assert [row.tolist() for row in x] == [[1, 2, 3], [4, 5, 6]] and len(x) == 2
    with pytest.raises(kg.InvalidArgument):
        x.reshape(4, 2)


def test_numbers_out_of_it():
    x = kg.tensor(2.5)
    assert (float(x), int(x), bool(x), f"{x:.2f}") == (2.5, 2, True, "2.50")
    assert not kg.tensor(0)
    with pytest.raises(ValueError, match="2 elements"):
        bool(kg.zeros((2,)))
    with pytest.raises(TypeError):
        len(x)


def test_dtypes_by_any_name():
    for given, wanted in [("f16", kg.f16), (np.float16, kg.f16), (np.dtype("float32"), kg.f32), (float, kg.f64),
                          (int, kg.i64), ("bfloat16", kg.bf16), (kg.q4_K, kg.q4_K), ("q4_K", kg.q4_K), (bool, kg.u8)]:
        assert kg.DType.of(given) == wanted
    assert (kg.q4_K.size, kg.q4_K.block, kg.q4_K.is_quantized) == (144, 256, True)
    assert (kg.f8e4m3.size, kg.f8e4m3.is_float, str(kg.f8e4m3)) == (1, True, "f8e4m3")
    with pytest.raises(kg.NotFound, match="no dtype \"complex64\"; there are u8"):
        kg.DType.of(np.complex64)


def test_dtypes_are_the_librarys():
    assert [kg._lib.kernelgen_dtype_name(dtype).decode() for dtype in kg.DType] == [dtype.name for dtype in kg.DType]


def test_dtypes_change():
    x = kg.tensor([[0.5] * 32, [-1.0] * 32])
    assert x.to_dtype("f16").to_dtype("f32").tolist() == x.tolist()
    quantized = x.to_dtype("q8_0")
    assert quantized.dtype == kg.q8_0 and quantized.shape == (2, 32) and quantized.nbytes == 2 * 34
    assert np.allclose(quantized.to_dtype("f32").numpy(), x.numpy(), atol=0.01)
    assert x.to_dtype("f32") is x


def test_shown():
    assert repr(kg.tensor([[1.0, -2.5]])) == "Tensor(f32 [1, 2] on cpu)\n[[   1, -2.5]]"
    assert repr(kg.tensor(3)) == "Tensor(i64 [] on cpu)\n3"
    assert repr(kg.zeros((0, 3))) == "Tensor(f32 [0, 3] on cpu)\n[]"
    long = repr(kg.tensor(list(range(1000))))
    assert long == "Tensor(i64 [1000] on cpu)\n[  0,   1,   2, …, 997, 998, 999]"
    assert "<td>1</td><td>-2.5</td>" in kg.tensor([[1.0, -2.5]])._repr_html_()
    assert kg.zeros((100, 100, 100))._repr_html_().count("…") == 43
    assert "q8_0 [1, 32]" in repr(kg.zeros((1, 32)).to_dtype("q8_0"))


def test_buffers():
    numbers = array.array("f", [1, 2, 3])
    x = kg.from_buffer(numbers)
    numbers[0] = 7
    assert x.tolist() == [7, 2, 3]
    with pytest.raises(BufferError):
        numbers.append(4)  # the memory is in use
    del x
    numbers.append(4)

    y = kg.tensor([[1.0, 2.0], [3.0, 4.0]])
    view = y.memoryview()
    del y
    assert view.tolist() == [[1, 2], [3, 4]] and view.format == "f"
    without_format = kg.tensor([1.5], "bf16")
    assert bytes(without_format.memoryview()) == b"\xc0\x3f"
    with pytest.raises(BufferError, match="no buffer format for bf16"):
        without_format.__buffer__(0)
    with pytest.raises(BufferError):
        kg.zeros((2, 3)).T.memoryview()
    with pytest.raises(BufferError, match="read-only"):
        kg.from_buffer(b"abc")
    assert kg.from_buffer(b"abc", writable=False).tolist() == [97, 98, 99]
    with pytest.raises(kg.InvalidArgument, match="elements 'b'"):
        kg.from_buffer(array.array("b", [1]))
    grid = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
    for view in (grid[:, ::-1, ::2], grid.T, grid[:0], grid[1, 1, 1:], np.broadcast_to(grid[0], (2, 3, 4))):
        assert kg.from_buffer(view, writable=False).tolist() == view.tolist()


def test_a_buffer_lent_for_reading_is_read_only():
    numbers = array.array("f", [1, 2, 3])
    for given in (numbers, memoryview(numbers).toreadonly()):
        x = kg.from_buffer(given, writable=False)
        assert x.is_read_only and x[1:].is_read_only and x.memoryview().readonly
        with pytest.raises(kg.InvalidArgument, match="read-only"):
            kg.const_set(x, 0)
    assert not kg.from_buffer(numbers).is_read_only
    with pytest.raises(BufferError):
        numbers.append(4)  # x borrows it
    del x, given
    numbers.append(4)


def test_not_pickled():
    for handle in (kg.zeros((1,)), kg.Device("cpu"), kg.Package()):
        with pytest.raises(TypeError, match="cannot be pickled"):
            pickle.dumps(handle)
