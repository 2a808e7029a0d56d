#pragma once
/// Constants of index/scatter_add_16bit.hpp, shared with its callers.
namespace kg {

/// Sums that a block holds, and its maximum threads.
inline constexpr unsigned scatter_block_places = 8192, scatter_block_threads = 1024;

/// What a block of scatter_add_block holds the sums of: whole lines, or a column for each of its threads.
enum class ScatterBlockForm : unsigned { lines, columns };

/// Steps of a scatter-add of narrow elements: initialize wide sums at the indexed positions, add the sources,
/// round the sums.
enum class ScatterStep : unsigned { widen, add, narrow };

}  // namespace kg
