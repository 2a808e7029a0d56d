// The project's operations against plain loops, on the CPU.
#include <cmath>
#include <cstdio>
#include <kernelgen/ops.hpp>
#include <vector>

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
  std::vector<float> x(1000), squashed, snapped;
  for (std::size_t i = 0; i < x.size(); ++i) {
    x[i] = static_cast<float>(i) / 256 - 1;
    squashed.push_back(x[i] / (2 + std::fabs(x[i])));
    snapped.push_back(std::floor(x[i] / 0.25f) * 0.25f);
  }

  const Tensor from = Tensor::from_vector(kernelgen::Device::open("cpu"), x, {1000});
  const kernelgen::Scalar width[] = {2}, step[] = {0.25};
  expect("squash", kernelgen::call("squash", {{from}}, width), squashed);
  expect("snap", kernelgen::call("snap", {{from}}, step), snapped);
  return failures == 0 ? 0 : 1;
}
