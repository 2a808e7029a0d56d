"""The operations of cases.json in PyTorch, and how kernel-gen's functions in Python take their arguments."""

import contextlib
import functools
from dataclasses import dataclass, field
from typing import Callable, Optional

import torch
import torch.nn.functional as F

aten = torch.ops.aten
DEVICE = object()  # as an argument: the opened device
# By the names of kernel-gen; those that PyTorch computes in.
DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "u8": torch.uint8}


class Parameters:
    """A case's parameters as numbers, by name."""

    def __init__(self, given, dtype, extents=None):
        self._values = {name: extents.shape(value) if extents and isinstance(value, list) else value
                        for name, value in given.items()}
        self.of_case = dtype

    def __call__(self, name, otherwise=None):
        return self._values.get(name, otherwise)

    def dtype(self):
        return DTYPES[self("dtype")]



class Unsigned:
    """An int32 tensor that kernel-gen sees as u32; PyTorch has no such dtype before 2.3."""

    def __init__(self, tensor):
        assert tensor.dtype == torch.int32 and tensor.is_contiguous()
        self.tensor = tensor


def tensors_first(*names):
    """Arguments of a function that takes its tensors and then numbers."""
    return lambda inputs, p: [*inputs, *(p(name) for name in names)]


@dataclass
class Function:
    """One operation. `call` gives PyTorch's result for the inputs, or a tuple of results; `into` writes one to `out`
    without a copy."""

    call: Callable
    into: Optional[Callable] = None
    passed: Callable = field(default_factory=tensors_first)  # kernel-gen's arguments
    outs: tuple = ("out",)  # the parameters that take its results; False leaves out one that is also named
    name: str = ""  # kernel-gen's, where another
    result: Callable = lambda dtype, p: dtype  # the result's dtype
    theirs: Optional[torch.dtype] = None  # PyTorch's, where another
    with_indices: bool = False  # two results: values, and places along a dim, which PyTorch has as i64
    problem: Optional[Callable] = None  # instead of comparing results
    in_place: bool = False  # writes its first input; `into` takes PyTorch's in its place
    note: str = ""  # how the two sides differ

    def arguments(self, inputs, outs, p):
        """Those of kernel-gen's function, by position and by name."""
        if self.in_place:
            return self.passed(inputs, p), {}
        if self.with_indices:
            outs = [outs[0], Unsigned(outs[1])]
        elif self.theirs:
            outs = map(Unsigned, outs)
        names = ("out_values", "out_indices") if self.with_indices else self.outs
        given = [*outs]
        return self.passed(inputs, p), dict(zip(names, [*given, *[False] * (len(names) - len(given))]))


def unary(function, into=None):
    return Function(lambda x, p, device: function(x), into or (lambda x, y, p: function(x, out=y)))


def binary(function):
    return Function(lambda a, b, p, device: function(a, b), lambda a, b, y, p: function(a, b, out=y))


def argmax_problem(inputs, places, p):
    """None where each place holds a greatest element; in case of several PyTorch may take another."""
    x, dim = inputs[0].float(), p("dim")
    found = x.gather(dim, places.long().unsqueeze(dim)).squeeze(dim)
    return None if torch.equal(found, x.amax(dim)) else "places of other than the greatest elements"


def sort_problem(inputs, places, p):
    """None where the places are a permutation that sorts; equal elements may be in another order."""
    x, got = inputs[0].float(), places.long()
    if not torch.equal(got.sort(-1)[0], torch.arange(x.shape[-1], device=x.device).expand(x.shape)):
        return "no permutation"
    return None if torch.equal(x.gather(-1, got), x.sort(-1)[0]) else "not in order"


def indexed_problem(inputs, values, places, wanted, p):
    """None where the values are PyTorch's and stand at their places, each once; of equal ones PyTorch may take others."""
    x, dim = inputs[0], p("dim")
    if values.dim() < x.dim():
        values, places, wanted = values.unsqueeze(dim), places.unsqueeze(dim), wanted.unsqueeze(dim)
    if not torch.equal(values, wanted.to(values.dtype)):
        return "values differ"
    if not torch.equal(x.gather(dim, places.long()), values):
        return "places of other elements"
    in_order = places.long().sort(dim)[0]
    if (in_order.diff(dim=dim) == 0).any():
        return "a place given twice"
    return None


def moments_problem(kind, mean, deviation):
    """None where so many numbers have the moments they should have."""
    def problem(inputs, got, p):
        allowed = 6 / got.numel()**0.5
        found_mean, found_deviation = float(got.double().mean()), float(got.double().std())
        if abs(found_mean - mean) > allowed or abs(found_deviation - deviation) > allowed:
            return f"mean {found_mean:.6f}, standard deviation {found_deviation:.6f}"
        if kind == "uniform" and not (got.min() >= 0 and got.max() < 1):
            return f"from {float(got.min())} to {float(got.max())}"
        return None
    return problem


def random(kind, mean, deviation):
    def draw(tensor):
        return tensor.uniform_() if kind == "uniform" else tensor.normal_()
    return Function(
        lambda p, device: draw(torch.empty(p("shape"), dtype=p.of_case, device=device)),
        lambda y, p: draw(y),
        lambda inputs, p: [DEVICE, p("shape"), p.of_case, 0.0, 1.0],
        problem=moments_problem(kind, mean, deviation), note="each its own generator")


def pool(function):
    return Function(lambda x, p, device: function(x, p("kernel"), p("stride")),
                    passed=lambda inputs, p: [*inputs, p("kernel"), p("stride")])


def upsample(**options):
    return Function(lambda x, p, device: F.interpolate(x, scale_factor=2.0, **options),
                    passed=lambda inputs, p: [*inputs, p("size")])


def composed_rms_norm(x, weight, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * weight


def composed_rope(x, cos, sin):
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


FUSED_RMS_NORM = getattr(F, "rms_norm", None)


def rms_norm(x, weight, eps):
    if FUSED_RMS_NORM is None:
        return composed_rms_norm(x, weight, eps)
    return FUSED_RMS_NORM(x, x.shape[-1:], weight, eps)


def add_rms_norm(x, residual, weight, p, device):
    total = x + residual
    return total, rms_norm(total, weight, p("eps"))


def add_layer_norm(x, residual, weight, bias, p, device):
    total = x + residual
    return total, F.layer_norm(total, total.shape[-1:], weight, bias, p("eps"))


def best_attention():
    """Has PyTorch try cuDNN's attention first, which is the fastest it has where it serves; its own order is another."""
    try:
        from torch.nn.attention import SDPBackend, sdpa_kernel

        names = ("CUDNN_ATTENTION", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "MATH")
        return sdpa_kernel([getattr(SDPBackend, name) for name in names], set_priority=True)
    except (AttributeError, ImportError, TypeError):  # before PyTorch 2.6
        return contextlib.nullcontext()


def attend(q, k, v, p, device):
    """The best of PyTorch's back ends; before 2.0 it has one, which takes as many heads of k as of q."""
    group, causal = q.shape[1] // k.shape[1], bool(p("causal", False))
    fused = getattr(F, "scaled_dot_product_attention", None)
    if fused is not None and group == 1:
        with best_attention():
            return fused(q, k, v, is_causal=causal)
    if fused is not None and q.shape[2] == 1:
        # Rows of a group, which see the same keys, as queries of one head.
        rows = q.reshape(q.shape[0], k.shape[1], group, q.shape[3])
        with best_attention():
            return fused(rows, k, v).reshape(q.shape)
    k, v = (x.repeat_interleave(group, 1) if group > 1 else x for x in (k, v))
    mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).tril() if causal else None
    logits = q @ k.transpose(-1, -2) * q.shape[-1]**-0.5
    if causal:
        logits = logits.masked_fill(~mask, float("-inf"))
    return torch.softmax(logits, -1) @ v


def convolution(function):
    def window(p):
        return {"stride": p("stride", [1, 1]), "padding": p("padding", [0, 0]), "dilation": p("dilation", [1, 1])}

    return Function(lambda x, weight, p, device: function(x, weight, groups=p("groups", 1), **window(p)),
                    passed=lambda inputs, p: [*inputs, *window(p).values(), [0, 0], p("groups", 1)])


def reduction(function):
    """Of the dims that p names; `function` as PyTorch's sum."""
    return Function(lambda x, p, device: function(x, p("dims")), lambda x, y, p: function(x, p("dims"), out=y),
                    lambda inputs, p: [*inputs, p("dims")])


@functools.lru_cache(maxsize=None)
def number(value):
    """A number as a tensor, for affine in one pass."""
    return torch.tensor(float(value))


def where(mask, a, b, p, device):
    return torch.where(mask.view(torch.bool), a, b)


ANY_ORDER = "any order, as PyTorch's default"
FUNCTIONS = {
    "exp": unary(torch.exp),
    "silu": unary(F.silu, lambda x, y, p: aten.silu.out(x, out=y)),
    "gelu": unary(lambda x: F.gelu(x, approximate="tanh"),
                  lambda x, y, p: aten.gelu.out(x, approximate="tanh", out=y)),
    "gelu_erf": unary(F.gelu, lambda x, y, p: aten.gelu.out(x, out=y)),
    # torch.relu is this clamp, but has no place for its result.
    "relu": unary(torch.relu, lambda x, y, p: torch.clamp(x, min=0, out=y)),
    "silu_mul": Function(lambda a, b, p, device: F.silu(a) * b, note="PyTorch's composed of 2 operations"),
    "gelu_mul": Function(lambda a, b, p, device: F.gelu(a, approximate="tanh") * b,
                         note="PyTorch's composed of 2 operations"),
    "tanh": unary(torch.tanh),
    "sigmoid": unary(torch.sigmoid),
    "erf": unary(torch.erf),
    "sin": unary(torch.sin),
    "log": unary(torch.log),
    "sqrt": unary(torch.sqrt),
    "add": binary(torch.add),
    "mul": binary(torch.mul),
    # One pass in PyTorch too: -1 + 2.5 x.
    "affine": Function(lambda x, p, device: torch.add(number(p("add")), x, alpha=p("mul")),
                       lambda x, y, p: torch.add(number(p("add")), x, alpha=p("mul"), out=y),
                       tensors_first("mul", "add")),
    "where": Function(where, lambda m, a, b, y, p: torch.where(m.view(torch.bool), a, b, out=y), name="where"),
    "cast": Function(lambda x, p, device: x.to(p.dtype()), lambda x, y, p: y.copy_(x),
                     lambda inputs, p: [*inputs, p.dtype()], name="to_dtype", result=lambda dtype, p: p.dtype()),
    "const_set": Function(lambda y, p, device: y.fill_(p("value")), lambda y, p: y.fill_(p("value")),
                          tensors_first("value"), in_place=True),
    "copy": Function(lambda x, p, device: x, lambda x, y, p: y.copy_(x)),
    "sum": reduction(torch.sum),
    "mean": reduction(torch.mean),
    "max": reduction(torch.amax),
    "argmax": Function(lambda x, p, device: torch.argmax(x, p("dim")),
                       lambda x, y, p: torch.argmax(x, p("dim"), out=y),
                       lambda inputs, p: [*inputs, p("dim")], result=lambda dtype, p: torch.int32,
                       theirs=torch.int64, problem=argmax_problem, note="indices u32, PyTorch's i64"),
    "max_with_index": Function(lambda x, p, device: torch.max(x, p("dim")),
                               lambda x, y, p: torch.max(x, p("dim"), out=y),
                               lambda inputs, p: [*inputs, p("dim")], with_indices=True,
                               note="indices u32, PyTorch's i64"),
    # Compared with sums in f64: PyTorch adds one term of a column after the other.
    "cumsum": Function(lambda x, p, device: torch.cumsum(x.double(), p("dim")),
                       lambda x, y, p: torch.cumsum(x, p("dim"), out=y),
                       lambda inputs, p: [*inputs, p("dim")]),
    "softmax": Function(lambda x, p, device: torch.softmax(x, -1),
                        lambda x, y, p: aten._softmax.out(x, -1, False, out=y)),
    "log_softmax": Function(lambda x, p, device: torch.log_softmax(x, -1),
                            lambda x, y, p: aten._log_softmax.out(x, -1, False, out=y)),
    "rms_norm": Function(lambda x, weight, p, device: rms_norm(x, weight, p("eps")),
                         passed=lambda inputs, p: [*inputs, p("eps")],
                         note="" if FUSED_RMS_NORM else "PyTorch's composed of 5 operations"),
    "add_rms_norm": Function(add_rms_norm, outs=("out_sum", "out_norm"), passed=lambda inputs, p: [*inputs, p("eps")],
                             note="PyTorch's composed of " + ("2" if FUSED_RMS_NORM else "6") + " operations"),
    "add_layer_norm": Function(add_layer_norm, outs=("out_sum", "out_norm"), passed=lambda inputs, p: [*inputs, p("eps")],
                               note="PyTorch's composed of 2 operations"),
    "cross_entropy": Function(lambda x, ids, p, device: F.cross_entropy(x, ids, reduction="none"),
                              outs=("out_loss", "out_log_sum_exp")),
    "layer_norm": Function(lambda x, weight, bias, p, device: F.layer_norm(x, x.shape[-1:], weight, bias, p("eps")),
                           passed=lambda inputs, p: [*inputs, p("eps")]),
    "rope": Function(lambda x, cos, sin, p, device: composed_rope(x, cos, sin),
                     note="PyTorch's composed of 7 operations"),
    "rope_qk": Function(lambda q, k, cos, sin, p, device: (composed_rope(q, cos, sin), composed_rope(k, cos, sin)),
                        outs=("out_q", "out_k"),
                        note="PyTorch's composed of 14 operations"),
    "index_select": Function(lambda x, ids, p, device: torch.index_select(x, p("dim"), ids),
                             lambda x, ids, y, p: torch.index_select(x, p("dim"), ids, out=y),
                             lambda inputs, p: [inputs[0], p("dim"), inputs[1]]),
    "gather": Function(lambda x, ids, p, device: torch.gather(x, p("dim"), ids),
                       lambda x, ids, y, p: torch.gather(x, p("dim"), ids, out=y),
                       lambda inputs, p: [inputs[0], p("dim"), inputs[1]]),
    "scatter_add_set": Function(lambda y, ids, source, p, device: y.scatter_add_(p("dim"), ids, source),
                                lambda y, ids, source, p: y.scatter_add_(p("dim"), ids, source),
                                lambda inputs, p: [inputs[0], p("dim"), *inputs[1:], False],
                                in_place=True, note=ANY_ORDER),
    "index_add": Function(lambda x, ids, source, p, device: torch.index_add(x, p("dim"), ids, source),
                          lambda x, ids, source, y, p: torch.index_add(x, p("dim"), ids, source, out=y),
                          lambda inputs, p: [inputs[0], p("dim"), *inputs[1:], False], note=ANY_ORDER),
    "max_pool2d": pool(F.max_pool2d),
    "avg_pool2d": pool(F.avg_pool2d),
    "upsample_nearest2d": upsample(mode="nearest"),
    "upsample_bilinear2d": upsample(mode="bilinear", align_corners=False),
    "rand_uniform": random("uniform", 0.5, 12**-0.5),
    "rand_normal": random("normal", 0.0, 1.0),
    "arg_sort": Function(lambda x, p, device: torch.argsort(x, -1), name="argsort", passed=lambda inputs, p: [*inputs, True],
                         result=lambda dtype, p: torch.int32, theirs=torch.int64, problem=sort_problem,
                         note="stable, indices u32; PyTorch's i64"),
    "top_k": Function(lambda x, p, device: torch.topk(x, *p("k"), p("dim")),
                      lambda x, y, p: torch.topk(x, *p("k"), p("dim"), out=y),
                      lambda inputs, p: [*inputs, *p("k"), p("dim")], with_indices=True,
                      note="ties by the lower place, indices u32; PyTorch's any, i64"),
    "matmul": Function(lambda a, b, p, device: torch.matmul(a, b), lambda a, b, y, p: torch.matmul(a, b, out=y)),
    "conv2d": convolution(F.conv2d),
    "conv_transpose2d": convolution(F.conv_transpose2d),
    "attention": Function(attend, passed=lambda inputs, p: [*inputs, 0.0, 0.0, bool(p("causal", False))],
                          note="scaled_dot_product_attention, before PyTorch 2.0 composed of 3 operations"),
}
