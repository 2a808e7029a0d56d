"""The base class of the library's handles."""

from __future__ import annotations

import os
from ctypes import byref, c_void_p
from typing import Any, NoReturn, Type, TypeVar

H = TypeVar("H", bound="Handle")


class Handle:
    """Owns one handle of C and releases it with the object: at any time, by any thread, in any order, as handles keep what
    they need alive. `_as_parameter_` is what ctypes passes."""

    _release: Any = None  # the C function, of each class

    def __init__(self) -> None:
        self._as_parameter_ = c_void_p()

    @classmethod
    def _made(cls: Type[H], function: Any, *arguments: Any) -> H:
        """The handle that `function(*arguments, &handle)` gives."""
        made = cls.__new__(cls)
        Handle.__init__(made)
        function(*arguments, byref(made._as_parameter_))
        return made

    def __del__(self) -> None:
        handle = self.__dict__.pop("_as_parameter_", None)
        if handle:
            type(self)._release(handle)

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be pickled: it is a handle in process {os.getpid()}")
