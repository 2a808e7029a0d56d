"""+ - * / @ and comparisons of tensors: the operations of those names."""

from __future__ import annotations


def _binary(name, turned=False):
    def operator(self, other):
        from . import operations
        from ._operands import is_operand

        if not is_operand(other):
            return NotImplemented
        function = getattr(operations, name)
        return function(other, self) if turned else function(self, other)

    return operator


def _unary(name):
    def operator(self):
        from . import operations

        return getattr(operations, name)(self)

    return operator


class Operators:
    """A mixin: each gives a new tensor; with a number, of the tensor's dtype. Comparisons give u8, 1 where they hold."""

    __add__, __radd__ = _binary("add"), _binary("add", turned=True)
    __sub__, __rsub__ = _binary("sub"), _binary("sub", turned=True)
    __mul__, __rmul__ = _binary("mul"), _binary("mul", turned=True)
    __truediv__, __rtruediv__ = _binary("div"), _binary("div", turned=True)
    __matmul__, __rmatmul__ = _binary("matmul"), _binary("matmul", turned=True)
    __pow__ = lambda self, exponent: _power(self, exponent)  # noqa: E731
    __eq__, __ne__ = _binary("eq"), _binary("ne")
    __lt__, __le__, __gt__, __ge__ = _binary("lt"), _binary("le"), _binary("gt"), _binary("ge")
    __neg__, __abs__ = _unary("neg"), _unary("abs")
    __hash__ = object.__hash__  # by identity, as == compares elements


def _power(x, exponent):
    from . import operations
    from ._convert import is_number

    return operations.powf(x, exponent) if is_number(exponent) else NotImplemented
