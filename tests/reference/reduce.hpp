#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "element.hpp"
#include "kernelgen/layout.hpp"

namespace kernelgen::reference {

/// The row-major numbers of the elements that each result comes from, in row-major order of both.
std::vector<std::vector<std::int64_t>> members(const Shape& shape, std::span<const std::int64_t> dims);

/// sum, mean, prod of floats: exact but for the 64-bit mantissa of Real, and Σ|terms|.
struct Total {
  Real value = 0;
  Real magnitudes = 0;
};
Total total(std::string_view operation, const Elements& x, std::span<const std::int64_t> members);

/// Every reduction with one right answer: sum, mean and prod of integers; min, max, any, all; argmin, argmax.
/// One result for each list of members.
Elements reduce(std::string_view operation, const Elements& x,
                const std::vector<std::vector<std::int64_t>>& members);

}  // namespace kernelgen::reference
