#pragma once
#include <optional>
#include <string>

#include "kernelgen/dtype.hpp"

struct BenchOptions {
  std::string device;
  kernelgen::DType dtype = kernelgen::DType::f32;
  std::string lengths;        ///< "512,128"
  std::optional<bool> graph;  ///< as Model has it; where nothing is said, on GPUs
  bool json = false;
};

/// Prints tokens a second of a prompt of random tokens, and of as many steps of one token each from an empty text on, which
/// is what llama-bench's pp and tg are. Each once without being timed, then five times.
void bench(const std::string& file, const BenchOptions& options);
