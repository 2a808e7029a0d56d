"""Sources and expressions that are compiled while the program runs."""

import struct

import numpy as np
import pytest

import kernelgen as kg


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELGEN_CACHE", str(tmp_path))


def test_an_expression_of_tensors_arrays_and_numbers():
    a, b = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4), kg.tensor([1.0, 2.0, 3.0, 4.0])
    y = kg.expression("fma(a, b, s)", a=a, b=b, s=0.5)
    np.testing.assert_array_equal(np.from_dlpack(y), a * np.array([1, 2, 3, 4], np.float32) + np.float32(0.5))
    assert kg.expression("a > 0", a=a[:, ::-1], dtype="u8").tolist()[0] == [0, 0, 0, 0]


def test_an_expression_into_what_is_there():
    x, out = kg.tensor([1.0, 2.0]), np.zeros(2, np.float16)
    assert kg.expression("x * 2", x=x, out=out).tolist() == [2, 4]
    assert out.tolist() == [2, 4]
    assert kg.expression("x + 1", x=x, out=x) is x
    assert x.tolist() == [2, 3]


def test_what_is_no_expression():
    x = kg.tensor([1.0])
    with pytest.raises(kg.InvalidArgument, match=r"expression 'silo\(x\)': column 1: .*did you mean 'silu'\?; operands: x;"):
        kg.expression("silo(x)", x=x)
    with pytest.raises(kg.InvalidArgument, match="no tensor is given"):
        kg.expression("s", s=1)
    with pytest.raises(TypeError, match="expr must be a str"):
        kg.expression(1, x=x)


def test_a_source():
    device = kg.Device("cpu")
    module = device.compile('#include "device/dialect.hpp"\n#warning said\n'
                            "KG_KERNEL(64, fill, float* y, float value) { kg::begin_kernel(); y[kg::block_index()] = value + MORE; }\n",
                            name="fill.cu", flags=["-DMORE=1"])
    assert "fill.cu:2:" in module.log
    assert module.arguments("fill") == [(0, 8), (8, 4)]
    y = kg.zeros([3], "f32", device)
    device.launch(module.function("fill"), struct.pack("Pf", y.address, 2), [3])
    assert y.tolist() == [3, 3, 3]
    with pytest.raises(kg.InvalidArgument, match="launch of fill on cpu: the kernel's arguments are 12 bytes, those given 8"):
        device.launch(module.function("fill"), struct.pack("P", y.address), [3])
    with pytest.raises(kg.InvalidArgument, match="source:1:"):
        device.compile("int a")


def test_modules_are_counted():
    device = kg.Device("cpu:5")
    before = device.module_use
    module = device.compile('#include "device/dialect.hpp"\nKG_KERNEL(64, none, float* y) { kg::begin_kernel(); }\n')
    assert device.module_use == (before.loaded + 1, before.loads + 1)
    del module
    assert device.module_use == (before.loaded, before.loads + 1)


def test_launches_are_seen():
    device, seen = kg.Device("cpu:6"), []
    x = kg.tensor([1.0], device=device)
    device.on_launch(seen.append)
    kg.neg(x)
    device.on_launch(None)
    kg.neg(x)
    assert [launch.kernel for launch in seen] == ["kg_neg_f32"]
    assert seen[0].grid == (1, 1, 1) and not seen[0].is_captured
