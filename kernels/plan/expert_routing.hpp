#pragma once
/// Constants of the routing of tokens to experts, shared by kernels and their callers.
#include "plan/abi.hpp"

namespace kg {

/// Threads that choose the experts of a token, tokens of a block, and the largest number of experts of a token.
inline constexpr unsigned routing_threads = 32, routing_groups = block_threads / routing_threads,
                          routing_most = 64;

}  // namespace kg
