#pragma once
#include <cstddef>

#include "driver/gpu_api.hpp"

// What is HIP's alone, as its headers have it, alike in 5.2 to 7 but where that is said; tests/headers compares.
//   KERNELGEN_HIP_CALLS(X): X(member, name, result, arguments)
#define KERNELGEN_HIP_CALLS(X)                                              \
  X(error_name, hipGetErrorName, const char*, (int status))                 \
  X(error_string, hipGetErrorString, const char*, (int status))             \
  X(get_device, hipGetDevice, int, (int* device))                           \
  X(set_device, hipSetDevice, int, (int device))                            \
  X(reach_peer, hipDeviceEnablePeerAccess, int, (int peer, unsigned flags)) \
  X(load_data, hipModuleLoadData, int, (void** module, const void* image))

namespace kernelgen::hip {

struct Calls {
#define KERNELGEN_MEMBER(member, name, result, arguments) result(*member) arguments = nullptr;
  KERNELGEN_HIP_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER
};
/// hipRuntimeGetVersion: 10000000 · major + 100000 · minor + patch.
using ReadVersion = int (*)(int* version);
/// hipGetDeviceProperties, hipGetDevicePropertiesR0600.
using GetProperties = int (*)(void* properties, int device);

constexpr GpuConstants constants{
    .wave_size = 87,  // hipDeviceAttribute_t
    .compute_units = 63,
    .pools_supported = 88,
    .launch_end = 3,
    .nothing_current = ~std::uintptr_t{0},  // threads start on device 0 as a valid choice
    .reads_code_later =
        true,  // it builds a module when its first function is looked up, and keeps the pointer
    .graphs_end_their_work = false,
    .driver_hint =
        "is the amdgpu kernel driver loaded, and may this user open /dev/kfd "
        "(group render)?"};

constexpr int status_no_binary_for_gpu = 209, status_shared_object_init_failed = 303;

/// What one version of hipDeviceProp_t is like.
struct Properties {
  std::size_t bytes;
  std::size_t arch_offset;  ///< of gcnArchName
};
/// Up to HIP 5; and behind hipGetDevicePropertiesR0600 (HIP 6 and later, which keep the old function with the old struct).
constexpr Properties properties_of_5{792, 396}, properties_of_6{1472, 1160};
constexpr std::size_t arch_bytes = 256;

}  // namespace kernelgen::hip
