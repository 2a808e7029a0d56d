/// Finding a kernel: by id (an array index) and by name (one hash, one comparison).
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "kernelgen/device.hpp"
#include "kernelgen/package.hpp"

namespace {

void lookup_by_id(benchmark::State& state) {
  const auto device = kernelgen::Device::open("cpu");
  device.preload();
  const auto count = static_cast<std::uint32_t>(device.package().kernels().size());
  std::uint32_t id = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(device.kernel(id));
    id = id + 1 == count ? 0 : id + 1;
  }
}
BENCHMARK(lookup_by_id);

void lookup_by_name(benchmark::State& state) {
  const kernelgen::Package package = kernelgen::Package::embedded();
  std::vector<std::string> names;
  for (const auto& kernel : package.kernels()) names.emplace_back(package.text(kernel.name));
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(package.find_kernel(names[i]));
    i = i + 1 == names.size() ? 0 : i + 1;
  }
}
BENCHMARK(lookup_by_name);

}  // namespace
