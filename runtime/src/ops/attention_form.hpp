#pragma once
#include <cstdint>

#include "kernelgen/device.hpp"
#include "kernelgen/dtype.hpp"
#include "plan/attention.hpp"

namespace kernelgen {

/// Which kernel computes a call, how it is launched and in how many splits of the keys: what there is to tune.
struct AttentionForm {
  std::uint32_t kernel;  ///< of the device's package
  bool by_tiles;         ///< which want operands in whole packs
  LaunchShape shape;
  std::uint32_t splits;

  /// `call` has at least one row; its splits do not matter. By rows, if not `tiles_allowed`.
  static AttentionForm of(const Device& device, const kg::AttentionShape& call, DType type, DType key_type,
                          bool tiles_allowed = true);
};

}  // namespace kernelgen
