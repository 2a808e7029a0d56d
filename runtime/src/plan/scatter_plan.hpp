#pragma once
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// A scatter of `lines` lines of `length` sources each, with as many indices, into lines of `size` elements.
struct ScatterProblem {
  bool adds;        ///< else sets
  bool is_ordered;  ///< sums in the order of the sources
  std::int64_t length, lines, size;
};

/// The lines along the innermost dim.
struct ScatterColumns {
  std::int64_t count;
  bool are_adjacent;   ///< in memory
  bool share_indices;  ///< all have the same
};

/// Whether a thread takes all sources of a line in order. Otherwise they are added atomically, or set in two
/// passes, the first of which finds the last source of each element.
bool is_line_by_line(const ScatterProblem& problem, const DeviceTraits& device);

/// Tasks of the line-by-line kernel: `width` adjacent lines each, whose elements are divided among `parts`
/// threads.
struct ScatterLinesPlan {
  std::uint32_t width, parts;
  LaunchShape shape;
};
ScatterLinesPlan plan_scatter_lines(const ScatterProblem& problem, const ScatterColumns& columns,
                                    const DeviceTraits& device);

/// Index sums into `elements` 8- or 16-bit elements, accumulated in 32 bits and rounded once.
struct NarrowSumProblem {
  std::int64_t elements, sources;
  bool is_ordered;
  bool is_contiguous;
  bool is_in_place;
  std::int64_t inner;  ///< adjacent sources that share an index
  std::int64_t size = 1,
               columns = 1;  ///< elements along the dim, and their distance where they are contiguous

  std::int64_t lines() const { return elements / (size * columns); }
};

/// In one launch, in which a block of a GPU or a CPU thread holds the sums of whole lines, or a GPU thread those of a column,
/// or a GPU block those of few sources; adding to y where no two sources meet; or converting only the indexed elements; or
/// converting all of them.
enum class NarrowSumForm { lines, columns, few, single, indexed, all };
NarrowSumForm narrow_sum_form(const NarrowSumProblem& problem, const DeviceTraits& device);

/// The lines of a block of a GPU.
std::int64_t narrow_sum_block_lines(const NarrowSumProblem& problem, const DeviceTraits& device);
/// A thread for each column. The sums of a block's threads fit kg::scatter_block_places.
LaunchShape narrow_sum_columns_shape(const NarrowSumProblem& problem);

/// How many of `lines` lines, of `elements` elements in total, are converted at a time.
std::int64_t narrow_sum_lines(std::int64_t lines, std::int64_t elements);

}  // namespace kernelgen
