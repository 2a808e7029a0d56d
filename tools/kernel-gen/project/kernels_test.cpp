// Compares what has no "reference", a scan and the HIP kernel, with plain loops on the CPU.
#include <algorithm>
#include <cstdio>
#include <kernelgen/ops.hpp>
#include <vector>

#include "mine.hpp"

namespace {

using kernelgen::Tensor;

int failures = 0;

void expect(const char* what, const Tensor& result, const std::vector<float>& expected) {
  if (result.to_vector<float>() == expected) return;
  std::printf("%s is wrong\n", what);
  ++failures;
}

}  // namespace

int main() {
  std::vector<float> x(1000), highest, sums;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i * 7 % 1000) / 256 - 1;
    highest.push_back(i == 0 ? x[i] : std::max(x[i], highest.back()));
    sums.push_back(2 * x[i] + x[i]);
  }

  const kernelgen::Device device = kernelgen::Device::open("cpu");
  const Tensor from = Tensor::from_vector(device, x, {1000}), y = Tensor::from_vector(device, x, {1000});
  expect("highest_so_far", kernelgen::call("highest_so_far", {{from}}, {{0}}), highest);
  mine::Kernels(device).saxpy({}, 4, 256, 1000, 2, from, y);
  expect("saxpy", y, sums);
  return failures == 0 ? 0 : 1;
}
