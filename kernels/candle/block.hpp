#pragma once
/// Threads of candle's blocks, which may have two dimensions, and the division of work among them.
#include "device/group.hpp"

namespace kg::candle {

KG_DEVICE u32 block_threads() { return block_size() * block_size_y(); }
KG_DEVICE u32 thread_of_block() { return thread_index() + thread_index_y() * block_size(); }

/// The threads of a block in groups of up to `wanted`, a power of two.
KG_DEVICE Group block_group(u32 wanted) { return Group(wanted, thread_of_block(), block_threads()); }

inline constexpr u32 widest_block = 1024;

/// One group of the largest power of two of threads in the block.
KG_DEVICE Group whole_block() { return block_group(widest_block); }

}  // namespace kg::candle
