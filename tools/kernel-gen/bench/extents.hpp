#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernelgen/layout.hpp"

namespace kernelgen::tool {

/// The dims of a bench case with a size for each, and what is computed from them.
class Extents {
 public:
  /// One value a name.
  Extents(std::span<const std::string> names, std::span<const std::int64_t> values)
      : names_(names.begin(), names.end()), values_(values.begin(), values.end()) {}

  /// "2*m*k*n", "d/2": integers and names, from left to right. Nothing for any other text, and for 0 as a divisor.
  std::optional<double> evaluate(std::string_view text) const;
  /// The same of texts that are known to be right, as integers.
  std::int64_t integer(std::string_view text) const;
  std::vector<std::int64_t> integers(std::span<const std::string> texts) const;

  std::span<const std::int64_t> values() const { return values_; }
  /// With the first extent divided by `scale`, but at least 1: about that much less work.
  Extents scaled_down(std::int64_t scale) const;

 private:
  std::vector<std::string> names_;
  std::vector<std::int64_t> values_;
};

}  // namespace kernelgen::tool
