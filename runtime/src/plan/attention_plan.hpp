#pragma once
#include <cstdint>

#include "kernelgen/dtype.hpp"
#include "kernelgen/launch_shape.hpp"
#include "plan/attention.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// A call of attention, and what the package's mma kernel offers.
struct AttentionProblem {
  kg::AttentionShape call;  ///< with at least one row; its splits are ignored
  DType type, key_type;
  bool allows_mma;     ///< whether the mma kernel may be chosen
  bool by_warpgroups;  ///< whether the mma kernel uses warpgroup instructions

  /// Whether warpgroups take all keys in one step, which the narrowest mma kernel does for rows of any width.
  bool is_in_one_step() const { return by_warpgroups && kg::attention_has_few_keys(call); }
  /// Elements per row that the mma kernel is compiled for.
  unsigned mma_width() const {
    return call.width <= 64 || is_in_one_step() ? 64 : call.width <= 128 ? 128 : 256;
  }
};

enum class AttentionForm { simt, small, mma };

/// One launch; with several splits of the keys, another one combines their results.
struct AttentionPlan {
  AttentionForm form;
  std::uint32_t splits;
  LaunchShape shape;
};
AttentionPlan plan_attention(const AttentionProblem& problem, const DeviceTraits& device);

/// The launch that combines the splits' results of `elements` elements.
LaunchShape attention_combine_grid(std::int64_t elements, std::uint32_t splits, const DeviceTraits& device);

}  // namespace kernelgen
