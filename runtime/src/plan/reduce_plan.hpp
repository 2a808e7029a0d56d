#pragma once
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"
#include "plan/reduce.hpp"

namespace kernelgen {

/// A reduction of `count` elements for each of `outputs` results; neither is 0.
struct ReduceProblem {
  kg::StateKind kind;
  unsigned element_bytes;
  bool is_float;
  std::int64_t outputs, count;
  std::int64_t columns;        ///< results along their innermost dim
  std::int64_t column_stride;  ///< in x, between these
  std::int64_t term_stride;    ///< in x, along the innermost reduced dim
  int reduced_dims;            ///< after merging

  unsigned state_bytes() const { return kg::state_bytes(kind, element_bytes, is_float); }
};

struct ReducePlan {
  bool by_columns;       ///< the kernel form: columns, else rows
  std::uint32_t group;   ///< threads per row, or across columns
  std::uint32_t splits;  ///< of each result's elements, if they fit one launch
  LaunchShape shape;
};
ReducePlan plan_reduce(const ReduceProblem& problem, const DeviceTraits& device);

/// The second launch, which combines `parts` partial results per result.
struct CombinePlan {
  std::uint32_t group;  ///< threads per result
  LaunchShape shape;
};
CombinePlan plan_combine(const ReduceProblem& problem, std::uint32_t parts, const DeviceTraits& device);

}  // namespace kernelgen
