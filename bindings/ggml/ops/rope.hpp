#pragma once
#include <array>

#include "call.hpp"

/// Rotary position embedding in ggml's modes, as far as fused operations need it.
namespace kernelgen::ggml {

/// The parameters of a node.
struct Rope {
  enum Mode { normal = 0, neox = 2, mrope = 8, vision = 24, imrope = 40 };

  explicit Rope(const Node& node);

  bool has_sections() const { return (mode & mrope) != 0; }

  int dims, mode, original_length;
  double base, scale, extrapolation, magnitude, fast, slow;
  std::array<std::int32_t, 4> sections;
  int first;           ///< channels before the rotated ones
  std::int64_t pairs;  ///< pairs of channels that are rotated
};

/// The table of the node's positions, shared by the operations of a graph that read the same inputs.
Angles angles_of(const Call& call, const Rope& rope, std::int64_t tokens);

}  // namespace kernelgen::ggml
