/// Memory and the pool.
#include <cstring>

#include "amdgpu/hip/gpu.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

/// hipMemPoolAttr
constexpr int pool_reserved_now = 5, pool_reserved_most = 6, pool_used_now = 7, pool_used_most = 8;

/// hipPointerAttribute_t
struct PointerAttributes {
  int type, device;
  const void *on_device, *on_host;
  int is_managed;
  unsigned flags;
};

int allocate(void** memory, std::size_t bytes) {
  *memory = nullptr;
  if (bytes == 0) return hipSuccess;
  return with_gpu([&](Gpu& gpu) {
    if (bytes > gpu.total_bytes || gpu.used_bytes > gpu.total_bytes - bytes) return hipErrorOutOfMemory;
    *memory = gpu.simulator.memory().allocate(bytes);
    gpu.used_bytes += bytes;
    return hipSuccess;
  });
}

int release(void* memory) {
  if (memory == nullptr) return hipSuccess;
  return with_gpu([&](Gpu&) {
    Gpu* const owner = owner_of(memory);
    if (owner == nullptr) return hipErrorInvalidValue;
    Memory& known = owner->simulator.memory();
    const std::uint64_t bytes = known.find(reinterpret_cast<std::uint64_t>(memory), 1).bytes;
    if (!known.free(memory)) return hipErrorInvalidValue;
    owner->used_bytes -= bytes;
    return hipSuccess;
  });
}

/// Memory that the host writes without a call.
int allocate_shared(void** memory, std::size_t bytes) {
  const int status = allocate(memory, bytes);
  if (status != hipSuccess || bytes == 0) return status;
  return with_gpu([&](Gpu& gpu) {
    gpu.simulator.memory().mark_initialized(*memory, bytes);
    return hipSuccess;
  });
}

}  // namespace

KERNELGEN_HIP int hipMalloc(void** memory, std::size_t bytes) { return allocate(memory, bytes); }
KERNELGEN_HIP int hipFree(void* memory) { return release(memory); }
KERNELGEN_HIP int hipMallocManaged(void** memory, std::size_t bytes, unsigned) {
  return allocate_shared(memory, bytes);
}
KERNELGEN_HIP int hipHostMalloc(void** memory, std::size_t bytes, unsigned) {
  return allocate_shared(memory, bytes);
}
KERNELGEN_HIP int hipHostFree(void* memory) { return release(memory); }
KERNELGEN_HIP int hipHostAlloc(void** memory, std::size_t bytes, unsigned) {
  return allocate_shared(memory, bytes);
}
KERNELGEN_HIP int hipMallocHost(void** memory, std::size_t bytes) { return allocate_shared(memory, bytes); }
KERNELGEN_HIP int hipFreeHost(void* memory) { return release(memory); }
KERNELGEN_HIP int hipExtMallocWithFlags(void** memory, std::size_t bytes, unsigned) {
  return allocate(memory, bytes);
}

KERNELGEN_HIP int hipMallocPitch(void** memory, std::size_t* pitch, std::size_t width, std::size_t height) {
  constexpr std::size_t unit = 256;
  *pitch = (width + unit - 1) / unit * unit;
  return allocate(memory, *pitch * height);
}

/// Device pointers are host pointers, so that registered memory stays where it is.
KERNELGEN_HIP int hipHostRegister(void* memory, std::size_t bytes, unsigned) {
  return with_gpu([&](Gpu& gpu) {
    if (memory == nullptr || bytes == 0) return hipErrorInvalidValue;
    gpu.simulator.memory().add(memory, bytes, "registered host memory");
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipHostUnregister(void* memory) {
  return with_gpu([&](Gpu&) {
    Gpu* const owner = owner_of(memory);
    if (owner == nullptr) return hipErrorInvalidValue;
    owner->simulator.memory().remove(memory);
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipHostGetDevicePointer(void** device, void* host, unsigned) {
  *device = host;
  return owner_of(host) == nullptr ? hipErrorInvalidValue : hipSuccess;
}

KERNELGEN_HIP int hipPointerGetAttributes(void* attributes, const void* memory) {
  Gpu* const owner = owner_of(memory);
  if (owner == nullptr) return hipErrorInvalidValue;
  constexpr int device_memory = 2;
  const PointerAttributes values{device_memory, ordinal_of(*owner), memory, memory, 0, 0};
  std::memcpy(attributes, &values, sizeof values);
  return hipSuccess;
}

/// Nothing moves: there is one memory.
KERNELGEN_HIP int hipMemAdvise(const void*, std::size_t, int, int) { return hipSuccess; }
KERNELGEN_HIP int hipMemPrefetchAsync(const void*, std::size_t, int, void*) { return hipSuccess; }

KERNELGEN_HIP int hipMallocAsync(void** memory, std::size_t bytes, void* stream) {
  const int status = refuse_in_capture(stream);
  return status == hipSuccess ? allocate(memory, bytes) : status;
}

KERNELGEN_HIP int hipFreeAsync(void* memory, void* stream) {
  const int status = refuse_in_capture(stream);
  return status == hipSuccess ? release(memory) : status;
}

KERNELGEN_HIP int hipDeviceGetDefaultMemPool(void** pool, int) {
  return with_gpu([&](Gpu& gpu) {
    *pool = &gpu;
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipMemPoolGetAttribute(void* pool, int attribute, void* value) {
  std::uint64_t bytes = 0;
  if (attribute >= pool_reserved_now && attribute <= pool_used_most)
    bytes = static_cast<Gpu*>(pool)->used_bytes;
  std::memcpy(value, &bytes, sizeof bytes);
  return hipSuccess;
}

KERNELGEN_HIP int hipMemPoolSetAttribute(void*, int, void*) { return hipSuccess; }
KERNELGEN_HIP int hipMemPoolSetAccess(void*, const void*, std::size_t) { return hipSuccess; }
KERNELGEN_HIP int hipMemPoolTrimTo(void*, std::size_t) { return hipSuccess; }

}  // namespace kernelgen::amdgpu::hip
