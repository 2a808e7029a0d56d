#pragma once
#include <vector>

#include "run/runnable.hpp"

/// The library's operations, where kernelgen/ops declares them.
namespace kernelgen::tool {

/// Those whose rows bindings/generate.py writes from their signatures.
std::vector<Runnable> function_runnables();
Runnable attention_runnable();
Runnable expression_runnable();

}  // namespace kernelgen::tool
