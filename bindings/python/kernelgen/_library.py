"""Loads libkernelgen.so, declares its functions and raises their errors."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

from . import _c
from .errors import Error, error_of

NAME = "libkernelgen.so.0"


def find() -> str:
    """KERNELGEN_LIBRARY if it is set, else the library in this package, else the system's."""
    named = os.environ.get("KERNELGEN_LIBRARY")
    if named:
        return named
    beside = Path(__file__).with_name(NAME)
    return str(beside) if beside.is_file() else NAME


def load() -> ctypes.CDLL:
    """Raises ImportError with what was tried."""
    path = find()
    try:
        library = ctypes.CDLL(path)
    except OSError as problem:
        raise ImportError(f"kernelgen: cannot load {path}: {problem}; a wheel has the library inside, in a build tree "
                          "the environment variable KERNELGEN_LIBRARY names it (build/release/libkernelgen.so)") from problem
    for name, (result, parameters) in _c.FUNCTIONS.items():
        function = getattr(library, name, None)
        if function is None:
            raise ImportError(f"kernelgen: {path} has no {name}: it is another version than this package")
        function.restype, function.argtypes = result, parameters
        if result is ctypes.c_int:  # a status; others give texts, sizes, nothing
            function.errcheck = check
    return library


def check(status: int, function: Any, arguments: Any) -> None:
    if status != _c.OK:
        raise failure(status)


def failure(status: int) -> Error:
    """The error of this thread's last call, which returned `status`."""
    return error_of(status, lib.kernelgen_last_error().decode("utf-8", "replace"))


def load_unchecked() -> ctypes.CDLL:
    """The same functions for callers that check the status themselves: `raise failure(status)` if it is not 0. ctypes runs
    Python code for each declared parameter and for errcheck, a third of the time of a call with cold caches. Handles, None,
    numbers of 32 bits and objects of ctypes (c_int64, c_size_t, arrays) need no declaration; parameters of a function with
    others are declared."""
    library = ctypes.CDLL(find())
    plain = (ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p), ctypes.c_int, ctypes.c_int32, ctypes.c_int64, ctypes.c_size_t,
             ctypes.POINTER(ctypes.c_int64))
    for name, (result, parameters) in _c.FUNCTIONS.items():
        if result is ctypes.c_int and not all(each in plain for each in parameters):
            getattr(library, name).argtypes = parameters
    return library


# Any: the functions are declared at run time.
lib: Any = load()
unchecked: Any = load_unchecked()
