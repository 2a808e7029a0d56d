"""Rows that compare_torch.py draws at random: shapes, dtypes, layouts and parameters of every operation that both have.

Extents are log-uniform up to what fills the given bytes, odd ones and powers of two alike; operands are contiguous,
transposed, cut out of larger ones or broadcast. A row depends on its seed and number alone, so that one can be repeated.
"""

import math
import random

import torch

from torch_functions import DTYPES, FUNCTIONS, Parameters
from torch_rows import Row, prepare

FLOATS = ("f32", "f16", "bf16")
MAPS = ("exp", "silu", "gelu", "gelu_erf", "relu", "tanh", "sigmoid", "erf", "sin", "sqrt", "affine")
# Of the draws, by what a tensor library spends its time on; each name is a method of Draw.
FAMILIES = {"map": 4, "pair": 4, "choice": 1, "conversion": 2, "moved": 3, "reduction": 5, "rows": 5, "running": 1,
            "picked": 3, "added": 2, "window": 2, "enlarged": 1, "ordered": 2, "product": 4, "convolution": 4,
            "classes": 1, "attended": 2}


class Draw:
    """One row's draws."""

    def __init__(self, seed, number, device, most_bytes):
        self._random = random.Random(f"{seed} {number}")
        self._device = device
        self._most = most_bytes
        self._dtype = self._random.choice(FLOATS)
        self._layouts = []

    def row(self):
        families = list(FAMILIES)
        family = self._random.choices(families, [FAMILIES[name] for name in families])[0]
        return getattr(self, "_" + family)()

    # What rows are made of.

    def _extent(self, most):
        """From 1 to `most`, uniform in its logarithm; now and then a power of two, or odd."""
        value = int(math.exp(self._random.uniform(0, math.log(max(most, 1) + 1))))
        kind = self._random.random()
        if kind < 0.35:
            value = 1 << round(math.log2(max(value, 1)))
        elif kind < 0.6:
            value |= 1
        return max(1, min(value, most))

    def _elements(self, tensors=1):
        size = torch.empty(0, dtype=DTYPES[self._dtype]).element_size()
        return self._most // size // tensors

    def _shape(self, rank=None, elements=None):
        """Up to 5 dims whose product is log-uniform."""
        rank = rank or self._random.randint(1, 5)
        left = self._extent(elements or self._elements())
        shape = []
        for _ in range(rank - 1):
            shape.append(self._extent(left))
            left //= shape[-1]
        shape.append(left)
        self._random.shuffle(shape)
        return shape

    def _tensor(self, shape, low=-2.0, high=2.0):
        return torch.empty(shape, device=self._device).uniform_(low, high).to(DTYPES[self._dtype])

    def _indices(self, shape, below):
        return torch.randint(below, shape, device=self._device)

    def _laid_out(self, shape, low=-2.0, high=2.0):
        """A way of making such a tensor, contiguous or not."""
        kind = self._random.choices(("contiguous", "transposed", "sliced"), (5, 2, 2))[0]
        if len(shape) < 2 and kind == "transposed":
            kind = "contiguous"
        if kind == "transposed":
            a, b = self._random.sample(range(len(shape)), 2)
            swapped = list(shape)
            swapped[a], swapped[b] = swapped[b], swapped[a]
            self._layouts.append(f"dims {min(a, b)} and {max(a, b)} transposed")
            return lambda: self._tensor(swapped, low, high).transpose(a, b)
        if kind == "sliced":
            dim, extra = self._random.randrange(len(shape)), self._random.randint(1, 9)
            skipped = self._random.randint(0, extra)
            larger = list(shape)
            larger[dim] += extra
            self._layouts.append(f"dim {dim} from {skipped} of {larger[dim]}")
            return lambda: self._tensor(larger, low, high).narrow(dim, skipped, shape[dim])
        self._layouts.append("")
        return lambda: self._tensor(shape, low, high)

    def _broadcast(self, shape):
        """A tensor of `shape` with some dims of one element, or a shorter one; or the whole."""
        kept = [extent if self._random.random() < 0.6 else 1 for extent in shape]
        if self._random.random() < 0.3:
            kept = kept[self._random.randrange(len(kept)):]
        self._layouts.append(f"broadcast from {kept}")
        return lambda: self._tensor(kept)

    def _row(self, operation, shape, makers, terms=1, flops=0, **parameters):
        """`makers` make the inputs; parameters are the operation's."""
        words = [f"{name} {value}" for name, value in parameters.items()]
        words += [f"input {k}: {layout}" for k, layout in enumerate(self._layouts) if layout]
        dtype = DTYPES[self._dtype]
        return Row(f"{operation} {self._dtype}", ", ".join([str(list(shape)), *words]),
                   lambda: prepare(operation, [make() for make in makers], Parameters(parameters, dtype), dtype,
                                   self._device, terms=terms, flops=flops),
                   FUNCTIONS[operation].note)

    # Families of rows.

    def _map(self):
        operation, shape = self._random.choice(MAPS), self._shape()
        options = {"mul": 2.5, "add": -1.0} if operation == "affine" else {}
        return self._row(operation, shape, [self._laid_out(shape, 0 if operation == "sqrt" else -4, 4)], **options)

    def _pair(self):
        operation = self._random.choice(("add", "mul", "add", "mul", "silu_mul"))
        shape = self._shape()
        operands = [self._laid_out(shape), (self._broadcast if self._random.random() < 0.4 else self._laid_out)(shape)]
        return self._row(operation, shape, operands)

    def _choice(self):
        shape = self._shape()
        mask = lambda: torch.randint(2, shape, device=self._device).to(torch.uint8)
        self._layouts.append("")
        return self._row("where", shape, [mask, self._laid_out(shape), self._laid_out(shape)])

    def _conversion(self):
        shape = self._shape()
        to = self._random.choice([name for name in FLOATS if name != self._dtype])
        return self._row("cast", shape, [self._laid_out(shape)], dtype=to)

    def _moved(self):
        shape = self._shape()
        return self._row("copy", shape, [self._laid_out(shape)])

    def _reduction(self):
        operation, shape = self._random.choice(("sum", "sum", "mean", "max", "argmax")), self._shape()
        x = self._laid_out(shape)
        if operation == "argmax":
            dim = self._random.randrange(len(shape))
            return self._row(operation, shape, [x], dim=dim)
        dims = sorted(self._random.sample(range(len(shape)), self._random.randint(1, len(shape))))
        terms = math.prod(shape[dim] for dim in dims)
        return self._row(operation, shape, [x], terms=terms if operation == "sum" else 1, dims=dims)

    def _rows(self):
        operation = self._random.choice(("softmax", "log_softmax", "rms_norm", "layer_norm", "add_rms_norm",
                                         "add_layer_norm"))
        tensors = 2 if operation.startswith("add") else 1
        shape = self._shape(self._random.randint(1, 3), self._elements(tensors))
        makers = [(lambda: self._tensor(shape))] * tensors
        if "norm" not in operation:
            return self._row(operation, shape, makers)
        weights = 2 if "layer" in operation else 1
        return self._row(operation, shape, makers + [lambda: self._tensor(shape[-1:])] * weights, eps=1e-5)

    def _running(self):
        shape = self._shape(self._random.randint(1, 3))
        dim = self._random.randrange(len(shape))
        return self._row("cumsum", shape, [lambda: self._tensor(shape)], terms=shape[dim], dim=dim)

    def _picked(self):
        operation, shape = self._random.choice(("index_select", "gather")), self._shape(self._random.randint(1, 3))
        dim = self._random.randrange(len(shape))
        count = self._extent(2 * shape[dim])
        wanted = [count] if operation == "index_select" else [*shape[:dim], count, *shape[dim + 1:]]
        return self._row(operation, shape, [lambda: self._tensor(shape), lambda: self._indices(wanted, shape[dim])],
                         dim=dim)

    def _added(self):
        operation, shape = self._random.choice(("scatter_add_set", "index_add")), self._shape(self._random.randint(1, 3))
        dim = self._random.randrange(len(shape))
        count = self._extent(2 * shape[dim])
        source = [*shape[:dim], count, *shape[dim + 1:]]
        indices = [count] if operation == "index_add" else source
        # PyTorch rounds after each addition too.
        terms = 16 + 64 * count / shape[dim]
        return self._row(operation, shape, [lambda: self._tensor(shape), lambda: self._indices(indices, shape[dim]),
                                            lambda: self._tensor(source)], terms=terms**2, dim=dim)

    def _image(self, elements):
        """[images, channels, height, width]"""
        return self._shape(4, elements)

    def _window(self):
        operation = self._random.choice(("max_pool2d", "avg_pool2d"))
        shape = self._image(self._elements())
        kernel = [self._random.randint(1, min(extent, 5)) for extent in shape[2:]]
        stride = [self._random.randint(1, 3) for _ in range(2)]
        return self._row(operation, shape, [lambda: self._tensor(shape)], kernel=kernel, stride=stride)

    def _enlarged(self):
        operation = self._random.choice(("upsample_nearest2d", "upsample_bilinear2d"))
        # PyTorch counts rows and columns of results in f32, which does not tell more of them apart.
        shape = [min(extent, 1 << 23) for extent in self._image(self._elements(4))]
        return self._row(operation, shape, [lambda: self._tensor(shape)], size=[2 * shape[2], 2 * shape[3]])

    def _ordered(self):
        operation = self._random.choice(("arg_sort", "top_k"))
        shape = self._shape(self._random.randint(1, 2), min(self._elements(), 1 << 24))
        x = lambda: self._tensor(shape)
        if operation == "arg_sort":
            return self._row(operation, shape, [x])
        return self._row(operation, shape, [x], k=[self._extent(min(shape[-1], 1024))], dim=len(shape) - 1)

    def _product(self):
        m, k, n = (self._extent(8192) for _ in range(3))
        if self._random.random() < 0.25:
            m, n = (m, 1) if self._random.random() < 0.5 else (1, n)
        most = self._elements() // max(m * k, k * n, m * n)
        batch = self._extent(min(most, (1 << 37) // (m * k * n) + 1)) if self._random.random() < 0.5 else 1
        a, b = self._operand(batch, m, k), self._operand(batch, k, n)
        return self._row("matmul", [batch, m, k, n], [a, b], terms=k, flops=2 * batch * m * k * n)

    def _operand(self, batch, rows, columns):
        """A matrix of a batch, perhaps the transpose of one that is contiguous."""
        is_transposed = self._random.random() < 0.4
        self._layouts.append("transposed" if is_transposed else "")
        if is_transposed:
            return lambda: self._tensor([batch, columns, rows][batch == 1:]).transpose(-1, -2)
        return lambda: self._tensor([batch, rows, columns][batch == 1:])

    def _convolution(self):
        operation = self._random.choices(("conv2d", "conv_transpose2d"), (3, 1))[0]
        groups = self._extent(64) if self._random.random() < 0.4 else 1
        each_in, each_out = self._extent(512 // groups + 1), self._extent(512 // groups + 1)
        if groups > 1 and self._random.random() < 0.5:
            each_in = each_out = 1  # depthwise
        kernel = [self._random.choice((1, 1, 2, 3, 3, 3, 5, 7, 11)) for _ in range(2)]
        stride = [self._random.choice((1, 1, 1, 2, 3))] * 2
        dilation = [self._random.choice((1, 1, 1, 2))] * 2
        spans = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)]
        padding = [self._random.randint(0, span // 2) for span in spans]
        height, width = (span + self._extent(128) for span in spans)
        work = groups * each_in * each_out * math.prod(kernel) * height * width
        images = self._extent(max(1, min(128, (1 << 36) // work,
                                         self._elements() // (groups * max(each_in, each_out) * height * width))))
        channels, results = groups * each_in, groups * each_out
        x = lambda: self._tensor([images, channels, height, width])
        first, second = (results, each_in) if operation == "conv2d" else (channels, each_out)
        weight = lambda: self._tensor([first, second, *kernel], -1, 1)
        return self._row(operation, [images, channels, height, width], [x, weight], terms=each_in * math.prod(kernel),
                         flops=2 * images * work // (1 if operation != "conv2d" else math.prod(stride)),
                         channels=results, kernel=kernel, stride=stride, padding=padding, dilation=dilation,
                         groups=groups)

    def _classes(self):
        rows, classes = self._shape(2)
        return self._row("cross_entropy", [rows, classes],
                         [lambda: self._tensor([rows, classes], -8, 8), lambda: self._indices([rows], classes)])

    def _attended(self):
        width = self._random.choice((16, 32, 40, 64, 80, 96, 128, 192, 256))
        heads, queries, keys = self._extent(32), self._extent(4096), self._extent(8192)
        if self._random.random() < 0.4:
            queries = 1
        causal = queries > 1 and self._random.random() < 0.5
        if causal:
            keys = queries
        most = min(self._elements() // (heads * keys * width), (1 << 35) // (heads * queries * keys * width) + 1)
        batch = self._extent(max(1, min(64, most)))
        q, kv = [batch, heads, queries, width], [batch, heads, keys, width]
        return self._row("attention", [batch, heads, queries, keys, width],
                         [lambda: self._tensor(q), lambda: self._tensor(kv), lambda: self._tensor(kv)],
                         terms=keys, flops=4 * batch * heads * queries * keys * width // (2 if causal else 1),
                         causal=causal)


def drawn_row(seed, number, device, most_bytes):
    """The row of that number."""
    row = Draw(seed, number, device, most_bytes).row()
    row.number = number
    return row


def percentile(values, share):
    """The smallest of the sorted values that at least that share of them does not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def mean_ratio(rows):
    return math.exp(sum(math.log(row["ratio"]) for row in rows) / len(rows))


COLUMNS = "{:<20} {:>5} {:>7} {:>7} {:>7}  {}"


def table(rows):
    """By operation: rows, geometric mean, 5th percentile and worst of the ratios; then over all."""
    groups = {}
    for row in rows:
        if row["ratio"]:
            groups.setdefault(row["operation"].split()[0], []).append(row)
    lines = [COLUMNS.format("operation", "rows", "mean", "5th %", "worst", "its row")]
    everything = [row for group in groups.values() for row in group]
    for name, group in [*sorted(groups.items(), key=lambda item: mean_ratio(item[1])), ("all", everything)]:
        ratios = [row["ratio"] for row in group]
        worst = min(group, key=lambda row: row["ratio"])
        lines.append(COLUMNS.format(name, len(group), *(f"{value:.2f}" for value in (
            mean_ratio(group), percentile(ratios, 0.05), worst["ratio"])),
            f"{worst['number']}: {worst['operation']} {worst['shape']}"))
    return "\n".join(lines)
