#pragma once
#include <cstdint>

#include "kernelgen/device.hpp"
#include "plan/attention_plan.hpp"

namespace kernelgen {

/// The kernel that computes a call, and how.
struct AttentionKernel {
  std::uint32_t id;  ///< in the device's package
  AttentionPlan plan;

  /// `call` has at least one row; its splits are ignored. The mma kernel, which needs operands in whole packs,
  /// is not chosen if `allows_mma` is false.
  static AttentionKernel of(const Device& device, const kg::AttentionShape& call, DType type, DType key_type,
                            bool allows_mma = true);
};

}  // namespace kernelgen
