// The project's operations against plain loops, on the CPU.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <kernelgen/ops.hpp>
#include <vector>

#include "mine.hpp"

namespace {

using kernelgen::Tensor;

int failures = 0;

void expect(const char* what, const Tensor& result, const std::vector<float>& expected, float tolerance = 0) {
  const std::vector<float> found = result.to_vector<float>();
  bool is_right = found.size() == expected.size();
  for (std::size_t i = 0; is_right && i < found.size(); ++i)
    is_right = std::fabs(found[i] - expected[i]) <= tolerance;
  if (is_right) return;
  std::printf("%s is wrong\n", what);
  ++failures;
}

}  // namespace

int main() {
  std::vector<float> x(1000), squashed, snapped, centred, highest, slopes, sums;
  float squares = 0, total = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i * 7 % 1000) / 256 - 1;
    squashed.push_back(x[i] / (2 + std::fabs(x[i])));
    snapped.push_back(std::floor(x[i] / 0.25f) * 0.25f);
    highest.push_back(i == 0 ? x[i] : std::max(x[i], highest.back()));
    squares += x[i] * x[i];
    total += x[i];
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    centred.push_back(x[i] - total / 1000);
    slopes.push_back((x[std::min<std::size_t>(i + 1, 999)] - x[i == 0 ? 0 : i - 1]) / 2);
    if (i % 2 == 1) sums.push_back(x[i - 1] + x[i]);
  }

  using kernelgen::call;
  const kernelgen::Device device = kernelgen::Device::open("cpu");
  const Tensor from = Tensor::from_vector(device, x, {1000});
  expect("squash", call("squash", {{from}}, {{2}}), squashed);
  expect("snap", call("snap", {{from}}, {{0.25}}), snapped);
  expect("norm", call("norm", {{from}}), {std::sqrt(squares)}, 1e-3f);
  expect("centre", call("centre", {{from}}), centred, 1e-4f);
  expect("highest_so_far", call("highest_so_far", {{from}}, {{0}}), highest);
  expect("slope", call("slope", {{from}}), slopes);
  expect("pair_sums", call("pair_sums", {{from}}), sums);

  const Tensor y = Tensor::from_vector(device, x, {1000});
  mine::Kernels(device).saxpy({}, 4, 256, 1000, 2, from, y);
  for (float& value : x) value += 2 * value;
  expect("saxpy", y, x);
  return failures == 0 ? 0 : 1;
}
