#pragma once
#include <memory>
#include <string_view>

#include "device/device_state.hpp"

namespace kernelgen {

/// What Device::compile does, for those who keep the module with the device. The compiler's words go to `log`, if
/// anywhere.
std::shared_ptr<LoadedModule> compile_module(DeviceState& state, std::string_view source,
                                             const CompileOptions& options, std::string* log = nullptr);

}  // namespace kernelgen
