#pragma once
#include <memory>
#include <string_view>

#include "device/device_state.hpp"

namespace kernelgen {

/// Implements Device::compile for callers that store the module with the device. The compiler's output goes
/// to `log` unless null.
std::shared_ptr<LoadedModule> compile_module(DeviceState& state, std::string_view source,
                                             const CompileOptions& options, std::string* log = nullptr);

}  // namespace kernelgen
