"""Code objects of a program's own, and kernels launched by hand."""

from __future__ import annotations

from ctypes import byref, c_char_p, c_size_t
from typing import List, NamedTuple, Optional, Tuple

from . import _c
from ._convert import text
from ._handle import Handle
from ._library import lib
from .errors import Unsupported


class Module(Handle):
    """A code object of your own, of Device.load or Device.compile. It is unloaded with the last of it and of its functions; no launch may
    be pending then."""

    _release = lib.kernelgen_module_release
    _device: object = None  # kept alive

    @property
    def log(self) -> str:
        """The compiler's messages, such as warnings, about a module of Device.compile."""
        found = c_char_p()
        lib.kernelgen_module_log(self, byref(found))
        return (found.value or b"").decode("utf-8", "replace")

    def arguments(self, kernel: str) -> Optional[List[Tuple[int, int]]]:
        """Offset and size in bytes of each of the kernel's arguments, as the code says; None where nothing says it. Raises
        NotFound."""
        found, count = (_c.KernelArgument * 256)(), c_size_t()
        try:
            lib.kernelgen_module_arguments(self, text(kernel, "kernel"), len(found), found, byref(count))
        except Unsupported:
            return None
        return [(each.offset, each.size) for each in found[:count.value]]

    def function(self, kernel: str) -> Function:
        """Raises NotFound."""
        function = Function(self)
        lib.kernelgen_module_function(self, text(kernel, "kernel"), byref(function._as_parameter_))
        return function


class Function:
    """A kernel on one device, for Device.launch. It keeps what it is of alive."""

    def __init__(self, owner: object) -> None:
        self._as_parameter_ = _c.Function()
        self._owner = owner


class ModuleUse(NamedTuple):
    """Modules of a device: that are there now, and that were loaded since it was opened."""

    loaded: int
    loads: int
