#pragma once
#include "driver/dynamic_library.hpp"

namespace kernelgen {

/// The libraries that hip_api(), cuda_api() and simulated_api() open. Throw Error(unsupported) listing every name tried.
DynamicLibrary open_hip_library();
DynamicLibrary open_cuda_library();
DynamicLibrary open_simulator_library();

}  // namespace kernelgen
