#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "code_object/code_object.hpp"

namespace kernelgen::tool {

/// A number that a code object gives of a kernel and that is better small.
struct Figure {
  std::string_view name;
  std::uint64_t (*of)(const CodeKernel& kernel);
};

std::span<const Figure> figures();

/// The figure that is better large: the waves that a SIMD holds, of GPUs of which machines.json has figures.
inline constexpr std::string_view occupancy_figure = "occupancy";

/// How much a figure may grow: "spills" by nothing, "lds:+1024" by so much, "size:+5%" by such a share of what it was. Of
/// occupancy, how much it may fall: "occupancy:-1", "occupancy:-25%".
struct Growth {
  std::string text;  ///< as it was asked for
  std::string_view figure;
  double most = 0;
  bool is_share = false;
  bool is_fall = false;

  bool allows(std::uint64_t before, std::uint64_t after) const;
};

/// Throws BadInput for a figure that is none of `names` and for a number that is none.
Growth parse_growth(const std::string& text, std::span<const std::string> names);

}  // namespace kernelgen::tool
