#!/usr/bin/env python3
"""Compares the library's quantized formats on the CPU with ggml's own functions in libggml-base, bit for bit: elements of
random blocks, and blocks of random elements.

    formats.py PACKAGE [--prefix FOLDER]

PACKAGE is the folder of the Python package. Exits with 77 without the library, which Debian's libggml0 installs and
tools/ggml.sh unpacks."""

import argparse
import array
import ctypes
import ctypes.util
import os
import random
import sys
from pathlib import Path

BLOCKS = 256
CONVERSION = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)


class Traits(ctypes.Structure):
    """ggml_type_traits of ggml.h."""
    _fields_ = [("name", ctypes.c_char_p), ("elements", ctypes.c_int64), ("interleaved", ctypes.c_int64),
                ("bytes", ctypes.c_size_t), ("is_quantized", ctypes.c_bool), ("to_float", ctypes.c_void_p),
                ("from_float", ctypes.c_void_p)]


class Parameters(ctypes.Structure):
    """ggml_init_params."""
    _fields_ = [("size", ctypes.c_size_t), ("buffer", ctypes.c_void_p), ("no_alloc", ctypes.c_bool)]


def library(prefix):
    """The path or name of libggml-base. An unpacked one needs its own C library, so Python starts again under that."""
    folder = Path(prefix, "backports/usr/lib/x86_64-linux-gnu")
    if not prefix or not (folder / "libggml-base.so.0").exists():
        return ctypes.util.find_library("ggml-base")
    if "KERNELGEN_FORMATS_LOADER" not in os.environ:
        os.environ["KERNELGEN_FORMATS_LOADER"] = "1"
        loader = str(folder / "ld-linux-x86-64.so.2")
        os.execv(loader, [loader, "--library-path", str(folder), sys.executable, "-B", *sys.argv])
    return str(folder / "libggml-base.so.0")


def converted(function, source, size):
    """The bytes that a function of ggml's makes of others, and how many elements there are."""
    result = ctypes.create_string_buffer(size)
    CONVERSION(function)(source[0], result, source[1])
    return result.raw


def is_same(got, wanted):
    """Whether floats have the same bits, or are NaN both."""
    if got == wanted:
        return True
    pairs = zip(*(array.array(code, data) for data in (got, wanted) for code in "If"))
    return all(a == b or (x != x and y != y) for a, x, b, y in pairs)


def moderate(count):
    """Elements alike in size by 16, with zeros and ties."""
    elements = array.array("f")
    while len(elements) < count:
        size = 2.0 ** random.randint(-8, 8)
        if random.random() < 0.5:
            elements.extend(random.gauss(0, size) for _ in range(16))
        else:
            elements.extend(random.randint(-16, 16) / 2 * size for _ in range(16))
    return elements.tobytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("package")
    parser.add_argument("--prefix", default=os.environ.get("KERNELGEN_GGML", ""))
    arguments = parser.parse_args()
    path = library(arguments.prefix)
    if not path:
        print("skipped: no libggml-base; `tools/ggml.sh FOLDER` unpacks it for KERNELGEN_GGML=FOLDER")
        return 77
    sys.path.insert(0, arguments.package)
    import kernelgen as kg  # noqa: E402  after the loader of its library

    ggml = ctypes.CDLL(path)
    ggml.ggml_get_type_traits.restype = ctypes.POINTER(Traits)
    ggml.ggml_init.restype, ggml.ggml_init.argtypes = ctypes.c_void_p, [Parameters]
    ggml.ggml_init(Parameters(1 << 16, None, False))  # fills its table of f16 values
    by_name = {}
    for number in range(43):  # GGML_TYPE_COUNT since 0.21
        traits = ggml.ggml_get_type_traits(number)[0]
        by_name[(traits.name or b"").decode()] = traits

    random.seed(int(os.environ.get("KERNELGEN_SEED", "1")))
    failures, rows = [], []
    for dtype in (one for one in kg.DType if one.is_quantized):
        traits = by_name.get(dtype.name)
        if traits is None:
            failures.append(f"{dtype.name}: ggml has no type of that name")
            continue
        if (traits.elements, traits.bytes) != (dtype.block, dtype.size):
            failures.append(f"{dtype.name}: ggml's blocks are {traits.elements} elements in {traits.bytes} bytes")
            continue
        count, checked = BLOCKS * dtype.block, []
        blocks = bytes(random.getrandbits(8) for _ in range(BLOCKS * dtype.size))
        if traits.to_float:
            checked.append("dequantize")
            ours = kg.dequantize(kg.from_bytes(blocks, dtype, (count,)), "f32").tobytes()
            if not is_same(ours, converted(traits.to_float, (blocks, count), 4 * count)):
                failures.append(f"{dtype.name}: dequantize differs")
        elements = moderate(count)
        try:
            ours = kg.quantize(kg.from_bytes(elements, "f32", (count,)), dtype).tobytes()
        except kg.Error:
            ours = None  # a format that values are not quantized to
        if ours is not None and traits.from_float:
            checked.append("quantize")
            if ours != converted(traits.from_float, (elements, count), len(blocks)):
                failures.append(f"{dtype.name}: quantize differs")
        rows.append(f"{dtype.name}: {' '.join(checked) or 'ggml converts neither way'}")
    print("\n".join(rows + failures))
    compared = sum("quantize" in row for row in rows)
    print(f"{compared} formats compared with {path}")
    return 1 if failures or compared < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
