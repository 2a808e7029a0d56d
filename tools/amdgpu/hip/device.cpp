/// The device and its properties; errors' names.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>

#include "amdgpu/hip/gpu.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

/// hipDeviceProp_t as hipGetDevicePropertiesR0600 fills it (HIP 6 and later); what is not named stays zero.
struct Properties {
  char name[256];
  char unused_1[32];
  std::size_t total_bytes, shared_bytes;
  int registers, wave_size;
  std::size_t pitch;
  int block_items, block_extent[3], grid_extent[3], clock_khz;
  std::size_t constant_bytes;
  int major, minor;
  char unused_2[20];
  int compute_units;
  char unused_3[768];
  char architecture[256];
  char unused_4[56];
};
static_assert(offsetof(Properties, total_bytes) == 288 && offsetof(Properties, compute_units) == 388);
static_assert(offsetof(Properties, architecture) == 1160 && sizeof(Properties) == 1472);

constexpr int lds_bytes = 64 * 1024;
constexpr int block_items = 1024;

/// hipDeviceAttribute_t
enum Attribute {
  attribute_block_items = 56,
  attribute_compute_units = 63,
  attribute_shared_bytes = 74,
  attribute_wave_size = 87,
  attribute_pools_supported = 88
};

}  // namespace

KERNELGEN_HIP const char* hipGetErrorName(int status) {
  switch (status) {
#define KERNELGEN_CASE(name, number, text) \
  case number:                             \
    return #name;
    KERNELGEN_HIP_STATUSES(KERNELGEN_CASE)
#undef KERNELGEN_CASE
    default:
      return "hipErrorUnknown";
  }
}

KERNELGEN_HIP const char* hipGetErrorString(int status) {
  switch (status) {
#define KERNELGEN_CASE(name, number, text) \
  case number:                             \
    return text;
    KERNELGEN_HIP_STATUSES(KERNELGEN_CASE)
#undef KERNELGEN_CASE
    default:
      return "unknown error";
  }
}

KERNELGEN_HIP int hipInit(unsigned) {
  return with_gpu([](Gpu&) { return hipSuccess; });
}

KERNELGEN_HIP int hipRuntimeGetVersion(int* version) {
  *version = 60'400'000;  // whose functions these are
  return hipSuccess;
}

KERNELGEN_HIP int hipGetDeviceCount(int* count) {
  *count = 0;
  return with_gpu([&](Gpu&) {
    *count = gpu_count();
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipGetDevice(int* device) {
  *device = current_ordinal();
  return hipSuccess;
}

KERNELGEN_HIP int hipSetDevice(int device) {
  if (device < 0 || device >= gpu_count()) return hipErrorInvalidDevice;
  current_ordinal() = device;
  return hipSuccess;
}

KERNELGEN_HIP int hipGetLastError() { return last_error(true); }
KERNELGEN_HIP int hipPeekAtLastError() { return last_error(false); }

/// What kernelgen's runtime and tool call besides HIP's functions: the ordinal of the device with that processor, which is
/// added if there is none; records launches; and the JSON of those recorded, valid until the thread's next call.
KERNELGEN_HIP int kernelgen_simulated_device(const char* processor, int* device) try {
  *device = gpu_of(processor);
  return hipSuccess;
} catch (const Fault&) {
  return hipErrorInvalidDevice;
}
KERNELGEN_HIP int kernelgen_simulated_record(int device, int on) {
  return with_gpu(device, [&](Gpu& gpu) {
    gpu.log.record(on != 0);
    return hipSuccess;
  });
}
KERNELGEN_HIP const char* kernelgen_simulated_launches(int device) {
  static thread_local std::string text;
  text = "[]";
  with_gpu(device, [&](Gpu& gpu) {
    text = gpu.log.json();
    return hipSuccess;
  });
  return text.c_str();
}

KERNELGEN_HIP int hipDeviceGetName(char* name, int size, int device) {
  return with_gpu(device, [&](Gpu& gpu) {
    if (size <= 0) return hipErrorInvalidValue;
    name[gpu.name.copy(name, static_cast<std::size_t>(size) - 1)] = '\0';
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipDeviceTotalMem(std::size_t* bytes, int device) {
  return with_gpu(device, [&](Gpu& gpu) {
    *bytes = gpu.total_bytes;
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return with_gpu([&](Gpu& gpu) {
    *total = gpu.total_bytes;
    *free = gpu.total_bytes - std::min<std::uint64_t>(gpu.total_bytes, gpu.used_bytes);
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipDeviceGetAttribute(int* value, int attribute, int device) {
  return with_gpu(device, [&](Gpu& gpu) {
    switch (attribute) {
      case attribute_block_items:
        *value = block_items;
        break;
      case attribute_compute_units:
        *value = gpu.compute_units;
        break;
      case attribute_shared_bytes:
        *value = lds_bytes;
        break;
      case attribute_wave_size:
        *value = gpu.wave_size();
        break;
      case attribute_pools_supported:
        *value = 1;
        break;
      default:
        return hipErrorInvalidValue;
    }
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipGetDevicePropertiesR0600(void* properties, int device) {
  return with_gpu(device, [&](Gpu& gpu) {
    const Isa& isa = gpu.simulator.isa();
    Properties values{};
    gpu.name.copy(values.name, sizeof values.name - 1);
    values.total_bytes = gpu.total_bytes;
    values.shared_bytes = lds_bytes;
    values.registers = 65536;
    values.wave_size = gpu.wave_size();
    values.block_items = block_items;
    std::ranges::fill(values.block_extent, block_items);
    values.grid_extent[0] = 0x7fffffff;
    values.grid_extent[1] = values.grid_extent[2] = 65536;
    values.major = static_cast<int>(isa.major);
    values.minor = static_cast<int>(isa.minor);
    values.compute_units = gpu.compute_units;
    isa.processor.copy(values.architecture, sizeof values.architecture - 1);
    std::memcpy(properties, &values, sizeof values);
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipDeviceSynchronize() { return hipSuccess; }

KERNELGEN_HIP int hipDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return hipSuccess;
}

KERNELGEN_HIP int hipDeviceEnablePeerAccess(int, unsigned) { return hipErrorInvalidDevice; }

}  // namespace kernelgen::amdgpu::hip
