#pragma once
#include "driver/gpu_api.hpp"

// What is CUDA's alone, as cuda.h of CUDA 11.8 and later has it; tests/headers compares.
//   KERNELGEN_CUDA_CALLS(X): X(member, name, arguments), each of which gives a status
#define KERNELGEN_CUDA_CALLS(X)                                                      \
  X(error_name, cuGetErrorName, (int status, const char** name))                     \
  X(error_string, cuGetErrorString, (int status, const char** text))                 \
  X(retain, cuDevicePrimaryCtxRetain, (void** context, int device))                  \
  X(release, cuDevicePrimaryCtxRelease_v2, (int device))                             \
  X(get_context, cuCtxGetCurrent, (void** context))                                  \
  X(set_context, cuCtxSetCurrent, (void* context))                                   \
  X(reach_peer, cuCtxEnablePeerAccess, (void* peer, unsigned flags))                 \
  X(load_data, cuModuleLoadDataEx,                                                   \
    (void** module, const void* image, unsigned count, int* options, void** values)) \
  X(set_attribute, cuFuncSetAttribute, (void* function, int attribute, int value))   \
  X(read_version, cuDriverGetVersion, (int* version))

// For programmatic launches; missing in drivers of CUDA 11.7 and before.
#define KERNELGEN_CUDA_OPTIONAL_CALLS(X)                                                                     \
  X(find_global, cuModuleGetGlobal_v2, (void** address, std::size_t* bytes, void* module, const char* name)) \
  X(launch_with, cuLaunchKernelEx,                                                                           \
    (const LaunchConfig* config, void* function, void** parameters, void** extra))

// Missing in drivers of CUDA 12.3 and before.
#define KERNELGEN_CUDA_NEWER_CALLS(X) \
  X(parameter, cuFuncGetParamInfo,    \
    (void* function, std::size_t index, std::size_t* offset, std::size_t* bytes))

namespace kernelgen::cuda {

// The markers of an argument buffer are 1 (pointer), 2 (size) as in HIP, but 0 ends it.
constexpr GpuConstants constants{.wave_size = 10,  // CUdevice_attribute
                                 .compute_units = 16,
                                 .pools_supported = 115,
                                 .launch_end = 0,
                                 .nothing_current = 0,
                                 .reads_code_later = false,
                                 .graphs_end_their_work = true,
                                 .driver_hint =
                                     "is the nvidia kernel driver loaded, and may this user open "
                                     "/dev/nvidia0?"};
constexpr int attribute_capability_major = 75, attribute_capability_minor = 76;
constexpr int jit_error_log_buffer = 5, jit_error_log_buffer_bytes = 6;  // CUjit_option
constexpr int attribute_most_dynamic_shared_bytes = 8;                   // CUfunction_attribute
constexpr int status_no_binary_for_gpu = 209, status_unsupported_ptx_version = 222;

// CUlaunchAttribute and CUlaunchConfig of CUDA 11.8 and later.
constexpr int attribute_programmatic_stream_serialization = 6;
struct LaunchAttribute {
  int id;
  char padding[4];
  union {
    char bytes[64];
    int is_allowed;
  };
};
struct LaunchConfig {
  unsigned grid[3], block[3], shared_bytes;
  void* stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

struct Calls {
#define KERNELGEN_MEMBER(member, name, arguments) detail::GpuCallOf<int arguments>::type member;
  KERNELGEN_CUDA_CALLS(KERNELGEN_MEMBER)
  KERNELGEN_CUDA_OPTIONAL_CALLS(KERNELGEN_MEMBER)
  KERNELGEN_CUDA_NEWER_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER
};

}  // namespace kernelgen::cuda
