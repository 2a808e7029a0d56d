#pragma once
/// Constants of index/scatter_add_16bit.hpp, shared with its callers.
namespace kg {

/// Maximum elements of a result and of a source for which one block is faster than three launches.
inline constexpr unsigned scatter_block_places = 8192, scatter_block_sources = 8192;

/// Threads of that block.
inline constexpr unsigned scatter_block_threads = 1024;

/// Steps of a scatter-add of narrow elements: initialize wide sums at the indexed positions, add the sources,
/// round the sums.
enum class ScatterStep : unsigned { widen, add, narrow };

}  // namespace kg
