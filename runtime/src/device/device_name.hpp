#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "kernelgen/device.hpp"

namespace kernelgen {

/// A parsed device name: "cpu", "cpu:4", "cpu.1", "hip:0" or "simulated:gfx942".
struct DeviceName {
  DeviceKind kind = DeviceKind::cpu;
  int ordinal = 0;
  int threads = 0;             ///< of a CPU; 0 for its share of the cores
  std::string processor = {};  ///< of a simulated GPU, whose kind is hip; else empty
};

/// The canonical name of a device: "cpu:1" for "cpu:01".
std::string to_string(const DeviceName& name);

/// Throws Error(not_found) for malformed names. "auto" is not a device name.
DeviceName parse_device_name(std::string_view name);

}  // namespace kernelgen
