#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "manifest/constant_table.hpp"

namespace kernelgen::tool {

/// Values of the tunable constants, in their order.
using Combination = std::vector<std::int64_t>;

std::vector<Combination> combinations(const std::vector<TunableConstant>& constants);
/// "THREADS 64, TILE 1024"
std::string spell(const std::vector<TunableConstant>& constants, const Combination& values);

struct Candidate {
  Combination values;
  std::string name = {};  ///< of the operation on the device, "bounds@2"; empty: it is left out
  std::string why = {};   ///< it is left out
  std::vector<double> microseconds = {};  ///< by case
  /// Geometric mean of the times over those of the first candidate.
  double relative = std::numeric_limits<double>::infinity();
};

}  // namespace kernelgen::tool
