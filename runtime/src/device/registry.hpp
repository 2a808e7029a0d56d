#pragma once
#include <memory>
#include <string_view>

#include "device/device_state.hpp"

namespace kernelgen {

/// The device of that name with that package: the one already open, or a new one. Throws what Device::open
/// documents.
std::shared_ptr<DeviceState> open_device(std::string_view name, const Package& package);

}  // namespace kernelgen
