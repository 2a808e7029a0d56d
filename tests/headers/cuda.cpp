#define __CUDA_API_VERSION_INTERNAL  // declares the first versions of functions too
#include <cuda.h>

#include "driver/cuda_declarations.hpp"
#include "driver/gpu_numbers.hpp"
#include "same_call.hpp"

using kernelgen::cuda::LaunchConfig;
#define EXPECT_SHARED(member, hip_name, cuda_name, arguments) EXPECT_CALL(int, cuda_name, arguments);
KERNELGEN_GPU_REQUIRED_CALLS(EXPECT_SHARED)
KERNELGEN_GPU_OPTIONAL_CALLS(EXPECT_SHARED)
#define EXPECT_OWN(member, name, arguments) EXPECT_CALL(int, name, arguments);
KERNELGEN_CUDA_CALLS(EXPECT_OWN)
KERNELGEN_CUDA_OPTIONAL_CALLS(EXPECT_OWN)
#if CUDA_VERSION >= 12040
KERNELGEN_CUDA_NEWER_CALLS(EXPECT_OWN)
#endif

namespace cuda = kernelgen::cuda;
EXPECT_NUMBER(sizeof(cuda::LaunchAttribute), sizeof(CUlaunchAttribute));
EXPECT_NUMBER(offsetof(cuda::LaunchAttribute, is_allowed),
              offsetof(CUlaunchAttribute, value.programmaticStreamSerializationAllowed));
EXPECT_NUMBER(sizeof(LaunchConfig), sizeof(CUlaunchConfig));
EXPECT_NUMBER(offsetof(LaunchConfig, grid), offsetof(CUlaunchConfig, gridDimX));
EXPECT_NUMBER(offsetof(LaunchConfig, block), offsetof(CUlaunchConfig, blockDimX));
EXPECT_NUMBER(offsetof(LaunchConfig, shared_bytes), offsetof(CUlaunchConfig, sharedMemBytes));
EXPECT_NUMBER(offsetof(LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
EXPECT_NUMBER(offsetof(LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
EXPECT_NUMBER(offsetof(LaunchConfig, attribute_count), offsetof(CUlaunchConfig, numAttrs));
EXPECT_NUMBER(cuda::attribute_programmatic_stream_serialization,
              CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

EXPECT_NUMBER(cuda::constants.wave_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE);
EXPECT_NUMBER(cuda::constants.compute_units, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
EXPECT_NUMBER(cuda::constants.pools_supported, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
EXPECT_NUMBER(cuda::attribute_capability_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
EXPECT_NUMBER(cuda::attribute_capability_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
EXPECT_NUMBER(cuda::jit_error_log_buffer, CU_JIT_ERROR_LOG_BUFFER);
EXPECT_NUMBER(cuda::jit_error_log_buffer_bytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
EXPECT_NUMBER(cuda::attribute_most_dynamic_shared_bytes, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
EXPECT_NUMBER(cuda::status_no_binary_for_gpu, CUDA_ERROR_NO_BINARY_FOR_GPU);
EXPECT_NUMBER(cuda::status_unsupported_ptx_version, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);

namespace gpu = kernelgen::gpu;
EXPECT_NUMBER(gpu::status_out_of_memory, CUDA_ERROR_OUT_OF_MEMORY);
EXPECT_NUMBER(gpu::status_no_device, CUDA_ERROR_NO_DEVICE);
EXPECT_NUMBER(gpu::status_not_found, CUDA_ERROR_NOT_FOUND);
EXPECT_NUMBER(gpu::status_not_ready, CUDA_ERROR_NOT_READY);
EXPECT_NUMBER(gpu::first_capture_status, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
EXPECT_NUMBER(gpu::last_capture_status, CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
EXPECT_NUMBER(gpu::status_reached_already, CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED);
EXPECT_NUMBER(gpu::pinned_for_all_devices, CU_MEMHOSTALLOC_PORTABLE);
EXPECT_NUMBER(sizeof(gpu::PoolAccess), sizeof(CUmemAccessDesc));
EXPECT_NUMBER(offsetof(gpu::PoolAccess, device), offsetof(CUmemAccessDesc, location.id));
EXPECT_NUMBER(offsetof(gpu::PoolAccess, access), offsetof(CUmemAccessDesc, flags));
EXPECT_NUMBER(gpu::location_of_a_device, CU_MEM_LOCATION_TYPE_DEVICE);
EXPECT_NUMBER(gpu::read_and_write, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
EXPECT_NUMBER(gpu::stream_non_blocking, CU_STREAM_NON_BLOCKING);
EXPECT_NUMBER(gpu::event_default, CU_EVENT_DEFAULT);
EXPECT_NUMBER(gpu::event_without_time, CU_EVENT_DISABLE_TIMING);
EXPECT_NUMBER(gpu::capture_relaxed, CU_STREAM_CAPTURE_MODE_RELAXED);
EXPECT_NUMBER(gpu::pinned_for_all_devices, CU_MEMHOSTALLOC_PORTABLE);
EXPECT_NUMBER(sizeof(gpu::PoolAccess), sizeof(CUmemAccessDesc));
EXPECT_NUMBER(offsetof(gpu::PoolAccess, location), offsetof(CUmemAccessDesc, location.type));
EXPECT_NUMBER(offsetof(gpu::PoolAccess, device), offsetof(CUmemAccessDesc, location.id));
EXPECT_NUMBER(offsetof(gpu::PoolAccess, access), offsetof(CUmemAccessDesc, flags));
EXPECT_NUMBER(gpu::location_of_a_device, CU_MEM_LOCATION_TYPE_DEVICE);
EXPECT_NUMBER(gpu::read_and_write, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
EXPECT_NUMBER(gpu::pool_release_threshold, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD);
EXPECT_NUMBER(gpu::pool_reserved_now, CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT);
EXPECT_NUMBER(gpu::pool_used_now, CU_MEMPOOL_ATTR_USED_MEM_CURRENT);
EXPECT_NUMBER(gpu::update_succeeded, CU_GRAPH_EXEC_UPDATE_SUCCESS);
EXPECT_NUMBER(gpu::update_failed, CU_GRAPH_EXEC_UPDATE_ERROR);
EXPECT_NUMBER(gpu::update_other_nodes, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
EXPECT_NUMBER(gpu::update_other_kind, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
EXPECT_NUMBER(gpu::update_other_function, CU_GRAPH_EXEC_UPDATE_ERROR_FUNCTION_CHANGED);
EXPECT_NUMBER(gpu::update_other_parameters, CU_GRAPH_EXEC_UPDATE_ERROR_PARAMETERS_CHANGED);
EXPECT_NUMBER(gpu::update_not_supported, CU_GRAPH_EXEC_UPDATE_ERROR_NOT_SUPPORTED);
EXPECT_NUMBER(gpu::update_function_not_supported, CU_GRAPH_EXEC_UPDATE_ERROR_UNSUPPORTED_FUNCTION_CHANGE);
EXPECT_NUMBER(gpu::update_other_attributes, CU_GRAPH_EXEC_UPDATE_ERROR_ATTRIBUTES_CHANGED);
// The markers of a launch are pointers made of numbers, which are no constants: the text tells.
EXPECT_MARKER(CU_LAUNCH_PARAM_BUFFER_POINTER, gpu::launch_buffer_pointer);
EXPECT_MARKER(CU_LAUNCH_PARAM_BUFFER_SIZE, gpu::launch_buffer_size);
EXPECT_MARKER(CU_LAUNCH_PARAM_END, cuda::constants.launch_end);
