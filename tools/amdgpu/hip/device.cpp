/// The calling thread's device; errors' names.
#include <algorithm>
#include <string>

#include "amdgpu/hip/gpu.hpp"

namespace kernelgen::amdgpu::hip {
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
/// added if it is new; records launches; and the JSON of those recorded, valid until the thread's next call.
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

KERNELGEN_HIP int hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return with_gpu([&](Gpu& gpu) {
    *total = gpu.total_bytes;
    *free = gpu.total_bytes - std::min<std::uint64_t>(gpu.total_bytes, gpu.used_bytes);
    return hipSuccess;
  });
}

KERNELGEN_HIP int hipDriverGetVersion(int* version) { return hipRuntimeGetVersion(version); }

KERNELGEN_HIP int hipDeviceGet(int* device, int ordinal) {
  if (ordinal < 0 || ordinal >= gpu_count()) return hipErrorInvalidDevice;
  *device = ordinal;
  return hipSuccess;
}

KERNELGEN_HIP int hipDeviceSynchronize() { return hipSuccess; }
KERNELGEN_HIP int hipDeviceReset() { return hipSuccess; }
KERNELGEN_HIP int hipSetDeviceFlags(unsigned) { return hipSuccess; }

KERNELGEN_HIP int hipDeviceCanAccessPeer(int* can, int, int) {
  *can = 0;
  return hipSuccess;
}

KERNELGEN_HIP int hipDeviceEnablePeerAccess(int, unsigned) { return hipErrorInvalidDevice; }
KERNELGEN_HIP int hipDeviceDisablePeerAccess(int) { return hipErrorInvalidDevice; }

}  // namespace kernelgen::amdgpu::hip
