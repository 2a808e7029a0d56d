#pragma once
#include <string_view>

namespace kernelgen {

/// Whether kernels for this architecture of an AMD GPU multiply 16-bit elements by matrix instructions: the
/// targets that kernels/device/matrix.hpp has units for.
constexpr bool has_matrix_units(std::string_view architecture, int wave_size) {
  const std::string_view target = architecture.substr(0, architecture.find(':'));
  for (const std::string_view cdna : {"gfx90a", "gfx940", "gfx941", "gfx942", "gfx950"})
    if (target == cdna) return true;
  for (const std::string_view other : {"gfx117", "gfx125"})
    if (target.starts_with(other)) return false;
  return wave_size == 32 && (target.starts_with("gfx11") || target.starts_with("gfx12"));
}

}  // namespace kernelgen
