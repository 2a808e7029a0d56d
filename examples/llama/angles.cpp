#include "angles.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>
#include <span>
#include <vector>

#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"

using namespace kernelgen;

namespace {

/// Radians that each pair turns from one position to the next.
std::vector<double> frequencies(const Hyperparameters& h) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < h.head / 2; ++i)
    values.push_back(std::pow(h.rope_base, -2.0 * static_cast<double>(i) / static_cast<double>(h.head)));
  return values;
}

/// The pair that turns so often within the context that the model was trained with.
double pair_of_turns(const Hyperparameters& h, double turns) {
  return static_cast<double>(h.head) * std::log(h.scaling.original_context / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(h.rope_base));
}

/// Of YaRN: pairs that turn 32 times or more are kept, those that turn once or less are slowed by the factor.
void slow_down(const Hyperparameters& h, std::vector<double>& values) {
  constexpr double fast_turns = 32, slow_turns = 1;
  const double last = static_cast<double>(h.head - 1);
  const double low = std::max(0.0, std::floor(pair_of_turns(h, fast_turns)));
  const double high = std::min(last, std::ceil(pair_of_turns(h, slow_turns)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double slowed = std::clamp((static_cast<double>(i) - low) / std::max(0.001, high - low), 0.0, 1.0);
    values[i] *= (1 - slowed) + slowed / h.scaling.factor;
  }
}

void divide_by_tensor(const GgufFile& file, const Hyperparameters& h, std::vector<double>& values) {
  const GgufTensor* tensor = file.find("rope_freqs.weight");
  if (tensor == nullptr) return;
  if (tensor->dtype != DType::f32 || tensor->shape != Shape{h.head / 2})
    throw Error(Code::bad_package,
                file.name() + ": tensor 'rope_freqs.weight' is no f32 [" + std::to_string(h.head / 2) + "]");
  std::vector<float> divisors(values.size());
  std::memcpy(divisors.data(), file.bytes(*tensor).data(), divisors.size() * sizeof(float));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] /= divisors[i];
}

}  // namespace

Angles make_angles(const Device& device, const GgufFile& file, const Hyperparameters& h,
                   std::int64_t positions, DType dtype) {
  std::vector<double> turns = frequencies(h);
  divide_by_tensor(file, h, turns);
  double scale = 1;
  if (h.scaling.kind == RopeScaling::Kind::linear)
    for (double& turn : turns) turn /= h.scaling.factor;
  if (h.scaling.kind == RopeScaling::Kind::yarn) {
    slow_down(h, turns);
    scale = h.scaling.attention_factor * (1 + 0.1 * std::log(h.scaling.factor));
  }
  std::vector<float> cosines, sines;
  for (std::int64_t p = 0; p < positions; ++p)
    for (const double turn : turns) {
      cosines.push_back(static_cast<float>(scale * std::cos(static_cast<double>(p) * turn)));
      sines.push_back(static_cast<float>(scale * std::sin(static_cast<double>(p) * turn)));
    }
  const Shape shape{positions, h.head / 2};
  const auto upload = [&](const std::vector<float>& values) {
    return to_dtype(Tensor::from_host(device, std::as_bytes(std::span(values)), shape, DType::f32), dtype);
  };
  return {upload(cosines), upload(sines)};
}
