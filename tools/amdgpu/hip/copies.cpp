/// Copies and fills. They look up what they touch on the device as kernels do.
#include <fmt/format.h>

#include <cstdio>
#include <cstring>

#include "amdgpu/hip/gpu.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

/// The device memory with those bytes; otherwise null, after a report that says where they are.
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

/// Rows of `width` bytes, that begin each so many bytes after the one before.
int copy_rows(const char* function, int direction, void* to, std::size_t to_pitch, const void* from,
              std::size_t from_pitch, std::size_t width, std::size_t height, void* stream) {
  if (width > to_pitch || width > from_pitch) return hipErrorInvalidValue;
  for (std::size_t row = 0; row < height; ++row)
    if (const int status = copy(function, direction, static_cast<std::byte*>(to) + row * to_pitch,
                                static_cast<const std::byte*>(from) + row * from_pitch, width, stream);
        status != hipSuccess)
      return status;
  return hipSuccess;
}

}  // namespace

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

KERNELGEN_HIP int hipMemcpyHtoD(void* to, const void* from, std::size_t bytes) {
  return copy(__func__, to_device, to, from, bytes, nullptr);
}

KERNELGEN_HIP int hipMemcpyDtoH(void* to, const void* from, std::size_t bytes) {
  return copy(__func__, to_host, to, from, bytes, nullptr);
}

KERNELGEN_HIP int hipMemcpyDtoD(void* to, const void* from, std::size_t bytes) {
  return copy(__func__, on_device, to, from, bytes, nullptr);
}

KERNELGEN_HIP int hipMemcpyWithStream(void* to, const void* from, std::size_t bytes, int kind, void* stream) {
  return copy(__func__, kind, to, from, bytes, stream);
}

KERNELGEN_HIP int hipMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, void* stream) {
  return copy(__func__, on_device, to, from, bytes, stream);
}

KERNELGEN_HIP int hipMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy(__func__, on_device, to, from, bytes, nullptr);
}

KERNELGEN_HIP int hipMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                   std::size_t width, std::size_t height, int kind, void* stream) {
  return copy_rows(__func__, kind, to, to_pitch, from, from_pitch, width, height, stream);
}

KERNELGEN_HIP int hipMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, int kind) {
  return copy_rows(__func__, kind, to, to_pitch, from, from_pitch, width, height, nullptr);
}

}  // namespace kernelgen::amdgpu::hip
