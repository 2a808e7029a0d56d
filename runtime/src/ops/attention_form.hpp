#pragma once
#include <cstdint>
#include <string_view>

#include "device/device_state.hpp"
#include "kernelgen/dtype.hpp"
#include "kernelgen/launch_shape.hpp"
#include "plan/attention.hpp"

namespace kernelgen {

/// Which kernel computes a call, how it is launched and in how many splits of the keys: what there is to tune.
struct AttentionForm {
  std::string_view name;
  LaunchShape shape;
  std::uint32_t splits;

  /// `call` with 0 or 1 splits and at least one row.
  static AttentionForm of(const DeviceState& device, const kg::AttentionShape& call, DType type);
};

}  // namespace kernelgen
