"""What the library reports, an exception a status code.

Each is an Error, and Python's own kind of error too where there is one, so that `except IndexError` serves as well. The
text is the library's: it names the thing, the place, what was wrong and what would work. Arguments that no C function
could be given (a word for a number, an integer beyond 64 bits) are TypeError, ValueError or OverflowError, as usual."""

from __future__ import annotations


class Error(Exception):
    """Anything that the library reports. `code` is its status, a constant of kernelgen.h."""

    code = -1


class InvalidArgument(Error, ValueError):
    """A value, shape, dtype or layout that the call does not take."""

    code = 1


class NotFound(Error, KeyError):
    """No such operation, kernel, file or device."""

    code = 2
    __str__ = Exception.__str__  # KeyError's shows the text in quotes


class Unsupported(Error, NotImplementedError):
    """Understood, but nothing here can do it: no driver, no code for the device."""

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
    """An index operand pointed outside its dimension; told by the next wait for the stream."""

    code = 7


class IoError(Error, OSError):
    """The operating system refused a file operation."""

    code = 8


class Internal(Error, RuntimeError):
    """A failure the library did not foresee: a bug in it."""

    code = 9


BY_CODE = {kind.code: kind for kind in (InvalidArgument, NotFound, Unsupported, OutOfMemory, DeviceError, BadPackage,
                                        IndexOutOfRange, IoError, Internal)}


def error_of(status: int, text: str) -> Error:
    """The exception for a status, with its text."""
    error = BY_CODE.get(status, Error)(text)
    error.code = status
    return error
