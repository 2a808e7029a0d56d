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

/// A scatter-add into y, `elements` 8- or 16-bit elements, accumulated in 32 bits and rounded once.
struct NarrowSumProblem {
  std::int64_t elements, sources;
  bool is_ordered;           ///< sums in the order of the sources
  bool is_contiguous;        ///< x and y
  bool is_in_place;          ///< y is x; otherwise y = x plus the sources
  std::int64_t inner;        ///< adjacent sources that share an index
  std::int64_t size = 1;     ///< elements of y along the indexed dim
  std::int64_t columns = 1;  ///< elements along all dims after the indexed one

  /// Elements along all dims before the indexed one. A line has `columns` columns of `size` elements each.
  std::int64_t lines() const { return elements / (size * columns); }
};

/// Forms from `hash_table` to `indexed` add to y; if y is not x, a copy of x comes first.
enum class NarrowSumForm {
  lines,    ///< one launch; a GPU block or a CPU thread holds the sums of whole lines
  columns,  ///< one launch; a GPU thread holds the sums of a column
  rows,     ///< three launches: clear lists, list the indices of each position, add rows of sources by them
  hash_table,  ///< one launch of one GPU block, which holds the sums of few sources
  single,      ///< one launch, which adds each source to its element of y: no two sources have the same
  hashed,   ///< three launches: clear a hash table, add the sources of each element in it, add its sums to y
  indexed,  ///< three launches: widen the indexed elements, add, round them
  all       ///< three launches: widen all elements, add, round them
};
NarrowSumForm narrow_sum_form(const NarrowSumProblem& problem, const DeviceTraits& device);

/// Lines per GPU block of NarrowSumForm::lines.
std::int64_t narrow_sum_block_lines(const NarrowSumProblem& problem, const DeviceTraits& device);
/// The launch of NarrowSumForm::lines on a GPU.
LaunchShape narrow_sum_lines_shape(const NarrowSumProblem& problem, const DeviceTraits& device);
/// The launch of NarrowSumForm::columns, a thread per column. The sums of a block's threads fit kg::scatter_block_sums.
LaunchShape narrow_sum_columns_shape(const NarrowSumProblem& problem);

/// How many of `lines` lines, of `elements` elements in total, are converted at a time.
std::int64_t narrow_sum_lines(std::int64_t lines, std::int64_t elements);

}  // namespace kernelgen
