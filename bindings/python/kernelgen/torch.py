"""A few operations as PyTorch's own: `import kernelgen.torch` makes torch.ops.kernelgen.silu_mul and the others, which
torch.compile keeps in its graphs as they are. They run on the tensors' memory, on the CPU and on GPUs, in PyTorch's current
stream; none has a gradient. Raises ImportError before PyTorch 2.4, which has no torch.library.custom_op.

Every operation takes PyTorch's tensors without this module too: kernelgen.softmax(x), outside of compiled graphs."""

# mypy: disable-error-code="import-not-found,misc,no-untyped-def,untyped-decorator"
# PyTorch need not be installed, and its decorators have no types.

from __future__ import annotations

import contextlib
from typing import Any, Dict, Iterator

import torch

from . import operations

if not hasattr(torch.library, "custom_op"):
    raise ImportError(f"kernelgen.torch needs PyTorch 2.4 or later, this is {torch.__version__}")


@contextlib.contextmanager
def _in_order(tensor: torch.Tensor) -> Iterator[None]:
    """Orders the device's default queue after PyTorch's current stream, and that stream after it."""
    if tensor.device.type != "cuda":
        yield
        return
    current, default = torch.cuda.current_stream(tensor.device), torch.cuda.default_stream(tensor.device)
    if current != default:
        default.wait_stream(current)
    yield
    if current != default:
        current.wait_stream(default)


def _run(name: str, outs: Dict[str, torch.Tensor], *arguments: Any) -> None:
    with _in_order(next(iter(outs.values()))):
        getattr(operations, name)(*arguments, **outs)


@torch.library.custom_op("kernelgen::silu_mul", mutates_args=())
def silu_mul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """kernelgen.silu_mul."""
    out = a.new_empty(torch.broadcast_shapes(a.shape, b.shape))
    _run("silu_mul", {"out": out}, a, b)
    return out


@torch.library.custom_op("kernelgen::gelu_mul", mutates_args=())
def gelu_mul(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """kernelgen.gelu_mul."""
    out = a.new_empty(torch.broadcast_shapes(a.shape, b.shape))
    _run("gelu_mul", {"out": out}, a, b)
    return out


@silu_mul.register_fake
@gelu_mul.register_fake
def _(a, b):
    return a.new_empty(torch.broadcast_shapes(a.shape, b.shape))


@torch.library.custom_op("kernelgen::rms_norm", mutates_args=())
def rms_norm(x: torch.Tensor, weight: torch.Tensor, eps: float) -> torch.Tensor:
    """kernelgen.rms_norm."""
    out = x.new_empty(x.shape)
    _run("rms_norm", {"out": out}, x, weight, eps)
    return out


@rms_norm.register_fake
def _(x, weight, eps):
    return x.new_empty(x.shape)


@torch.library.custom_op("kernelgen::add_rms_norm", mutates_args=())
def add_rms_norm(x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor,
                 eps: float) -> tuple[torch.Tensor, torch.Tensor]:
    """kernelgen.add_rms_norm: the sum, and its norm."""
    total, norm = x.new_empty(x.shape), x.new_empty(x.shape)
    _run("add_rms_norm", {"out_sum": total, "out_norm": norm}, x, residual, weight, eps)
    return total, norm


@add_rms_norm.register_fake
def _(x, residual, weight, eps):
    return x.new_empty(x.shape), x.new_empty(x.shape)


@torch.library.custom_op("kernelgen::rope", mutates_args=())
def rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """kernelgen.rope."""
    out = x.new_empty(x.shape)
    _run("rope", {"out": out}, x, cos, sin)
    return out


@rope.register_fake
def _(x, cos, sin):
    return x.new_empty(x.shape)


__all__ = ["add_rms_norm", "gelu_mul", "rms_norm", "rope", "silu_mul"]
