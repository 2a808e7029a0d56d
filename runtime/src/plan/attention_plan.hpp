#pragma once
#include <cstdint>

#include "kernelgen/dtype.hpp"
#include "kernelgen/launch_shape.hpp"
#include "plan/attention.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// A call of attention, and what the package's mma kernel (attention_mma) can do.
struct AttentionProblem {
  kg::AttentionShape call;  ///< with at least one row; splits are 0 or 1, and the plan sets its own
  DType type, key_type;     ///< the kernel's T; the dtype of k and v
  bool allows_mma;          ///< whether the mma kernel may be chosen
  bool by_warpgroups;       ///< whether the mma kernel uses warpgroup instructions

  /// Elements per row that the mma kernel is compiled for.
  unsigned mma_width() const { return call.width <= 64 ? 64 : call.width <= 128 ? 128 : 256; }
};

/// mma: one of the forms of attention_mma.
enum class AttentionForm { simt, small, mma };

/// One launch; with several splits of the keys, another one combines their results.
struct AttentionPlan {
  AttentionForm form;
  std::uint32_t splits;  ///< of the keys
  LaunchShape shape;
  kg::AttentionTiles tiles;
  bool has_rows64 = false;  ///< mma: a form whose tiles have 64 rows
};
AttentionPlan plan_attention(const AttentionProblem& problem, const DeviceTraits& device);

/// The launch that combines the splits' results of `elements` elements.
LaunchShape attention_combine_grid(std::int64_t elements, std::uint32_t splits, const DeviceTraits& device);

}  // namespace kernelgen
