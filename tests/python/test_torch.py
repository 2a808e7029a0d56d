"""Operations that torch.compile keeps as they are; skipped before PyTorch 2.4."""

import pytest

torch = pytest.importorskip("torch", minversion="2.4")
import kernelgen.torch as kgt  # noqa: E402  after what it needs

X, Y = torch.linspace(-2, 2, 12).reshape(3, 4), torch.linspace(1, 3, 12).reshape(3, 4)
W = torch.linspace(0.5, 1.5, 4)


@pytest.mark.parametrize("operation, arguments, wanted", [
    (kgt.silu_mul, (X, Y), lambda: torch.nn.functional.silu(X) * Y),
    (kgt.gelu_mul, (X.T, Y[0, :3]), lambda: torch.nn.functional.gelu(X.T, approximate="tanh") * Y[0, :3]),
    (kgt.rms_norm, (X, W, 1e-5), lambda: X * torch.rsqrt(X.pow(2).mean(-1, keepdim=True) + 1e-5) * W),
    (kgt.rope, (X[None, None], Y[:, :2].cos().contiguous(), Y[:, :2].sin().contiguous()), lambda: torch.cat(
        (X[:, :2] * Y[:, :2].cos() - X[:, 2:] * Y[:, :2].sin(),
         X[:, :2] * Y[:, :2].sin() + X[:, 2:] * Y[:, :2].cos()), -1)[None, None]),
])
def test_each_is_a_good_custom_operation(operation, arguments, wanted):
    torch.testing.assert_close(operation(*arguments), wanted())
    torch.library.opcheck(operation, arguments, test_utils=("test_schema", "test_faketensor"))


def test_compiled_without_a_break():
    def block(x, y, w):
        total, norm = torch.ops.kernelgen.add_rms_norm(x, y, w, 1e-5)
        return torch.ops.kernelgen.silu_mul(norm * 2, total + 1)

    compiled = torch.compile(block, fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(compiled(X, Y, W), block(X, Y, W))


def test_errors_reach_the_caller():
    with pytest.raises(ValueError, match="rms_norm"):
        kgt.rms_norm(X, W[:2], 1e-5)
