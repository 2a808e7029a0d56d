"""What goes wrong is a Python error with the library's text."""

import os
import subprocess
import sys

import numpy as np
import pytest

import kernelgen as kg
from kernelgen import _c, errors


def test_each_status_has_a_class():
    statuses = {name: value for name, value in vars(_c).items() if isinstance(value, int)}
    named = {status: statuses[status] for status in
             ("INVALID_ARGUMENT", "NOT_FOUND", "UNSUPPORTED", "OUT_OF_MEMORY", "DEVICE_ERROR", "BAD_PACKAGE",
              "INDEX_OUT_OF_RANGE", "IO", "INTERNAL")}
    name_of = kg._lib.kernelgen_status_name
    for code in range(1, 100):
        name = name_of(code).decode()
        if name == "unknown":
            break
        kind = errors.BY_CODE[code]
        assert named[name.upper()] == code and issubclass(kind, kg.Error)
        assert kind.__name__.lower().replace("error", "") == name.replace("_", "").replace("error", "")
    assert code - 1 == len(errors.BY_CODE)
    strange = errors.error_of(1234, "of the future")
    assert type(strange) is kg.Error and strange.code == 1234 and str(strange) == "of the future"


@pytest.mark.parametrize("call, kind, builtin, text", [
    (lambda: kg.add(np.zeros(3, "f4"), np.zeros(4, "f4")), kg.InvalidArgument, ValueError, "[3] and [4] do not broadcast"),
    (lambda: kg.add(None, np.zeros(4, "f4")), kg.InvalidArgument, ValueError, "kernelgen_add: a is NULL"),
    (lambda: kg.Device("gpu"), kg.NotFound, LookupError, 'no device is called "gpu"'),
    (lambda: kg.Device("hip:0"), kg.Unsupported, NotImplementedError, "hip"),
    (lambda: kg.zeros((2**50,)), kg.OutOfMemory, MemoryError, ""),
    (lambda: kg.Package("/no/such.kgpkg"), kg.IoError, OSError, "/no/such.kgpkg"),
    (lambda: kg.Package(__file__), kg.BadPackage, ValueError, "test_errors.py"),
    (lambda: kg.Gguf(__file__), kg.BadPackage, ValueError, ""),
    (lambda: kg.sum(np.zeros(3, "f4"), 5), kg.InvalidArgument, ValueError, "dim 5 does not exist"),
    (lambda: kg.conv2d(np.zeros((1, 1, 3, 3), "f4"), np.zeros((1, 1, 2, 2), "f4"), stride=0), kg.InvalidArgument,
     ValueError, "stride"),
])
def test_the_librarys_own(call, kind, builtin, text):
    if kind is kg.Unsupported and kg.Device.count("hip"):
        pytest.skip("there is such a GPU")
    with pytest.raises(kind) as raised:
        call()
    assert isinstance(raised.value, builtin) and isinstance(raised.value, kg.Error)
    assert text in str(raised.value) and raised.value.code == kind.code


@pytest.mark.parametrize("call, kind, text", [
    (lambda: kg.exp("x"), TypeError, "x must be a Tensor or an array with __dlpack__ or a buffer, not str"),
    (lambda: kg.exp([1.0]), TypeError, "not list"),
    (lambda: kg.cumsum(np.zeros(3, "f4"), 0.5), TypeError, "dim must be an integer, not float"),
    (lambda: kg.cumsum(np.zeros(3, "f4"), 2**63), OverflowError, "64 bits"),
    (lambda: kg.rms_norm(np.zeros(3, "f4"), np.ones(3, "f4"), "eps"), TypeError, "eps must be a number, not str"),
    (lambda: kg.affine(np.zeros(3, "f4"), 2**64, 0), OverflowError, "mul"),
    (lambda: kg.Device("cpu\0"), ValueError, "NUL"),
    (lambda: kg.Device(3), TypeError, "name must be a str, not int"),
    (lambda: kg.zeros((1,), device=3), TypeError, "device must be a Device or the name of one"),
    (lambda: kg.zeros("ab"), TypeError, "shape must be integers"),
    (lambda: kg.zeros((1.5,)), TypeError, "shape must be integers"),
    (lambda: kg.tensor([[1], [2, 3]]), ValueError, "different shapes"),
    (lambda: kg.tensor([2**64]), OverflowError, "64 bits"),
    (lambda: kg.tensor("12"), TypeError, "neither a number nor a sequence"),
    (lambda: kg.Device.count("tpu"), ValueError, "there are cpu, hip, cuda"),
    (lambda: kg.exp(np.zeros(3, "f4"), out="y"), TypeError, "out must be"),
    (lambda: kg.call("add", 3), TypeError, ""),
])
def test_what_c_is_never_given(call, kind, text):
    with pytest.raises(kind, match=None) as raised:
        call()
    assert text in str(raised.value) and not isinstance(raised.value, kg.Error)


@pytest.mark.parametrize("opened", ["Package", "Gguf"])
def test_a_pipe_is_no_file(opened, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = f"import kernelgen as kg\ntry: kg.{opened}({str(pipe)!r})\nexcept kg.IoError as error: print(error)"
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert "it is a pipe, not a file" in ended.stdout, ended


def test_bad_indices_come_at_the_next_wait():
    x, device = kg.tensor([1.0, 2.0]), kg.Device.of("cpu")
    kg.index_select(x, 0, np.array([0, 7], np.int64))
    with pytest.raises(IndexError, match="index 7"):
        device.synchronize()
    with pytest.raises(kg.IndexOutOfRange):
        kg.index_select(x, 0, np.array([-3], np.int64)).tolist()


def test_threads_have_texts_of_their_own():
    import threading

    def fail(extent, texts):
        for _ in range(200):
            with pytest.raises(kg.InvalidArgument) as raised:
                kg.add(np.zeros(2, "f4"), np.zeros(extent, "f4"))
            texts.add(str(raised.value))

    seen = [set() for _ in range(4)]
    threads = [threading.Thread(target=fail, args=(3 + i, texts)) for i, texts in enumerate(seen)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, texts in enumerate(seen):
        assert len(texts) == 1 and f"[{3 + i}]" in texts.pop()


@pytest.mark.parametrize("library, text", [("/no/such.so", "cannot load /no/such.so"),
                                           ("libc.so.6", "another version")])
def test_a_library_that_is_not_ours(library, text):
    run = subprocess.run([sys.executable, "-B", "-c", "import kernelgen"], text=True, capture_output=True, check=False,
                         env={**os.environ, "KERNELGEN_LIBRARY": library})
    assert run.returncode == 1 and "ImportError" in run.stderr and text in run.stderr
