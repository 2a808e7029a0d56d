#!/usr/bin/env python3
"""torch_rows_test.py BENCH_FOLDER: every case of cases.json has a function on PyTorch's side that takes its inputs.

PyTorch's place takes a module whose functions take anything and give tensors of a shape."""

import pathlib
import sys
import types
import unittest

BENCH = pathlib.Path(sys.argv.pop(1))


class DType(str):
    pass


class Tensor:
    """As much of a tensor as preparing a case looks at."""

    def __init__(self, shape, dtype):
        self.shape, self.dtype, self.device = list(shape), dtype, "cpu"

    def __getattr__(self, name):
        return lambda *arguments, **named: self

    def __mul__(self, other):
        return self

    __add__ = __sub__ = __mul__

    def chunk(self, count, dim):
        return [self] * count

    def numel(self):
        count = 1
        for extent in self.shape:
            count *= extent
        return count

    def element_size(self):
        return 4

    def dim(self):
        return len(self.shape)

    def is_floating_point(self):
        return True

    def to(self, dtype):
        return Tensor(self.shape, dtype)

    def transpose(self, a, b):
        shape = list(self.shape)
        shape[a], shape[b] = shape[b], shape[a]
        return Tensor(shape, self.dtype)


class Module(types.ModuleType):
    """Every name in it is a function that gives its first tensor, or a module of such."""

    dtype = DType
    Tensor = Tensor
    Size = tuple

    def __getattr__(self, name):
        if name in ("float32", "float16", "bfloat16", "float64", "uint8", "int16", "int32", "int64", "bool"):
            return DType(name)
        if name == "empty":
            return lambda shape, dtype=DType("float32"), **named: Tensor(shape, dtype)
        if name in ("max", "topk"):
            return lambda x, *arguments, **named: (x, x)
        if name == "randint":
            return lambda end, shape, **named: Tensor(shape, DType("int64"))
        return Anything()


class Anything:
    def __getattr__(self, name):
        return Anything()

    def __call__(self, *arguments, **named):
        given = [a for a in (*arguments, *named.values()) if isinstance(a, Tensor)]
        return given[0] if given else Tensor([1], DType("float32"))


for module in ("torch", "torch.nn", "torch.nn.functional", "torch.utils", "torch.utils.dlpack"):
    sys.modules[module] = Module(module)
sys.modules["torch.nn"].functional = sys.modules["torch.nn.functional"]
sys.path.insert(0, str(BENCH))

from torch_functions import DEVICE, Unsigned  # noqa: E402  after what stands for PyTorch
from torch_rows import Extents, Rows  # noqa: E402


class TorchRowsTest(unittest.TestCase):
    def test_extents(self):
        extents = Extents(["m", "k"], [6, 4])
        self.assertEqual(extents("2*m*k"), 48)
        self.assertEqual(extents.shape(["m/2", "1", "k"]), [3, 1, 4])
        with self.assertRaises(ValueError):
            extents("n")

    def test_every_case_can_be_prepared_and_called(self):
        for scale in ("gpu", "cpu", "quick"):
            rows = Rows("cpu", scale).rows
            names = [f"{row.name} {row.shape}" for row in rows]
            self.assertEqual(len(names), len(set(names)))
            for row in rows:
                with self.subTest(row=row.name):
                    case = row.prepare()
                    case.theirs()
                    self.assertGreater(case.bytes, 0)
                    for argument in (*case.arguments, *case.named.values()):
                        self.assertTrue(
                            isinstance(argument, (Tensor, Unsigned, bool, int, float, list, DType))
                            or argument is DEVICE, argument)

    def test_names_of_the_results_are_there(self):
        found = {row.name for scale in ("gpu", "cpu") for row in Rows("cpu", scale).rows}
        for line in (BENCH / "results" / "cpu.md").read_text(encoding="utf-8").splitlines():
            name, bracket, _ = line.partition("[")
            if bracket and line.rstrip()[-1].isalnum() and name.endswith(" ") and not line.startswith("|"):
                self.assertIn(name.strip(), found)


if __name__ == "__main__":
    unittest.main()
