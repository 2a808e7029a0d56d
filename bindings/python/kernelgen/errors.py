"""The library's errors, one exception for each status code.

Each is an Error, and also Python's corresponding exception if there is one, so that `except IndexError` works. The text is
the library's. Arguments that cannot be passed to C (a string for a number, an integer beyond 64 bits) raise TypeError,
ValueError or OverflowError."""

from __future__ import annotations


class Error(Exception):
    """Anything that the library reports. `code` is its status, a constant of kernelgen.h."""

    code = -1


class InvalidArgument(Error, ValueError):
    """A value, shape, dtype or layout that the call does not accept."""

    code = 1


class NotFound(Error, KeyError):
    """No such operation, kernel, file or device."""

    code = 2
    __str__ = Exception.__str__  # KeyError's shows the text in quotes


class Unsupported(Error, NotImplementedError):
    """Valid, but not possible here: no driver, no code for the device."""

    code = 3


class OutOfMemory(Error, MemoryError):
    """The device or the host refused an allocation."""

    code = 4


class DeviceError(Error, RuntimeError):
    """The driver reported an error."""

    code = 5


class BadPackage(Error, ValueError):
    """A package, code object or file that is damaged or of another version."""

    code = 6


class IndexOutOfRange(Error, IndexError):
    """An index operand was outside its dim; raised by the next wait for the stream."""

    code = 7


class IoError(Error, OSError):
    """The operating system refused a file operation."""

    code = 8


class Internal(Error, RuntimeError):
    """An unexpected failure: a bug in the library."""

    code = 9


BY_CODE = {kind.code: kind for kind in (InvalidArgument, NotFound, Unsupported, OutOfMemory, DeviceError, BadPackage,
                                        IndexOutOfRange, IoError, Internal)}


def error_of(status: int, text: str) -> Error:
    """The exception for a status, with its text."""
    error = BY_CODE.get(status, Error)(text)
    error.code = status
    return error
