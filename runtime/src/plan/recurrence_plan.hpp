#pragma once
#include "plan/grid.hpp"
#include "plan/recurrence.hpp"

namespace kernelgen {

struct RecurrenceProblem {
  std::int64_t sequences, tokens, heads, rows, width;
};

struct RecurrencePlan {
  LaunchShape shape;
  std::uint32_t group;  ///< threads that share a row of a state
};

RecurrencePlan plan_recurrence(const RecurrenceProblem& problem, const DeviceTraits& device);

}  // namespace kernelgen
