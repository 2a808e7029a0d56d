#pragma once
/// Constants of index/scatter_add_16bit.hpp, shared with its callers.
namespace kg {

/// Sums that a GPU block holds in shared memory, and its maximum threads.
inline constexpr unsigned scatter_block_sums = 8192, scatter_block_threads = 1024;

/// Maximum sources of ScatterBlockForm::hash_table. A source takes two slots of the block's hash table, to keep searches short.
inline constexpr unsigned scatter_few_sources = scatter_block_sums / 16;

/// Loads that a GPU thread keeps in flight in ScatterBlockForm::columns.
inline constexpr unsigned scatter_in_flight = 8;

/// What a block of scatter_add_block holds the sums of.
enum class ScatterBlockForm : unsigned {
  lines,      ///< whole lines: all elements along the indexed dim and those after it
  columns,    ///< for each thread a column: the elements along the indexed dim
  hash_table  ///< the indexed elements of y, in a hash table; one block adds all sources
};

/// Steps of a scatter-add of narrow elements: initialize wide sums at the indexed positions, add the sources,
/// round the sums. add_single adds each source directly to its element, where no two sources share one.
enum class ScatterStep : unsigned { widen, add, narrow, add_single };

}  // namespace kg
