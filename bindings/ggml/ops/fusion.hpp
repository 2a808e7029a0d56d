#pragma once
#include <span>

#include "call.hpp"

namespace kernelgen::ggml {

/// Executes the first of these nodes, which follow one another, as one operation of the library if they are a pattern of it.
/// Returns how many: 0 if the first has to be executed alone.
std::size_t run_fused(Workspace& workspace, const Graph& graph, std::span<const Node* const> nodes);

}  // namespace kernelgen::ggml
