#pragma once
#include <string>

#include "kernelgen/device_kind.hpp"

namespace kernelgen {

/// For errors about missing devices: the environment variables that are set and select or reorder the
/// driver's devices, "HIP_VISIBLE_DEVICES is \"1\"". Empty if none is set.
std::string visible_devices_note(DeviceKind kind);

/// For errors about incompatible code: states that HSA_OVERRIDE_GFX_VERSION makes the driver report another
/// architecture than the GPU's. Empty if it is not set.
std::string overridden_architecture_note(DeviceKind kind);

}  // namespace kernelgen
