#pragma once
#include <memory>
#include <span>
#include <string_view>

#include "device/device_state.hpp"

namespace kernelgen {

/// The device of that name with those packages: the open one, or a new one. Throws the errors of
/// Device::open.
std::shared_ptr<DeviceState> open_device(std::string_view name, std::span<const Package> packages);

}  // namespace kernelgen
