"""Packages: their kernels and targets."""

from __future__ import annotations

import ctypes
import json
import os
from ctypes import POINTER, byref, c_char_p, c_size_t, c_uint32, c_void_p
from dataclasses import dataclass
from typing import Any, Dict, List, Tuple, Union

from . import _c, _display
from ._convert import text, unsigned
from ._handle import Handle
from ._library import lib

KINDS = ("cpu", "hip", "cuda")
OPERATION_KINDS = ("other", "map", "reduce", "row", "body", "matmul")


@dataclass(frozen=True)
class Target:
    """What code is compiled for: "gfx90a", "gfx11-generic", "cpu-x86-64-v3", "sm_90"."""

    id: int
    name: str
    kind: str  # "cpu", "hip" or "cuda"
    wave_size: int  # threads in a wave; 1 for the CPU
    code_object_version: int  # 0 for targets other than AMD GPUs


@dataclass(frozen=True)
class Argument:
    """An argument of a kernel. Offset and size are bytes in the argument block."""

    name: str
    type: str  # as the manifest spells it: "const f32*", "u64", "Strided<2>"
    offset: int
    size: int
    is_pointer: bool
    is_written: bool  # the kernel writes through the pointer


@dataclass(frozen=True)
class Kernel:
    id: int
    name: str
    module: str
    arguments: Tuple[Argument, ...]
    kernarg_bytes: int  # end of the last argument
    block: int  # maximum number of threads of a block


@dataclass(frozen=True)
class Module:
    id: int
    name: str
    kernels: range  # ids


@dataclass(frozen=True)
class Operation:
    """An operation and its kernels: one for each combination of type variables and form."""

    id: int
    name: str
    kind: str  # how it is called by name: "map", "row", "matmul" and "body" by kernelgen.call, "reduce" by kernelgen.reduce, "other" not
    inputs: Tuple[str, ...]
    scalars: Tuple[str, ...]
    variables: Tuple[str, ...]
    forms: Tuple[str, ...]
    kernels: Tuple[int, ...]  # ids


@dataclass(frozen=True)
class Resources:
    """What a code object records of a kernel; all zeros for CPU targets. vgprs and agprs are per thread, sgprs per wave,
    lds_bytes per block, scratch_bytes per thread."""

    vgprs: int
    agprs: int
    sgprs: int
    vgpr_spills: int
    sgpr_spills: int
    wave_size: int
    lds_bytes: int
    scratch_bytes: int
    kernarg_bytes: int
    max_block: int


class Package(Handle):
    """The kernels of a build. Package("x.kgpkg") reads a file; Package() is the one embedded in the library, or the file
    that the environment variable KERNELGEN_PACKAGE names. Device(name, package) executes it.

    Raises IoError, BadPackage; NotFound if the library has no package."""

    _release = lib.kernelgen_package_release

    def __init__(self, file: Union[None, str, bytes, os.PathLike[str]] = None) -> None:
        super().__init__()
        if file is None:
            lib.kernelgen_package_embedded(byref(self._as_parameter_))
        else:
            lib.kernelgen_package_open(text(file, "file"), byref(self._as_parameter_))

    @classmethod
    def from_bytes(cls, data: bytes) -> Package:
        """Reads a package from bytes, which are copied and kept until the process ends. Raises BadPackage."""
        page = 4096
        memory = ctypes.create_string_buffer(len(data) + page)  # blobs are aligned to pages
        start = -ctypes.addressof(memory) % page
        ctypes.memmove(ctypes.addressof(memory) + start, bytes(data), len(data))
        made = cls._made(lib.kernelgen_package_from_memory, ctypes.addressof(memory) + start, len(data))
        _kept_memory.append(memory)  # devices may use it longer than this handle lives
        return made

    def _records(self, function: Any, record: Any, *indices: int) -> Any:
        found: Any = POINTER(record)()
        count = c_size_t()
        function(self, *indices, byref(found), byref(count))
        return found[:count.value]

    def _text(self, offset: int) -> str:
        found = c_char_p()
        lib.kernelgen_package_text(self, offset, byref(found))
        return (found.value or b"").decode("utf-8", "replace")

    def _bytes(self, function: Any, *indices: int) -> bytes:
        found, size = c_void_p(), c_size_t()
        function(self, *indices, byref(found), byref(size))
        return ctypes.string_at(found, size.value) if size.value else b""

    @property
    def targets(self) -> List[Target]:
        return [Target(i, self._text(each.name), KINDS[each.kind], each.wave_size, each.code_object_version)
                for i, each in enumerate(self._records(lib.kernelgen_package_targets, _c.TargetRecord))]

    @property
    def modules(self) -> List[Module]:
        return [Module(i, self._text(each.name), range(each.first_kernel, each.first_kernel + each.kernel_count))
                for i, each in enumerate(self._records(lib.kernelgen_package_modules, _c.ModuleRecord))]

    def arguments(self, kernel: Union[int, str]) -> Tuple[Argument, ...]:
        """The arguments of the kernel with that id or name, in order. Raises NotFound, InvalidArgument."""
        records = self._records(lib.kernelgen_package_arguments, _c.ArgumentRecord, self._kernel(kernel))
        return tuple(Argument(self._text(each.name), self._text(each.type), each.offset, each.size,
                              bool(each.is_pointer), bool(each.is_written)) for each in records)

    @property
    def kernels(self) -> List[Kernel]:
        """All kernels, ordered by id."""
        modules = [module.name for module in self.modules]
        return [Kernel(i, self._text(each.name), modules[each.module], self.arguments(i), each.kernarg_bytes, each.block)
                for i, each in enumerate(self._records(lib.kernelgen_package_kernels, _c.KernelRecord))]

    @property
    def operations(self) -> List[Operation]:
        found = []
        for i, each in enumerate(self._records(lib.kernelgen_package_operations, _c.OperationRecord)):
            operands = [self._text(operand.name) for operand in
                        self._records(lib.kernelgen_package_operands, _c.OperandRecord, i)]
            variables = self._records(lib.kernelgen_package_variables, _c.VariableRecord, i)
            forms = self._records(lib.kernelgen_package_forms, c_uint32, i)
            kernels = self._records(lib.kernelgen_package_variants, c_uint32, i)
            found.append(Operation(
                i, self._text(each.name), OPERATION_KINDS[each.kind], tuple(operands[:each.input_count]),
                tuple(operands[len(operands) - each.scalar_count:]),
                tuple(self._text(variable.name) for variable in variables), tuple(map(self._text, forms)),
                tuple(kernel for kernel in kernels if kernel != _c.NO_KERNEL)))
        return found

    @property
    def provenance(self) -> Dict[str, Any]:
        """The inputs and tools of the build."""
        found, size = c_char_p(), c_size_t()
        lib.kernelgen_package_provenance(self, byref(found), byref(size))
        read: Dict[str, Any] = json.loads(ctypes.string_at(found, size.value))
        return read

    def resources(self, target: Union[int, str], kernel: Union[int, str]) -> Resources:
        """The resources of a kernel on a target, each given by id or name. Raises NotFound, InvalidArgument."""
        found = POINTER(_c.ResourceRecord)()
        lib.kernelgen_package_resources(self, self._target(target), self._kernel(kernel), byref(found))
        return Resources(**{field[0]: getattr(found[0], field[0]) for field in _c.ResourceRecord._fields_})

    def code(self, target: Union[int, str], module: Union[int, str]) -> bytes:
        """A module's code object for a target, each given by id or name; empty if the package has none. Raises NotFound,
        InvalidArgument."""
        if isinstance(module, str):
            named = [each.id for each in self.modules if each.name == module]
            if not named:
                raise KeyError(f"no module {module!r}; there are {', '.join(each.name for each in self.modules)}")
            module = named[0]
        return self._bytes(lib.kernelgen_package_code, self._target(target), unsigned(module, "module"))

    @property
    def nbytes(self) -> int:
        """Size of the package as a file, in bytes."""
        found, size = c_void_p(), c_size_t()
        lib.kernelgen_package_bytes(self, byref(found), byref(size))
        return size.value

    def tobytes(self) -> bytes:
        """The package as the bytes of a file."""
        return self._bytes(lib.kernelgen_package_bytes)

    def verify(self) -> None:
        """Compares the hash of every code object with the recorded one. Raises BadPackage if one differs."""
        lib.kernelgen_package_verify(self)

    def _find(self, function: Any, name: str) -> int:
        found = c_uint32()
        function(self, text(name, "name"), byref(found))
        return found.value

    def find_kernel(self, name: str) -> int:
        """The id of the kernel with that name. Raises NotFound."""
        return self._find(lib.kernelgen_package_find_kernel, name)

    def find_target(self, name: str) -> int:
        """The id of the target with that name. Raises NotFound."""
        return self._find(lib.kernelgen_package_find_target, name)

    def find_operation(self, name: str) -> int:
        """The id of the operation with that name. Raises NotFound."""
        return self._find(lib.kernelgen_package_find_operation, name)

    def _kernel(self, kernel: Union[int, str]) -> int:
        return self.find_kernel(kernel) if isinstance(kernel, str) else unsigned(kernel, "kernel")

    def _target(self, target: Union[int, str]) -> int:
        return self.find_target(target) if isinstance(target, str) else unsigned(target, "target")

    def _summary(self) -> str:
        counts = (f"{len(self._records(lib.kernelgen_package_kernels, _c.KernelRecord))} kernels",
                  f"{len(self._records(lib.kernelgen_package_operations, _c.OperationRecord))} operations",
                  f"{self.nbytes} bytes")
        return f"{', '.join(counts)}, for {', '.join(target.name for target in self.targets)}"

    def __repr__(self) -> str:
        return f"<kernelgen.Package: {self._summary()}>"

    def _repr_html_(self) -> str:
        rows = [(operation.name, ", ".join(operation.inputs), ", ".join(operation.scalars), len(operation.kernels))
                for operation in self.operations]
        return f"<code>Package: {self._summary()}</code>" + _display.table(
            ["operation", "inputs", "scalars", "kernels"], rows)


_kept_memory: List[object] = []
