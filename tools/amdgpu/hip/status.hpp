#pragma once

// hipError_t, as far as the stand-in gives it: X(name, number, text).
#define KERNELGEN_HIP_STATUSES(X)                                                                          \
  X(hipSuccess, 0, "no error")                                                                             \
  X(hipErrorInvalidValue, 1, "invalid argument")                                                           \
  X(hipErrorOutOfMemory, 2, "out of memory")                                                               \
  X(hipErrorInvalidSymbol, 13, "invalid device symbol")                                                    \
  X(hipErrorInvalidDeviceFunction, 98, "invalid device function")                                          \
  X(hipErrorNoDevice, 100, "no ROCm-capable device is detected")                                           \
  X(hipErrorInvalidDevice, 101, "invalid device ordinal")                                                  \
  X(hipErrorInvalidImage, 200, "device kernel image is invalid")                                           \
  X(hipErrorNoBinaryForGpu, 209, "no kernel image is available for execution on the device")               \
  X(hipErrorFileNotFound, 301, "file not found")                                                           \
  X(hipErrorNotFound, 500, "named symbol not found")                                                       \
  X(hipErrorPeerAccessAlreadyEnabled, 704, "peer access is already enabled")                               \
  X(hipErrorLaunchFailure, 719, "unspecified launch failure")                                              \
  X(hipErrorNotSupported, 801, "operation not supported")                                                  \
  X(hipErrorStreamCaptureUnsupported, 900, "operation not permitted when stream is capturing")             \
  X(hipErrorStreamCaptureInvalidated, 901, "operation failed due to a previous error during capture")      \
  X(hipErrorGraphExecUpdateFailure, 910, "the graph update was not performed because it included changes") \
  X(hipErrorUnknown, 999, "unknown error")

namespace kernelgen::amdgpu::hip {

enum Status {
#define KERNELGEN_STATUS(name, number, text) name = number,
  KERNELGEN_HIP_STATUSES(KERNELGEN_STATUS)
#undef KERNELGEN_STATUS
};

}  // namespace kernelgen::amdgpu::hip
