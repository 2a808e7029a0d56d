#pragma once
#include <memory>
#include <string_view>

#include "device/device_state.hpp"

namespace kernelgen {

/// The name is inserted into a directive of the source. Throws Error(invalid_argument).
void check_source_name(std::string_view call, std::string_view name);

/// Implements Device::compile for callers that store the module with the device. The compiler's output goes
/// to `log` unless null.
std::shared_ptr<LoadedModule> compile_module(DeviceState& state, std::string_view source,
                                             const CompileOptions& options, std::string* log = nullptr);

}  // namespace kernelgen
