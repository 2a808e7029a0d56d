#pragma once
#include <cstdint>

#include "kernelgen/device.hpp"
#include "kernelgen/dtype.hpp"
#include "plan/attention.hpp"

namespace kernelgen {

/// The kernel that computes a call, its launch and the number of key splits: all tuning decisions.
struct AttentionForm {
  std::uint32_t kernel;  ///< kernel id in the device's package
  bool by_tiles;         ///< the kernel needs operands in whole packs
  LaunchShape shape;
  std::uint32_t splits;

  /// `call` has at least one row; its splits are ignored. Chooses a kernel without tiles if `tiles_allowed`
  /// is false.
  static AttentionForm of(const Device& device, const kg::AttentionShape& call, DType type, DType key_type,
                          bool tiles_allowed = true);
};

}  // namespace kernelgen
