#pragma once
/// What scatter_narrow.hpp shares with its caller.
namespace kg {

/// Elements of a result, and of a source, of which one block is done before three launches are.
inline constexpr unsigned scatter_block_places = 8192, scatter_block_sources = 8192;

/// Threads of that block.
inline constexpr unsigned scatter_block_threads = 1024;

/// The steps by which sums of narrow elements are made at the places that indices point to: wide sums begin as what lies
/// there, sources are added to them, and what they come to is rounded.
enum class ScatterStep : unsigned { widen, add, narrow };

}  // namespace kg
