"""Code objects loaded by the program, and their kernels."""

from __future__ import annotations

from ctypes import byref, c_char_p, c_size_t
from typing import List, NamedTuple, Optional, Tuple

from . import _c
from ._convert import text
from ._handle import Handle
from ._library import lib
from .errors import Unsupported


class Module(Handle):
    """A code object loaded by Device.load or Device.compile. It is unloaded when it and its functions are released; no launch may be
    pending then."""

    _release = lib.kernelgen_module_release
    _device: object = None  # kept alive

    @property
    def log(self) -> str:
        """The compiler's messages, such as warnings, about a module of Device.compile."""
        found = c_char_p()
        lib.kernelgen_module_log(self, byref(found))
        return (found.value or b"").decode("utf-8", "replace")

    def arguments(self, kernel: str) -> Optional[List[Tuple[int, int]]]:
        """Offset and size in bytes of each of the kernel's arguments, as recorded in the code; None if it records none.
        Raises NotFound."""
        found, count = (_c.KernelArgument * 256)(), c_size_t()
        try:
            lib.kernelgen_module_arguments(self, text(kernel, "kernel"), len(found), found, byref(count))
        except Unsupported:
            return None
        return [(each.offset, each.size) for each in found[:count.value]]

    def function(self, kernel: str) -> Function:
        """The kernel of that name. Raises NotFound."""
        function = Function(self)
        lib.kernelgen_module_function(self, text(kernel, "kernel"), byref(function._as_parameter_))
        return function


class Function:
    """A kernel on one device, for Device.launch. It keeps its device or module alive."""

    def __init__(self, owner: object) -> None:
        self._as_parameter_ = _c.Function()
        self._owner = owner


class ModuleUse(NamedTuple):
    """Number of a device's modules that are loaded now, and of loads since it was opened."""

    loaded: int
    loads: int
