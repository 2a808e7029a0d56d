#pragma once
#include <cstdint>
#include <random>

#include "kernelgen/tensor.hpp"

struct SamplerOptions {
  double temperature = 0;   ///< 0: the most likely token
  std::int64_t top_k = 40;  ///< how many of the most likely ones are picked from
  std::uint64_t seed = 1;
};

/// Picks tokens by their logits: the same ones for the same seed.
class Sampler {
 public:
  explicit Sampler(const SamplerOptions& options) : options_(options), random_(options.seed) {}

  /// u32 [1] on the logits' device. The most likely token is found there, without a way through the host.
  kernelgen::Tensor pick(const kernelgen::Tensor& logits);

 private:
  SamplerOptions options_;
  std::mt19937_64 random_;
};
