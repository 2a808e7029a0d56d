"""kernel-gen's C interface (kernelgen/kernelgen.h) through ctypes, on the memory of PyTorch's tensors."""

import ctypes
from ctypes import c_char_p, c_double, c_int, c_int32, c_int64, c_size_t, c_void_p

import torch
from torch.utils.dlpack import to_dlpack

DTYPES = {
    torch.uint8: 0,
    torch.int16: 2,
    torch.int32: 3,
    torch.int64: 4,
    torch.bfloat16: 5,
    torch.float16: 6,
    torch.float32: 7,
    torch.float64: 8,
}
U32 = 1
DEVICE = object()  # as an argument: the opened device

# Kept here, as the capsules only borrow the text.
CAPSULE, USED_CAPSULE = b"dltensor", b"used_dltensor"

ctypes.pythonapi.PyCapsule_GetPointer.restype = c_void_p
ctypes.pythonapi.PyCapsule_GetPointer.argtypes = [ctypes.py_object, c_char_p]
ctypes.pythonapi.PyCapsule_SetName.argtypes = [ctypes.py_object, c_char_p]


class Scalar(ctypes.Structure):
    _fields_ = [("is_integer", c_int), ("real", c_double), ("integer", c_int64)]


def real(value):
    return Scalar(0, value, 0)


class Size2(ctypes.Structure):
    _fields_ = [("height", c_int64), ("width", c_int64)]


class Window2(ctypes.Structure):
    _fields_ = [
        ("stride", Size2),
        ("padding", Size2),
        ("dilation", Size2),
        ("output_padding", Size2),
        ("groups", c_int64),
    ]


class AttentionOptions(ctypes.Structure):
    _fields_ = [
        ("size", c_size_t),
        ("scale", c_double),
        ("soft_cap", c_double),
        ("causal", c_int),
        ("before", c_int64),
        ("after", c_int64),
        *((name, c_void_p) for name in ("mask", "slopes", "sinks", "query_lengths", "key_lengths", "pages",
                                        "log_sum_exp")),
    ]

    @classmethod
    def of(cls, causal):
        """Options that leave out all but this."""
        return cls(size=ctypes.sizeof(cls), causal=int(causal), before=-1, after=-1)


class Unsigned:
    """An int32 tensor that kernel-gen sees as u32; PyTorch has no such dtype before 2.3."""

    def __init__(self, tensor):
        assert tensor.dtype == torch.int32 and tensor.is_contiguous()
        self.tensor = tensor


class KernelGenError(RuntimeError):
    pass


class Handle:
    """A kernelgen_tensor over a torch.Tensor's memory, which it keeps alive."""

    def __init__(self, library, pointer, tensor):
        self._as_parameter_ = pointer  # what ctypes passes
        self._library = library
        self._tensor = tensor

    def __del__(self):
        self._library.kernelgen_tensor_release(self)


class KernelGen:
    """An opened device of a kernel-gen library. `package` None is the one inside the library.

    Raises OSError where the library cannot be loaded, KernelGenError for whatever the library reports.
    """

    def __init__(self, library, device, package=None):
        self._library = ctypes.CDLL(library)
        self._library.kernelgen_last_error.restype = c_char_p
        self._library.kernelgen_version.restype = c_char_p
        self.version = self._library.kernelgen_version().decode()
        opened = c_void_p()
        if package is not None:
            self._call("package_open", package.encode(), ctypes.byref(opened))
        package_handle = c_void_p(opened.value)
        self.device = c_void_p()
        self._call("device_open", device.encode(), package_handle, ctypes.byref(self.device))
        self._library.kernelgen_package_release(package_handle)

    def synchronize(self):
        """Waits for the device; raises what it reported, bad indices too."""
        self._call("device_synchronize", self.device)

    def operation(self, name, *arguments, out=None):
        """A function of no arguments that runs kernelgen_<name> on the default stream.

        Tensors are shared. Numbers become what C expects: bool int, int int64_t or size_t, float double, a
        list a pointer to int64_t; DEVICE becomes this device. Without `out` the operation writes in place; an
        operation of several results takes a list of them, None for one that is not wanted.
        """
        function = getattr(self._library, "kernelgen_" + name)
        passed = [self._convert(argument) for argument in arguments]
        outs = [] if out is None else out if isinstance(out, list) else [out]
        passed += [self._convert(each) for each in outs] + [c_void_p(None)] * (1 + len(outs))

        def run():
            if function(*passed) != 0:
                raise KernelGenError(self._last_error())

        return run

    def _convert(self, argument):
        if argument is DEVICE:
            return self.device
        if isinstance(argument, torch.Tensor):
            return self._share(argument)
        if isinstance(argument, Unsigned):
            return self._borrow(argument.tensor, U32)
        if isinstance(argument, torch.dtype):
            return c_int32(DTYPES[argument])
        if isinstance(argument, bool):
            return c_int(argument)
        if isinstance(argument, int):
            return c_int64(argument)
        if isinstance(argument, float):
            return c_double(argument)
        if isinstance(argument, (list, tuple, torch.Size)):
            return (c_int64 * len(argument))(*argument)
        if isinstance(argument, AttentionOptions):
            return ctypes.pointer(argument)  # which C takes by its address
        return c_void_p(None) if argument is None else argument

    def _share(self, tensor):
        capsule = to_dlpack(tensor)
        managed = ctypes.pythonapi.PyCapsule_GetPointer(capsule, CAPSULE)
        handle = c_void_p()
        self._call("tensor_from_dlpack", c_void_p(managed), self.device, ctypes.byref(handle))
        # Under this name the capsule leaves the tensor to its new owner.
        ctypes.pythonapi.PyCapsule_SetName(capsule, USED_CAPSULE)
        return Handle(self._library, handle, tensor)

    def _borrow(self, tensor, dtype):
        handle = c_void_p()
        self._call(
            "tensor_borrow", self.device, c_void_p(tensor.data_ptr()),
            c_size_t(tensor.numel() * tensor.element_size()), c_int32(dtype), c_size_t(tensor.dim()),
            self._convert(tensor.shape), c_void_p(None), c_void_p(None), ctypes.byref(handle))
        return Handle(self._library, handle, tensor)

    def _call(self, name, *arguments):
        if getattr(self._library, "kernelgen_" + name)(*arguments) != 0:
            raise KernelGenError(self._last_error())

    def _last_error(self):
        return self._library.kernelgen_last_error().decode()
