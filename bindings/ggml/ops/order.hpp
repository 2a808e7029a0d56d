#pragma once
#include "interface.hpp"

namespace kernelgen::ggml {

/// Moves nodes that one operation of the library computes next to each other, where what they read and write allows it. ggml has
/// not given the results memory yet.
void bring_together(Graph& graph);

}  // namespace kernelgen::ggml
