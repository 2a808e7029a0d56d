#pragma once
#include <vector>

#include "run/runnable.hpp"

/// The library's operations, a function a header of kernelgen/ops.
namespace kernelgen::tool {

std::vector<Runnable> attention_runnables();
std::vector<Runnable> elementwise_runnables();
std::vector<Runnable> expression_runnables();
std::vector<Runnable> image_runnables();
std::vector<Runnable> index_runnables();
std::vector<Runnable> loss_runnables();
std::vector<Runnable> manipulation_runnables();
std::vector<Runnable> matmul_runnables();
std::vector<Runnable> normalization_runnables();
std::vector<Runnable> quantized_runnables();
std::vector<Runnable> random_runnables();
std::vector<Runnable> reduce_runnables();
std::vector<Runnable> rope_runnables();
std::vector<Runnable> scan_runnables();
std::vector<Runnable> sequence_runnables();
std::vector<Runnable> sort_runnables();

}  // namespace kernelgen::tool
