"""+ - * / @ and comparisons of tensors: the operations of those names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Dict, Tuple

if TYPE_CHECKING:
    from .tensor import Tensor


def _binary(name: str, reflected: bool = False) -> Callable[[Any, Any], Tensor]:
    def operator(self: Any, other: Any) -> Any:
        from . import operations
        from ._operands import is_operand

        if not is_operand(other):
            return NotImplemented
        function = getattr(operations, name)
        return function(other, self) if reflected else function(self, other)

    return operator


def _unary(name: str) -> Callable[[Any], Tensor]:
    def operator(self: Any) -> Any:
        from . import operations

        return getattr(operations, name)(self)

    return operator


class Operators:
    """A mixin: each gives a new tensor; with a number, of the tensor's dtype. Comparisons give u8, 1 where they hold."""

    __add__, __radd__ = _binary("add"), _binary("add", reflected=True)
    __sub__, __rsub__ = _binary("sub"), _binary("sub", reflected=True)
    __mul__, __rmul__ = _binary("mul"), _binary("mul", reflected=True)
    __truediv__, __rtruediv__ = _binary("div"), _binary("div", reflected=True)
    __matmul__, __rmatmul__ = _binary("matmul"), _binary("matmul", reflected=True)
    def __pow__(self, exponent: Any) -> Tensor:
        return _power(self, exponent)  # type: ignore[no-any-return]

    __eq__, __ne__ = _binary("eq"), _binary("ne")  # type: ignore[assignment]
    __lt__, __le__, __gt__, __ge__ = _binary("lt"), _binary("le"), _binary("gt"), _binary("ge")
    __neg__, __abs__ = _unary("neg"), _unary("abs")
    __hash__ = object.__hash__  # by identity, as == compares elements


# NumPy's functions that are operations here, by their names.
UFUNCS = {name: name for name in (
    "abs add ceil cos divide equal exp floor greater greater_equal less less_equal log matmul maximum minimum multiply "
    "negative not_equal reciprocal sign sin sqrt square subtract tanh").split()}
UFUNCS.update(absolute="abs", power="pow", true_divide="divide")


def call_ufunc(ufunc: Any, method: str, inputs: Tuple[Any, ...], keywords: Dict[str, Any]) -> Any:
    """The operation for a function of NumPy."""
    from . import operations
    from ._operands import is_operand

    if not all(map(is_operand, inputs)):
        return NotImplemented
    called = f"numpy.{ufunc.__name__}" + ("" if method == "__call__" else f".{method}")
    name = UFUNCS.get(ufunc.__name__) if method == "__call__" else None
    if name is None:
        raise TypeError(f"{called} of a Tensor: no operation does this; use {called}(numpy.asarray(x)), on the CPU")
    (out,) = keywords.pop("out", (None,))
    if keywords:
        raise TypeError(f"{called} of a Tensor takes no keyword but out, not {', '.join(keywords)}")
    return getattr(operations, name)(*inputs, out=out)


def _power(x: Any, exponent: Any) -> Any:
    from . import operations
    from ._convert import is_number

    return operations.pow(x, exponent) if is_number(exponent) else NotImplemented
