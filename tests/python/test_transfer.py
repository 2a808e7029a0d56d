"""Pinned memory, copies between devices, allocators."""

import ctypes
import os
import subprocess
import sys

import numpy as np
import pytest

import kernelgen as kg


def test_pinned_memory_is_copied_both_ways():
    device = kg.Device("cpu:2")
    pinned = kg.PinnedMemory(device, 32)
    values = np.frombuffer(pinned.memory, np.float32)
    values[:] = range(8)
    x = kg.empty((2, 2), device=device)
    pinned.upload(x, 16)
    assert x.tolist() == [[4, 5], [6, 7]]
    pinned.download(x.T)
    assert values[:4].tolist() == [4, 6, 5, 7]
    with pytest.raises(kg.InvalidArgument, match="takes 16 bytes; the memory has 12 from byte 20 on"):
        pinned.upload(x, 20)
    del pinned  # the view keeps it
    assert values[0] == 4
    assert len(kg.PinnedMemory(device, 0).memory) == 0


def test_tensors_go_from_device_to_device():
    program = ("import kernelgen as kg; assert kg.Device.count('cpu') == 2; x = kg.tensor([1.0, 2.0]).to('cpu.1');"
               "assert x.device.location == 'cpu.1' and (x + x).tolist() == [2, 4] and x.to('cpu.1') is x")
    subprocess.run([sys.executable, "-B", "-c", program], check=True, env={**os.environ, "KERNELGEN_CPU_DEVICES": "2"})


def test_memory_comes_from_an_allocator():
    device, taken, libc = kg.Device("cpu:3"), {}, ctypes.CDLL(None)
    libc.aligned_alloc.restype, libc.aligned_alloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t] * 2
    libc.free.argtypes = [ctypes.c_void_p]

    def allocate(nbytes, stream):
        assert stream is None
        address = libc.aligned_alloc(64, (nbytes + 63) // 64 * 64)
        taken[address] = nbytes
        return address

    def free(address, nbytes, stream):
        assert taken.pop(address) == nbytes
        libc.free(address)

    device.set_allocator(allocate, free)
    x = kg.zeros((100,), "u8", device)
    assert list(taken.values()) == [100]
    device.set_allocator()
    kg.zeros((100,), "u8", device)
    assert list(taken.values()) == [100]
    del x
    assert not taken
    device.set_allocator(lambda nbytes, stream: None, free)
    with pytest.raises(kg.OutOfMemory, match="the program's own allocator has no memory"):
        kg.zeros((100,), "u8", device)
    device.set_allocator()
    with pytest.raises(kg.InvalidArgument, match="only one of the functions"):
        device.set_allocator(allocate)
