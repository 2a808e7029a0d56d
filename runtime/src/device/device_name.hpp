#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "kernelgen/device.hpp"

namespace kernelgen {

/// What a name like "cpu", "cpu:4", "cpu.1" or "hip:0" says.
struct DeviceName {
  DeviceKind kind = DeviceKind::cpu;
  int ordinal = 0;
  int threads = 0;  ///< of a CPU; 0 for its share of the cores
};

/// What a device is called, in one form whatever it was opened by: "cpu:1" for "cpu:01".
std::string to_string(const DeviceName& name);

/// Throws Error(not_found) for a name of another form. "auto" is none of a device.
DeviceName parse_device_name(std::string_view name);

}  // namespace kernelgen
