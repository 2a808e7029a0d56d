/// Memory, the pool, copies. Copies look up what they touch on the device as kernels do.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "amdgpu/hip/gpu.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

/// hipMemPoolAttr
constexpr int pool_reserved_now = 5, pool_reserved_most = 6, pool_used_now = 7, pool_used_most = 8;

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

/// The device memory with those bytes; where there is none, a report says where they are, and null.
Memory* device_memory(Gpu& gpu, const char* function, const void* memory, std::size_t bytes) {
  Gpu* const owner = owner_of(memory);
  Memory& known = (owner == nullptr ? gpu : *owner).simulator.memory();
  const auto address = reinterpret_cast<std::uint64_t>(memory);
  if (known.find(address, bytes).bytes != 0) return &known;
  std::fputs(fmt::format("{}: {}\n", function, known.describe(address, bytes)).c_str(), stderr);
  return nullptr;
}

/// hipMemcpyKind
enum Direction { host_to_host, to_device, to_host, on_device, by_addresses };

int copy(const char* function, int direction, void* to, const void* from, std::size_t bytes, void* stream) {
  return do_in(stream, function, [=](Gpu& gpu) {
    if (bytes == 0) return hipSuccess;
    const bool by_address = direction == by_addresses;
    const bool writes =
        direction == to_device || direction == on_device || (by_address && owner_of(to) != nullptr);
    const bool reads =
        direction == to_host || direction == on_device || (by_address && owner_of(from) != nullptr);
    Memory* const written = writes ? device_memory(gpu, function, to, bytes) : nullptr;
    const Memory* const read = reads ? device_memory(gpu, function, from, bytes) : nullptr;
    if ((writes && written == nullptr) || (reads && read == nullptr)) return hipErrorInvalidValue;
    std::memmove(to, from, bytes);
    if (written == nullptr) return hipSuccess;
    if (read == written)
      written->copy_initialized(to, from, bytes);
    else
      written->mark_initialized(to, bytes);
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

KERNELGEN_HIP int hipMemcpyHtoDAsync(void* to, const void* from, std::size_t bytes, void* stream) {
  return copy(__func__, to_device, to, from, bytes, stream);
}

KERNELGEN_HIP int hipMemcpyDtoHAsync(void* to, const void* from, std::size_t bytes, void* stream) {
  return copy(__func__, to_host, to, from, bytes, stream);
}

KERNELGEN_HIP int hipMemcpyDtoDAsync(void* to, const void* from, std::size_t bytes, void* stream) {
  return copy(__func__, on_device, to, from, bytes, stream);
}

KERNELGEN_HIP int hipMemcpyAsync(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  return copy(__func__, kind, to, from, bytes, stream);
}

KERNELGEN_HIP int hipMemcpy(void* to, const void* from, std::size_t bytes, int kind) {
  return copy(__func__, kind, to, from, bytes, nullptr);
}

KERNELGEN_HIP int hipMemsetD8Async(void* to, unsigned char value, std::size_t bytes, void* stream) {
  const char* const function = __func__;
  return do_in(stream, function, [=](Gpu& gpu) {
    if (bytes == 0) return hipSuccess;
    Memory* const written = device_memory(gpu, function, to, bytes);
    if (written == nullptr) return hipErrorInvalidValue;
    std::memset(to, value, bytes);
    written->mark_initialized(to, bytes);
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipMemsetAsync(void* to, int value, std::size_t bytes, void* stream) {
  return hipMemsetD8Async(to, static_cast<unsigned char>(value), bytes, stream);
}

KERNELGEN_HIP int hipMemset(void* to, int value, std::size_t bytes) {
  return hipMemsetAsync(to, value, bytes, nullptr);
}

}  // namespace kernelgen::amdgpu::hip
