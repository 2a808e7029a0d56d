#include "driver/device_environment.hpp"

#include <span>

#include "common/environment.hpp"
#include "common/format.hpp"

namespace kernelgen {
namespace {

/// HIP reads CUDA's variable too. ROCR's variable applies first; HIP's variables index the devices it leaves.
constexpr const char* hip_variables[] = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
                                         "CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL"};
constexpr const char* cuda_variables[] = {"CUDA_VISIBLE_DEVICES"};
constexpr const char* override_variable = "HSA_OVERRIDE_GFX_VERSION";

}  // namespace

std::string visible_devices_note(DeviceKind kind) {
  if (kind == DeviceKind::cpu) return {};
  const std::span<const char* const> variables =
      kind == DeviceKind::hip ? std::span<const char* const>(hip_variables) : cuda_variables;
  std::string note;
  // Set but empty, they hide every device.
  for (const char* variable : variables)
    if (const char* value = environment_variable(variable); value != nullptr)
      note += formatted("{}{} is \"{}\"", note.empty() ? "" : ", ", variable, value);
  return note;
}

std::string overridden_architecture_note(DeviceKind kind) {
  const char* value = environment_variable(override_variable);
  if (kind != DeviceKind::hip || value == nullptr || *value == '\0') return {};
  return formatted("{} is \"{}\", so that the driver names that architecture, whatever the GPU is",
                   override_variable, value);
}

}  // namespace kernelgen
