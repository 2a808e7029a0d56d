/// What one small operation costs on the CPU device: the launch itself, and a whole call with the output
/// given.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "kernelgen/ops.hpp"

namespace {

using kernelgen::Device;
using kernelgen::DType;
using kernelgen::Tensor;

void launch(benchmark::State& state) {
  const Device device = Device::open("cpu");
  const Tensor x = Tensor::zeros(device, {16}, DType::f32), y = Tensor::zeros(device, {16}, DType::f32);
  const kernelgen::Function function = device.kernel(*device.package().find_kernel("kg_abs_f32"));
  const struct {
    const void* x;
    void* y;
    std::uint64_t n;
  } arguments{x.data(), y.data(), 16};
  for (auto _ : state) device.launch(function, {}, std::as_bytes(std::span(&arguments, 1)));
}
BENCHMARK(launch);

void operation_of_16_elements(benchmark::State& state) {
  const Device device = Device::open("cpu");
  const Tensor x = Tensor::zeros(device, {16}, DType::f32), y = Tensor::zeros(device, {16}, DType::f32);
  for (auto _ : state) kernelgen::abs(x, {.out = &y});
}
BENCHMARK(operation_of_16_elements);

}  // namespace
