"""kernel-gen's operations on GPUs and the CPU, for arrays of NumPy, PyTorch, CuPy and JAX.

    import kernelgen as kg

    x = kg.tensor([[1.0, 2.0], [3.0, 4.0]])     # or any array: nothing is copied
    y = kg.silu(x @ x.T + 1)

Arrays are used without a copy. Results are Tensors, which other libraries use without a copy (numpy.from_dlpack(y)).
The package loads libkernelgen.so: the one in the wheel, or the one that the environment variable KERNELGEN_LIBRARY names."""

from . import errors, operations
from ._library import lib as _lib
from .communicator import Communicator, group
from .device import Device, MemoryUse, device_names
from ._dtypes import *  # noqa: F401,F403  DType and its members, kernelgen.f32, …, kernelgen.q4_K
from ._dtypes import DType
from .errors import (BadPackage, DeviceError, Error, IndexOutOfRange, Internal, InvalidArgument, IoError, NotFound,
                     OutOfMemory, Unsupported)
from ._call_all import call_all
from ._expression import expression
from ._operation import Operation, operation
from .gguf import Gguf, GgufTensor
from .graph import Graph, GraphUpdate
from .kernels import Kernels, LoadedKernel, load
from .launch import LaunchInfo
from .module import Function, Module, ModuleUse
from .operations import *  # noqa: F401,F403  an operation each, under C's names
from .package import Package
from .stream import Event, Stream
from .tensor import Tensor, empty, from_address, from_buffer, from_bytes, from_dlpack, full, tensor, zeros
from .transfer import PinnedMemory

__version__ = _lib.kernelgen_version().decode()

__all__ = ["BadPackage", "Communicator", "DType", "Device", "DeviceError", "Error", "Event", "Function", "Gguf", "GgufTensor",
           "Graph", "GraphUpdate", "IndexOutOfRange", "Internal", "InvalidArgument", "IoError", "Kernels", "LaunchInfo",
           "LoadedKernel", "MemoryUse", "Module", "ModuleUse", "NotFound", "OutOfMemory", "Package",
           "PinnedMemory", "Stream", "Tensor", "Operation", "Unsupported", "call_all", "device_names", "empty", "errors", "expression", "from_address", "from_buffer", "from_bytes",
           "from_dlpack", "full", "group", "load", "operation", "operations", "tensor", "zeros", *operations.__all__, *DType.__members__]
