#pragma once
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// The products of `columns` columns with one of `experts` plain matrices each, of `rows` rows of `terms` elements.
struct ExpertProblem {
  std::int64_t rows, terms, columns, experts;
  unsigned element_bytes;
};

struct ExpertPlan {
  bool is_by_vector;   ///< each column by itself, otherwise tiles of an expert's columns
  std::int64_t tiles;  ///< of kg::expert_tile_columns; one of each expert may be partly filled
  LaunchShape shape;
};
ExpertPlan plan_expert_product(const ExpertProblem& problem, const DeviceTraits& device);

}  // namespace kernelgen
