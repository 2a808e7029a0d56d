"""Operations that a program describes itself."""

import os
import shutil
import threading

import numpy as np
import pytest

import kernelgen as kg

pytestmark = pytest.mark.skipif(not (os.environ.get("KERNELGEN_TOOL") or shutil.which("kernel-gen")),
                                reason="there is no kernel-gen")


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("KERNELGEN_CACHE", str(tmp_path))


def row(op, **form):
    return {"op": op, "types": {"T": ["f32"]}, "inputs": ["x: T"], **form}


def test_each_form():
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    affine = kg.operation(row("py_affine", output="T", scalars=["a: T", "b: T"], expr="a * x + b"))
    assert affine(x, 2, 1).tolist() == affine(x, 2, b=1).tolist() == (2 * x + 1).tolist()
    out = np.empty_like(x)
    assert affine(x, a=2, b=1, out=out) is out
    squares = kg.operation(row("py_squares", output="T", reduce={"identity": "0", "of": "x * x", "combine": "a + b"}))
    assert squares(x).item() == (x * x).sum()
    assert squares(x, dims=0, keep_dims=True).tolist() == (x * x).sum(0, keepdims=True).tolist()
    centre = kg.operation(row("py_centre", output="T", row=["m = mean(x)", "y = x - m"]))
    assert centre(x).tolist() == (x - x.mean(1, keepdims=True)).tolist()
    running = kg.operation(row("py_running", output="T", scan={"identity": "0", "combine": "a + b"}))
    assert running(x, dim=0).tolist() == x.cumsum(0).tolist()
    flip = kg.operation(row("py_flip", index={"output": "y: T = [x[0], x[1]]", "set": "y[i, j] = x[i, 3 - j]"}))
    assert flip(x).tolist() == x[:, ::-1].tolist()
    linear = kg.operation({"op": "py_linear", "types": {"T": ["f32"]}, "inputs": ["x: T", "w: T", "bias: T"], "output": "T",
                           "scalars": ["least: T"], "matmul": {"epilogue": "maximum(total + bias, least)"}})
    assert linear(x, x.T, x[:, 0], 50).tolist() == np.maximum(x @ x.T + x[:, 0], 50).tolist()


def test_a_body_with_two_results():
    header = """#pragma once
#include "elementwise/map.hpp"
#include "engines/grid_stride.hpp"
KG_DEVICE inline void parts(const float* x, float* up, float* down, kg::i64 n) {
  kg::for_each_index(static_cast<kg::u64>(n), [&](kg::u64 i) { up[i] = kg::ceil(x[i]); down[i] = kg::floor(x[i]); });
}
"""
    parts = kg.operation({"module": "py_parts", "header": "parts.hpp", "operations": [row("py_parts", types={"T": ["f32"]}, body={
        "numbers": ["n = size(x)"], "outputs": ["up: T = [x]", "down: T = [x]"],
        "launches": [{"call": "parts(x, up, down, n)", "grid": "max(1, ceil_div(n, threads))"}]})]}, headers={"parts.hpp": header})
    up, down = parts(np.array([0.5, -1.5], np.float32))
    assert (up.tolist(), down.tolist()) == ([1, -1], [0, -2])


def test_two_of_one_name_stay_two():
    first, second = (kg.operation(row("py_shift", output="T", expr=f"x + {n}")) for n in (1, 2))
    x = np.zeros(1, np.float32)
    assert [first(x).item(), second(x).item(), first(x).item()] == [1, 2, 1]
    assert first.on("cpu").startswith("py_shift@") and first.on("cpu") != second.on("cpu")


def test_a_package_that_is_added():
    device = kg.Device("cpu:3")
    package, number = device.compile_manifest(
        '{"module": "mine", "operations": [{"op": "py_twice", "types": {"T": "F"}, "inputs": ["x: T"], "output": "T", "expr": "x + x"}]}')
    assert [each.name for each in package.operations] == ["py_twice"]
    assert device.add(package) == number
    assert kg.call("py_twice", [kg.full((2,), 2, "f32", device)]).tolist() == [4, 4]


def test_threads():
    op, found = kg.operation(row("py_threads", output="T", expr="x - 1")), []
    threads = [threading.Thread(target=lambda: found.append(op(np.ones(3, np.float32)).tolist())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [[0, 0, 0]] * 4


def test_what_is_wrong():
    x = np.zeros(1, np.float32)
    with pytest.raises(kg.InvalidArgument, match=r"mine.json: /operations/0/expr: expr: column 5: .*silu"):
        kg.operation(row("f", output="T", expr="x + silo(x)"), name="mine.json")(x)
    with pytest.raises(ValueError, match="line 2 column"):
        kg.operation('{"op": "f",\n oops}')
    with pytest.raises(ValueError, match="has 2 operations; operation"):
        kg.operation({"module": "m", "operations": [row("a"), row("b")]})
    with pytest.raises(ValueError, match="it has to be an object"):
        kg.operation("3")
    op = kg.operation(row("py_limited", output="T", scalars=["limit: T"], expr="minimum(x, limit)"))
    with pytest.raises(TypeError, match="py_limited needs limit: it takes x, limit"):
        op(x)
    with pytest.raises(TypeError, match="py_limited has no bound"):
        op(x, 1, bound=2)
    with pytest.raises(TypeError, match="takes no dims"):
        op(x, 1, dims=0)
