#pragma once
#include <cstdint>

#include "kernelgen/device.hpp"
#include "plan/attention_plan.hpp"

namespace kernelgen {

/// The kernel that computes a call, and its plan.
struct AttentionKernel {
  std::uint32_t id;  ///< in the device's packages
  AttentionPlan plan;
  bool by_warpgroups;  ///< whether it is an mma kernel that uses warpgroup instructions

  /// Whether it takes q and y in f32 with 16-bit keys. mma kernels without warpgroup instructions do not.
  bool takes_f32_rows() const { return plan.form != AttentionForm::mma || by_warpgroups; }

  /// `call` has at least one row; its splits are ignored. The mma kernel, which needs operands in whole packs,
  /// is not chosen if `allows_mma` is false.
  static AttentionKernel of(const Device& device, const kg::AttentionShape& call, DType type, DType key_type,
                            bool allows_mma = true);
};

}  // namespace kernelgen
