"""Kernels of a package, launched as kernel[grid, block](…)."""

import os

import numpy as np
import pytest

import kernelgen as kg

FILE = os.environ.get("KERNELGEN_IMPORTED")
pytestmark = pytest.mark.skipif(FILE is None, reason="KERNELGEN_IMPORTED names no package of imported kernels")


@pytest.fixture
def kernels():
    return kg.load(FILE, "cpu")


def test_a_kernel_is_called_with_arrays_and_numbers(kernels):
    x, y = np.array([1, 4, 9], np.float32), np.full(3, -1, np.float32)
    kernels.scale[1, 128](y, x, 2, 3)
    assert y.tolist() == [3, 6, -1]
    kernels["scale"][(1,), (64, 2)](y.ctypes.data, x, np.uint64(3), np.float64(0.5))
    assert y.tolist() == [0.5, 1, 1.5]
    kernels.scale[1, 128](None, None, 0, 0)


def test_tensors_of_every_device_there(kernels):
    stream = kernels.device.new_stream()
    y = kg.zeros((3,), "f32", kernels.device)
    kernels.scale[1, 128, 0, stream](y, kg.tensor([1.0, 4.0, 9.0]), 3, 1)
    stream.synchronize()
    assert y.tolist() == [1, 2, 3]
    there = kg.tensor([7.0])  # of the device with the embedded package
    with stream:
        kernels.scale[1, 128](there, np.array([81], np.float32), 1, 2)
    stream.synchronize()
    assert there.tolist() == [18]


def test_several_packages_on_one_device():
    package = kg.Package(FILE)
    device = kg.Device("cpu", [package, kg.Package()])
    y = kg.load(package, device).scale
    x = kg.full((4,), 16, "f32", device)
    y[1, 128](x, x, 4, 1)
    assert (x + 1).tolist() == [5] * 4


def test_kernels_are_found_by_name(kernels):
    assert list(kernels) == ["scale", "shift", "loop"] and len(kernels) == 3
    assert "scale" in dir(kernels)
    assert "f32* y, const f32* x, u64 n, f32 factor" in repr(kernels.scale)
    assert kernels.scale.block == 128
    with pytest.raises(AttributeError, match="did you mean 'scale'"):
        kernels.scales
    with pytest.raises(KeyError, match="no kernel 'nothing'.*there are scale, shift, loop"):
        kernels["nothing"]


def test_what_does_not_fit_is_refused(kernels):
    x, wrong = np.zeros(4, np.float32), np.zeros(4, np.float64)
    for shape, error, text in [((1, 129), kg.InvalidArgument, "a block of 129"), ((0, 1), kg.InvalidArgument, "a grid of 0 x 1 x 1"),
                               ((1, (1, 2, 3, 4)), ValueError, "block must have one to three dims"),
                               ((1, -1), OverflowError, "block is -1")]:
        with pytest.raises(error, match=text):
            kernels.scale[shape](x, x, 4, 1)
    for arguments, error, text in [
        ((x, wrong, 4, 1), kg.InvalidArgument, r"argument x \(const f32\*\): the tensor is f64"),
        ((x, np.zeros(8, np.float32)[::2], 4, 1), kg.InvalidArgument, "argument x .*not contiguous"),
        ((b"only", x, 4, 1), Exception, "read-only|u8"),
        ((x, x, -1, 1), OverflowError, r"scale: n \(u64\) is -1"),
        ((x, x, 1.5, 1), TypeError, r"scale: n \(u64\) is 1.5"),
        ((x, x, x, 1), TypeError, r"scale: n \(u64\)"),
        ((x, x, 4, "1"), TypeError, r"scale: factor \(f32\) is '1'"),
        ((x, x, 4, 1e300), OverflowError, r"scale: factor \(f32\) is 1e\+300"),
        ((x, x, 4), TypeError, r"scale takes 4 arguments \(f32\* y, const f32\* x, u64 n, f32 factor\), not 3"),
        ((object(), x, 4, 1), TypeError, "scale: y must be a Tensor or an array"),
    ]:
        with pytest.raises(error, match=text):
            kernels.scale[1, 128](*arguments)
    with pytest.raises(TypeError, match=r"launch it as scale\[grid, block\]"):
        kernels.scale(x, x, 4, 1)
    with pytest.raises(TypeError, match=r"launch it as scale\[grid, block\]"):
        kernels.scale[1]
