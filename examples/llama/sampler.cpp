#include "sampler.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernelgen/ops.hpp"

using namespace kernelgen;

Tensor Sampler::pick(const Tensor& logits) {
  if (options_.temperature <= 0) return argmax(logits, 1);
  const std::int64_t count = std::min(options_.top_k, logits.shape()[1]);
  const Indexed best = top_k(logits, count);
  const std::vector<float> scores = to_dtype(best.values, DType::f32).to_vector<float>();
  std::vector<double> weights;
  double sum = 0;
  for (const float score : scores) {
    weights.push_back(std::exp((score - scores[0]) / options_.temperature));
    sum += weights.back();
  }
  // 53 random bits, the same on every system.
  double left = static_cast<double>(random_() >> 11) * 0x1p-53 * sum;
  std::int64_t at = 0;
  while (at + 1 < count && left >= weights[static_cast<std::size_t>(at)])
    left -= weights[static_cast<std::size_t>(at++)];
  return best.indices.narrow(1, at, 1).reshape({1});
}
