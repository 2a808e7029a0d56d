#pragma once
/// What scatter_block.hpp shares with its caller.
namespace kg {

/// Elements of a result, and of a source, of which one block is done before three launches are.
inline constexpr unsigned scatter_block_places = 8192, scatter_block_sources = 8192;

/// Threads of that block.
inline constexpr unsigned scatter_block_threads = 1024;

}  // namespace kg
