"""What element types have in common; their names are in _dtypes.py."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from ._library import lib

if TYPE_CHECKING:
    from .dtype import DType, DTypeLike


class Element(enum.IntEnum):
    @classmethod
    def of(cls, given: DTypeLike) -> DType:
        """The DType for a DType, its name ("f32", "q4_K"), a dtype of NumPy, PyTorch or JAX (numpy.float32, torch.float32), or
        float, int, bool. Raises NotFound with the valid names."""
        from .dtype import dtype_of

        return dtype_of(given)

    @property
    def size(self) -> int:
        """Bytes of one element, or of one block if the dtype is quantized."""
        return int(lib.kernelgen_dtype_size(self))

    @property
    def block(self) -> int:
        """Elements of a block: 32 to 256 if the dtype is quantized, else 1."""
        return int(lib.kernelgen_dtype_block(self))

    @property
    def is_quantized(self) -> bool:
        return self.block > 1

    @property
    def is_float(self) -> bool:
        return not self.is_quantized and self.name[0] not in "iu"  # i32 and u8 are integers

    def __repr__(self) -> str:
        return f"kernelgen.{self.name}"

    def __str__(self) -> str:
        return self.name
