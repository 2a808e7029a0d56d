#define __HIP_PLATFORM_AMD__
#define __HIP_DISABLE_CPP_FUNCTIONS__
#include <hip/hip_runtime_api.h>
#include <hip/hip_version.h>

#include "driver/gpu_numbers.hpp"
#include "driver/hip_declarations.hpp"
#include "same_call.hpp"

// One of several in C++, with a template among them.
constexpr hipError_t (*as_in_c)(void**, size_t, hipStream_t) = &hipMallocAsync;
#define hipMallocAsync as_in_c

#define EXPECT_SHARED(member, hip_name, cuda_name, arguments) EXPECT_CALL(int, hip_name, arguments);
KERNELGEN_GPU_REQUIRED_CALLS(EXPECT_SHARED)
KERNELGEN_GPU_OPTIONAL_CALLS(EXPECT_SHARED)
#define EXPECT_OWN(member, name, result, arguments) EXPECT_CALL(result, name, arguments);
KERNELGEN_HIP_CALLS(EXPECT_OWN)
EXPECT_CALL(int, hipRuntimeGetVersion, (int*));

// With HIP 6 the header's name stands for hipGetDevicePropertiesR0600.
EXPECT_CALL(int, hipGetDeviceProperties, (void*, int));
#if HIP_VERSION_MAJOR < 6
constexpr kernelgen::hip::Properties properties = kernelgen::hip::properties_of_5;
#else
constexpr kernelgen::hip::Properties properties = kernelgen::hip::properties_of_6;
static_assert(std::is_same_v<hipDeviceProp_t, hipDeviceProp_tR0600>);
#endif
EXPECT_NUMBER(properties.bytes, sizeof(hipDeviceProp_t));
EXPECT_NUMBER(properties.arch_offset, offsetof(hipDeviceProp_t, gcnArchName));
EXPECT_NUMBER(kernelgen::hip::arch_bytes, sizeof(hipDeviceProp_t::gcnArchName));

EXPECT_NUMBER(kernelgen::hip::constants.wave_size, hipDeviceAttributeWarpSize);
EXPECT_NUMBER(kernelgen::hip::constants.compute_units, hipDeviceAttributeMultiprocessorCount);
EXPECT_NUMBER(kernelgen::hip::constants.pools_supported, hipDeviceAttributeMemoryPoolsSupported);
EXPECT_NUMBER(kernelgen::hip::status_no_binary_for_gpu, hipErrorNoBinaryForGpu);
EXPECT_NUMBER(kernelgen::hip::status_shared_object_init_failed, hipErrorSharedObjectInitFailed);

namespace gpu = kernelgen::gpu;
EXPECT_NUMBER(gpu::status_out_of_memory, hipErrorOutOfMemory);
EXPECT_NUMBER(gpu::status_no_device, hipErrorNoDevice);
EXPECT_NUMBER(gpu::status_not_found, hipErrorNotFound);
EXPECT_NUMBER(gpu::status_not_ready, hipErrorNotReady);
EXPECT_NUMBER(gpu::first_capture_status, hipErrorStreamCaptureUnsupported);
EXPECT_NUMBER(gpu::last_capture_status, hipErrorStreamCaptureWrongThread);
EXPECT_NUMBER(gpu::status_reached_already, hipErrorPeerAccessAlreadyEnabled);
EXPECT_NUMBER(gpu::pinned_for_all_devices, hipHostMallocPortable);
EXPECT_NUMBER(sizeof(gpu::PoolAccess), sizeof(hipMemAccessDesc));
EXPECT_NUMBER(offsetof(gpu::PoolAccess, device), offsetof(hipMemAccessDesc, location.id));
EXPECT_NUMBER(offsetof(gpu::PoolAccess, access), offsetof(hipMemAccessDesc, flags));
EXPECT_NUMBER(gpu::location_of_a_device, hipMemLocationTypeDevice);
EXPECT_NUMBER(gpu::read_and_write, hipMemAccessFlagsProtReadWrite);
EXPECT_NUMBER(gpu::stream_non_blocking, hipStreamNonBlocking);
EXPECT_NUMBER(gpu::event_default, hipEventDefault);
EXPECT_NUMBER(gpu::event_without_time, hipEventDisableTiming);
EXPECT_NUMBER(gpu::capture_relaxed, hipStreamCaptureModeRelaxed);
EXPECT_NUMBER(gpu::pinned_for_all_devices, hipHostMallocPortable);
EXPECT_NUMBER(sizeof(gpu::PoolAccess), sizeof(hipMemAccessDesc));
EXPECT_NUMBER(offsetof(gpu::PoolAccess, location), offsetof(hipMemAccessDesc, location.type));
EXPECT_NUMBER(offsetof(gpu::PoolAccess, device), offsetof(hipMemAccessDesc, location.id));
EXPECT_NUMBER(offsetof(gpu::PoolAccess, access), offsetof(hipMemAccessDesc, flags));
EXPECT_NUMBER(gpu::location_of_a_device, hipMemLocationTypeDevice);
EXPECT_NUMBER(gpu::read_and_write, hipMemAccessFlagsProtReadWrite);
EXPECT_NUMBER(gpu::pool_release_threshold, hipMemPoolAttrReleaseThreshold);
EXPECT_NUMBER(gpu::pool_reserved_now, hipMemPoolAttrReservedMemCurrent);
EXPECT_NUMBER(gpu::pool_used_now, hipMemPoolAttrUsedMemCurrent);
EXPECT_NUMBER(gpu::update_succeeded, hipGraphExecUpdateSuccess);
EXPECT_NUMBER(gpu::update_failed, hipGraphExecUpdateError);
EXPECT_NUMBER(gpu::update_other_nodes, hipGraphExecUpdateErrorTopologyChanged);
EXPECT_NUMBER(gpu::update_other_kind, hipGraphExecUpdateErrorNodeTypeChanged);
EXPECT_NUMBER(gpu::update_other_function, hipGraphExecUpdateErrorFunctionChanged);
EXPECT_NUMBER(gpu::update_other_parameters, hipGraphExecUpdateErrorParametersChanged);
EXPECT_NUMBER(gpu::update_not_supported, hipGraphExecUpdateErrorNotSupported);
EXPECT_NUMBER(gpu::update_function_not_supported, hipGraphExecUpdateErrorUnsupportedFunctionChange);
// The markers of a launch are pointers made of numbers, which are no constants: the text tells.
EXPECT_MARKER(HIP_LAUNCH_PARAM_BUFFER_POINTER, gpu::launch_buffer_pointer);
EXPECT_MARKER(HIP_LAUNCH_PARAM_BUFFER_SIZE, gpu::launch_buffer_size);
EXPECT_MARKER(HIP_LAUNCH_PARAM_END, kernelgen::hip::constants.launch_end);
