"""What compare_torch.py compares: each row is one operation, kernel-gen's and PyTorch's, on the same tensors.

PyTorch writes to a tensor that is there already wherever it has a function that does so without a copy;
kernel-gen always does.
"""

import re
from dataclasses import dataclass
from functools import partial
from typing import Callable, Optional

import torch
import torch.nn.functional as F

from kernelgen_c import DEVICE, Size2, Unsigned, Window2, real

aten = torch.ops.aten
f32, f16, bf16 = torch.float32, torch.float16, torch.bfloat16
FLOATS = {"f32": f32, "f16": f16, "bf16": bf16}
# Of one rounding and a few operations in f32.
TOLERANCE = {f32: 1e-5, f16: 1e-3, bf16: 8e-3}


@dataclass
class Case:
    """A row's calls with their tensors: KernelGen.operation's arguments, and PyTorch's as a function."""

    operation: str
    arguments: list
    out: object
    theirs: Callable[[], object]
    problem: Callable[[], Optional[str]]  # what is wrong with kernel-gen's result, after one call
    bytes: int  # each input once, the output once
    flops: int = 0


@dataclass
class Row:
    name: str
    shape: str
    prepare: Callable[[], Case]
    note: str = ""  # how the two sides differ


def size_in_bytes(tensor):
    return tensor.numel() * tensor.element_size()


def widened(tensor):
    return tensor.float() if tensor.is_floating_point() else tensor


def difference(got, wanted, tolerance, terms=1):
    """Where `got` is too far from `wanted`, in words; None where it is not."""
    if got.shape != wanted.shape:
        return f"shape {list(got.shape)}, PyTorch's is {list(wanted.shape)}"
    got, wanted = got.float(), wanted.float()
    right = torch.isclose(got, wanted, rtol=tolerance, atol=tolerance * terms**0.5, equal_nan=True)
    if right.all():
        return None
    at = int(torch.argmin(right.flatten().to(torch.uint8)))
    return (f"{int((~right).sum())} of {got.numel()} elements differ; "
            f"element {at} is {got.flatten()[at]:.9g}, PyTorch's {wanted.flatten()[at]:.9g}")


class Rows:
    """The rows for one device. `scale` is "gpu", "cpu" or "quick"."""

    def __init__(self, device, scale):
        self.device = device
        self.scale = scale
        self.rows = []
        self._elementwise()
        self._broadcast()
        self._movement()
        self._reductions()
        self._normalizations()
        self._indexing()
        self._images()
        self._random()
        self._sorts()
        self._products()

    def matching(self, pattern):
        """The rows whose name has a match of the regular expression."""
        return [row for row in self.rows if re.search(pattern, row.name)]

    def pick(self, gpu, cpu, quick):
        return {"gpu": gpu, "cpu": cpu, "quick": quick}[self.scale]

    def numbers(self, shape, dtype=f32, low=-2.0, high=2.0):
        return torch.empty(shape, device=self.device).uniform_(low, high).to(dtype)

    def indices(self, shape, end):
        return torch.randint(end, shape, device=self.device)

    def empty(self, shape, dtype):
        return torch.empty(shape, dtype=dtype, device=self.device)

    def add(self, name, shape, prepare, note=""):
        self.rows.append(Row(name, str(list(shape)), prepare, note))

    def case(self, name, arguments, out, function, into=None, terms=1, flops=0):
        """`function` of the tensors among the arguments is PyTorch's; `into` takes a place for the result."""
        inputs = [argument for argument in arguments if isinstance(argument, torch.Tensor)]
        theirs = torch.empty_like(out)
        return Case(
            name, arguments, out,
            theirs=(lambda: into(*inputs, theirs)) if into else lambda: function(*inputs),
            # In f32, as PyTorch lacks the narrow floats here and there.
            problem=lambda: difference(out, function(*map(widened, inputs)), TOLERANCE[out.dtype], terms),
            bytes=sum(map(size_in_bytes, inputs)) + size_in_bytes(out),
            flops=flops)

    def _elementwise(self):
        shape = [self.pick(1 << 26, 1 << 24, 5003)]
        # torch.relu is this clamp, but has no place for its result.
        unary = {
            "exp": (torch.exp, lambda x, y: torch.exp(x, out=y)),
            "silu": (F.silu, lambda x, y: aten.silu.out(x, out=y)),
            "gelu": (lambda x: F.gelu(x, approximate="tanh"),
                     lambda x, y: aten.gelu.out(x, approximate="tanh", out=y)),
            "gelu_erf": (F.gelu, lambda x, y: aten.gelu.out(x, out=y)),
            "relu": (torch.relu, lambda x, y: torch.clamp(x, min=0, out=y)),
            "tanh": (torch.tanh, lambda x, y: torch.tanh(x, out=y)),
            "sqrt": (torch.sqrt, lambda x, y: torch.sqrt(x, out=y)),
        }
        binary = {"add": torch.add, "mul": torch.mul}
        minus_one = torch.tensor(-1.0)
        for short, dtype in FLOATS.items():
            for op, (function, into) in unary.items():
                def prepare(op=op, dtype=dtype, function=function, into=into):
                    x = self.numbers(shape, dtype, low=0.0 if op == "sqrt" else -4.0, high=4.0)
                    return self.case(op, [x], self.empty(shape, dtype), function, into)
                self.add(f"{op} {short}", shape, prepare)
            for op, function in binary.items():
                def prepare(op=op, dtype=dtype, function=function):
                    a, b = self.numbers(shape, dtype), self.numbers(shape, dtype)
                    return self.case(op, [a, b], self.empty(shape, dtype), function,
                                     lambda a, b, y: function(a, b, out=y))
                self.add(f"{op} {short}", shape, prepare)

            def affine(dtype=dtype):
                x = self.numbers(shape, dtype)
                # One pass in PyTorch too: -1 + 2.5 x.
                return self.case("affine", [x, real(2.5), real(-1.0)], self.empty(shape, dtype),
                                 lambda x: torch.add(minus_one, x, alpha=2.5),
                                 lambda x, y: torch.add(minus_one, x, alpha=2.5, out=y))
            self.add(f"affine {short}", shape, affine)

            def where(dtype=dtype):
                mask = self.indices(shape, 2).to(torch.uint8)
                a, b = self.numbers(shape, dtype), self.numbers(shape, dtype)
                return self.case("where_cond", [mask, a, b], self.empty(shape, dtype),
                                 lambda m, a, b: torch.where(m.view(torch.bool), a, b),
                                 lambda m, a, b, y: torch.where(m.view(torch.bool), a, b, out=y))
            self.add(f"where {short}", shape, where)
        for a, b in (("f16", "f32"), ("f32", "f16"), ("f32", "bf16")):
            def cast(source=FLOATS[a], target=FLOATS[b]):
                x = self.numbers(shape, source)
                return self.case("to_dtype", [x, target], self.empty(shape, target),
                                 lambda x: x.to(target), lambda x, y: y.copy_(x))
            self.add(f"cast {a} to {b}", shape, cast)

    def _broadcast(self):
        side = self.pick(8192, 4096, 67)
        shape = [side, side]
        second = {
            "row": lambda dtype: self.numbers([side], dtype),
            "column": lambda dtype: self.numbers([side, 1], dtype),
            "transposed": lambda dtype: self.numbers(shape, dtype).t(),
        }
        for short, dtype in FLOATS.items():
            for kind, make in second.items():
                def prepare(make=make, dtype=dtype):
                    a, b = self.numbers(shape, dtype), make(dtype)
                    return self.case("add", [a, b], self.empty(shape, dtype), torch.add,
                                     lambda a, b, y: torch.add(a, b, out=y))
                self.add(f"add {kind} {short}", shape, prepare)

    def _movement(self):
        def copied(view):
            return self.case("copy", [view], self.empty(view.shape, view.dtype), lambda x: x,
                             lambda x, y: y.copy_(x))
        shape = [self.pick(1 << 26, 1 << 24, 5003)]
        for short, dtype in FLOATS.items():
            self.add(f"copy {short}", shape, lambda dtype=dtype: copied(self.numbers(shape, dtype)))
        side = self.pick(8192, 4096, 67)
        self.add("transpose f32", [side, side], lambda: copied(self.numbers([side, side]).t()))
        heads = self.pick([8, 32, 2048, 128], [2, 32, 2048, 128], [2, 3, 17, 16])
        self.add("permute BHTD to BTHD f16", heads, lambda: copied(self.numbers(heads, f16).transpose(1, 2)))

    def _reductions(self):
        shape = self.pick([65536, 1024], [16384, 1024], [33, 70])
        for short, dtype in (("f32", f32), ("f16", f16)):
            for kind, dims in {"rows": [1], "columns": [0], "all": [0, 1]}.items():
                def total(dtype=dtype, dims=dims):
                    x = self.numbers(shape, dtype)
                    left = [extent for dim, extent in enumerate(shape) if dim not in dims]
                    y = self.empty(left, dtype)
                    return self.case("sum", [x, len(dims), dims, False], y, lambda x: torch.sum(x, dims),
                                     lambda x, y: torch.sum(x, dims, out=y), terms=x.numel() // y.numel())
                self.add(f"sum {kind} {short}", shape, total)
            self.add(f"argmax rows {short}", shape, partial(self._argmax, shape, dtype),
                     "indices u32, PyTorch's i64")

    def _argmax(self, shape, dtype):
        x, places = self.numbers(shape, dtype), self.empty(shape[:1], torch.int32)
        theirs = self.empty(shape[:1], torch.int64)

        def problem():
            return difference(x.gather(1, places.long().unsqueeze(1)).squeeze(1), x.amax(1), 0)
        return Case("argmax", [x, [1], False], Unsigned(places),
                    lambda: torch.argmax(x, 1, out=theirs), problem, size_in_bytes(x) + size_in_bytes(places))

    def _normalizations(self):
        shape = self.pick([65536, 1024], [16384, 1024], [33, 70])
        rows, eps = shape[-1:], 1e-5

        def composed(x, weight):
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight
        fused = getattr(F, "rms_norm", None)
        rms_norm = (lambda x, weight: fused(x, rows, weight, eps)) if fused else composed
        for short, dtype in FLOATS.items():
            def softmax(dtype=dtype):
                return self.case("softmax", [self.numbers(shape, dtype)], self.empty(shape, dtype),
                                 lambda x: torch.softmax(x, -1),
                                 lambda x, y: aten._softmax.out(x, -1, False, out=y))

            def log_softmax(dtype=dtype):
                return self.case("log_softmax", [self.numbers(shape, dtype)], self.empty(shape, dtype),
                                 lambda x: torch.log_softmax(x, -1),
                                 lambda x, y: aten._log_softmax.out(x, -1, False, out=y))

            def rms(dtype=dtype):
                x, weight = self.numbers(shape, dtype), self.numbers(rows, dtype)
                return self.case("rms_norm", [x, weight, eps], self.empty(shape, dtype), rms_norm)

            def layer(dtype=dtype):
                x = self.numbers(shape, dtype)
                weight, bias = self.numbers(rows, dtype), self.numbers(rows, dtype)
                return self.case("layer_norm", [x, weight, bias, eps], self.empty(shape, dtype),
                                 lambda x, weight, bias: F.layer_norm(x, rows, weight, bias, eps))
            self.add(f"softmax {short}", shape, softmax)
            self.add(f"log_softmax {short}", shape, log_softmax)
            self.add(f"rms_norm {short}", shape, rms, "" if fused else "PyTorch's composed of 5 operations")
            self.add(f"layer_norm {short}", shape, layer)
        self._rope()

    def _rope(self):
        shape = self.pick([8, 32, 2048, 128], [2, 32, 2048, 128], [2, 3, 17, 16])

        def composed(x, cos, sin):
            a, b = x.chunk(2, -1)
            return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)
        for short, dtype in (("f32", f32), ("f16", f16)):
            def prepare(dtype=dtype):
                half = [shape[2], shape[3] // 2]
                cos, sin = self.numbers(half, dtype, -1.0, 1.0), self.numbers(half, dtype, -1.0, 1.0)
                x = self.numbers(shape, dtype)
                return self.case("rope", [x, cos, sin], self.empty(shape, dtype), composed)
            self.add(f"rope {short}", shape, prepare, "PyTorch's composed of 7 operations")

    def _indexing(self):
        table = self.pick([131072, 512], [32768, 512], [50, 20])

        def index_select():
            x, ids = self.numbers(table), self.indices(table[:1], table[0])
            return self.case("index_select", [x, 0, ids], self.empty(table, f32),
                             lambda x, ids: torch.index_select(x, 0, ids),
                             lambda x, ids, y: torch.index_select(x, 0, ids, out=y))

        def index_add():
            x, ids, source = self.numbers(table), self.indices(table[:1], table[0]), self.numbers(table)
            return self.case("index_add", [x, 0, ids, source, False], self.empty(table, f32),
                             lambda x, ids, source: torch.index_add(x, 0, ids, source),
                             lambda x, ids, source, y: torch.index_add(x, 0, ids, source, out=y), terms=16)

        shape = self.pick([4096, 16384], [1024, 16384], [9, 40])

        def gather():
            x, ids = self.numbers(shape), self.indices(shape, shape[1])
            return self.case("gather", [x, 1, ids], self.empty(shape, f32),
                             lambda x, ids: torch.gather(x, 1, ids),
                             lambda x, ids, y: torch.gather(x, 1, ids, out=y))

        def scatter_add():
            ids, source = self.indices(shape, shape[1]), self.numbers(shape)
            ours, theirs, start = (torch.zeros(shape, device=self.device) for _ in range(3))
            return Case("scatter_add_set", [ours, 1, ids, source, False], None,
                        lambda: theirs.scatter_add_(1, ids, source),
                        lambda: difference(ours, start.scatter_add(1, ids, source), TOLERANCE[f32], 16),
                        size_in_bytes(ids) + 3 * size_in_bytes(source))
        self.add("index_select f32", table, index_select)
        self.add("gather f32", shape, gather)
        self.add("scatter_add f32", shape, scatter_add, "any order, as PyTorch's default")
        self.add("index_add f32", table, index_add, "any order, as PyTorch's default")

    def _images(self):
        pooled = self.pick([32, 128, 112, 112], [8, 64, 112, 112], [2, 3, 9, 8])
        small = self.pick([32, 64, 128, 128], [8, 64, 64, 64], [2, 3, 5, 4])
        two, size = Size2(2, 2), [2 * extent for extent in small[2:]]
        halved = pooled[:2] + [extent // 2 for extent in pooled[2:]]
        for op, function in (("max_pool2d", F.max_pool2d), ("avg_pool2d", F.avg_pool2d)):
            def pool(op=op, function=function):
                return self.case(op, [self.numbers(pooled), two, two], self.empty(halved, f32),
                                 lambda x: function(x, 2))
            self.add(f"{op} k2 f32", pooled, pool)

        def upsampled(op, extra, **options):
            x, y = self.numbers(small), self.empty(small[:2] + size, f32)
            return self.case(op, [x, Size2(*size), *extra], y,
                             lambda x: F.interpolate(x, scale_factor=2.0, **options))

        def nearest():
            return upsampled("upsample_nearest2d", [], mode="nearest")

        def bilinear():
            return upsampled("upsample_bilinear2d", [False, None, None], mode="bilinear", align_corners=False)
        self.add("upsample_nearest2d x2 f32", small, nearest)
        self.add("upsample_bilinear2d x2 f32", small, bilinear)

    def _random(self):
        shape = [self.pick(1 << 26, 1 << 24, 50000)]
        moments = {"uniform": (0.5, 12**-0.5), "normal": (0.0, 1.0)}
        for kind, (mean, deviation) in moments.items():
            def prepare(kind=kind, mean=mean, deviation=deviation):
                ours, theirs = self.empty(shape, f32), self.empty(shape, f32)

                def problem():
                    got_mean, got_deviation = float(ours.double().mean()), float(ours.double().std())
                    allowed = 6 / shape[0]**0.5
                    if abs(got_mean - mean) > allowed or abs(got_deviation - deviation) > allowed:
                        return f"mean {got_mean:.6f}, standard deviation {got_deviation:.6f}"
                    if kind == "uniform" and not (ours.min() >= 0 and ours.max() < 1):
                        return f"from {float(ours.min())} to {float(ours.max())}"
                    return None
                low, high = real(0.0), real(1.0)
                return Case(
                    f"rand_{kind}", [DEVICE, 1, shape, f32, low, high], ours,
                    theirs.uniform_ if kind == "uniform" else theirs.normal_, problem, size_in_bytes(ours))
            self.add(f"{kind} f32", shape, prepare, "each its own generator")

    def _sorts(self):
        shapes = self.pick([[4096, 1024], [64, 131072]], [[4096, 1024], [64, 131072]], [[5, 33], [2, 1500]])
        for shape in shapes:
            for short, dtype in (("f32", f32), ("f16", f16)):
                self.add(f"argsort {short}", shape, partial(self._argsort, shape, dtype),
                         "stable, indices u32; PyTorch's i64")

    def _argsort(self, shape, dtype):
        x, places = self.numbers(shape, dtype), self.empty(shape, torch.int32)

        def problem():
            got = places.long()
            if not torch.equal(got.sort(-1)[0], torch.arange(shape[-1], device=self.device).expand(shape)):
                return "no permutation"
            return difference(widened(x).gather(-1, got), widened(x).sort(-1)[0], 0)
        return Case("arg_sort", [x, True], Unsigned(places),
                    lambda: torch.argsort(x, -1), problem, size_in_bytes(x) + size_in_bytes(places))

    def _products(self):
        side = self.pick(4096, 1024, 37)
        for short, dtype in FLOATS.items():
            if self.scale == "cpu" and dtype != f32:
                continue

            def matmul(dtype=dtype):
                a, b = self.numbers([side, side], dtype), self.numbers([side, side], dtype)
                return self.case("matmul", [a, b], self.empty([side, side], dtype), torch.matmul,
                                 lambda a, b, y: torch.matmul(a, b, out=y), terms=side, flops=2 * side**3)
            self.add(f"matmul {short}", [side, side, side], matmul)
        shape = self.pick([32, 128, 56, 56], [4, 64, 56, 56], [2, 4, 9, 8])
        channels, dtype = shape[1], self.pick(f16, f32, f32)

        def conv2d():
            x = self.numbers(shape, dtype)
            weight = self.numbers([channels, channels, 3, 3], dtype)
            one, none = Size2(1, 1), Size2(0, 0)
            return self.case("conv2d", [x, weight, Window2(one, one, one, none, 1)], self.empty(shape, dtype),
                             lambda x, w: F.conv2d(x, w, padding=1), terms=9 * channels,
                             flops=2 * 9 * channels * x.numel())
        self.add(f"conv2d k3 {'f16' if dtype == f16 else 'f32'}", shape, conv2d)

