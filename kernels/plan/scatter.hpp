#pragma once
/// Constants of index/scatter_add_16bit.hpp, shared with its callers.
namespace kg {

/// Sums that a GPU block holds in shared memory, and its maximum threads.
inline constexpr unsigned scatter_block_sums = 8192, scatter_block_threads = 1024;

/// Maximum sums of ScatterBlockForm::lines, which leaves room to align packs of them.
inline constexpr unsigned scatter_line_sums = scatter_block_sums - 16;

/// Slots of a hash table per source, to keep searches short.
inline constexpr unsigned scatter_source_slots = 2;

/// Maximum sources of ScatterBlockForm::hash_table.
inline constexpr unsigned scatter_few_sources = scatter_block_sums / 16;

/// Maximum elements of a column of ScatterBlockForm::columns.
inline constexpr unsigned scatter_column_positions = 64;

/// Loads that a GPU thread keeps in flight in ScatterBlockForm::columns.
inline constexpr unsigned scatter_in_flight = 8;

/// Columns that are adjacent in memory from which on ScatterBlockForm::columns stores each element by the thread of its column.
/// With fewer, a block has whole lines and stores them element after element, so that threads share memory sectors.
inline constexpr unsigned scatter_adjacent = 16;

/// Of `threads` threads, those that have a column, where `inner` columns are adjacent.
constexpr unsigned scatter_block_columns(unsigned threads, unsigned inner) {
  return inner < scatter_adjacent ? threads - threads % inner : threads;
}

/// Sums left free after those of all threads' columns for a position of `size`: elements that are stored together then have
/// their sums in different banks of shared memory.
constexpr unsigned scatter_padding(unsigned inner, unsigned size) {
  constexpr unsigned banks = 32;
  if (inner >= scatter_adjacent) return 0;
  return inner > banks / size ? inner : banks / size;
}

/// What a block of scatter_add_block holds the sums of.
enum class ScatterBlockForm : unsigned {
  lines,      ///< whole lines: all elements along the indexed dim and those after it
  columns,    ///< for each thread a column: the elements along the indexed dim
  rows,       ///< for each thread a pack of y, whose rows have lists of sources (ScatterStep::link)
  hash_table  ///< the indexed elements of y, in a hash table; one block adds all sources
};

/// Elements per pack of ScatterBlockForm::rows.
inline constexpr unsigned scatter_row_pack = 8;

/// Steps of a scatter-add of narrow elements: initialize wide sums at the indexed positions, add the sources,
/// round the sums. add_single adds each source directly to its element, where no two sources share one. link makes a list of the
/// indices that select each position, for ScatterBlockForm::rows: u32 words, which are 0 before, for each position the number plus 1 of
/// the last such index, and for each index that of the one before it in its list. add_hashed adds the sources of each element of y in
/// a slot of a hash table, whose words of 64 bits are scatter_empty_slot before; add_slots adds the sums of all slots to y.
enum class ScatterStep : unsigned { widen, add, narrow, add_single, link, add_hashed, add_slots };

/// A slot without a key, whose sum is -0: adding to +0 would lose the sign of -0. To integers of fewer than 32 bits, it adds nothing.
inline constexpr long long scatter_empty_slot = -0x7fffffffffffffff - 1;

}  // namespace kg
