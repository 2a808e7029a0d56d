#pragma once
#include <string>

#include "kernelgen/device_kind.hpp"

namespace kernelgen {

/// For messages about devices that are not there: the environment variables that are set and choose or order what the
/// kind's driver shows, "HIP_VISIBLE_DEVICES is \"1\"". Empty where there are none.
std::string visible_devices_note(DeviceKind kind);

/// For messages about code that does not fit a device: that HSA_OVERRIDE_GFX_VERSION has the driver name another
/// architecture than the GPU's. Empty where it is not set.
std::string overridden_architecture_note(DeviceKind kind);

}  // namespace kernelgen
