#pragma once
/// Constants of index/scatter_add_16bit.hpp, shared with its callers.
namespace kg {

/// Sums that a block holds, and its maximum threads.
inline constexpr unsigned scatter_block_places = 8192, scatter_block_threads = 1024;

/// Sources whose positions fit the table of a block.
inline constexpr unsigned scatter_few_sources = scatter_block_places / 16;

/// Accesses of a column that a GPU thread has in flight.
inline constexpr unsigned scatter_in_flight = 8;

/// What a block of scatter_add_block holds the sums of: whole lines, a column for each of its threads, or all of few sources.
enum class ScatterBlockForm : unsigned { lines, columns, few };

/// Steps of a scatter-add of narrow elements: initialize wide sums at the indexed positions, add the sources,
/// round the sums. add_single adds each source directly to its element, where no two sources share one.
enum class ScatterStep : unsigned { widen, add, narrow, add_single };

}  // namespace kg
