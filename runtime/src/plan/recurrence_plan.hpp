#pragma once
#include "plan/grid.hpp"
#include "plan/recurrence.hpp"

namespace kernelgen {

struct RecurrenceProblem {
  std::int64_t sequences, tokens, heads, rows, width;
  std::int64_t
      span;  ///< consecutive rows of a sequence, whole heads, that have the vectors to stage in common
  std::int64_t vectors;  ///< of `width` elements, to stage for each token
};

struct RecurrencePlan {
  LaunchShape shape;
  std::uint32_t group;        ///< threads that share a row of a state
  std::uint32_t tile_width;   ///< elements of a tile's rows, or 0: no tiles
  std::uint32_t tile_tokens;  ///< tokens that a tile stages at a time
};

RecurrencePlan plan_recurrence(const RecurrenceProblem& problem, const DeviceTraits& device);

}  // namespace kernelgen
