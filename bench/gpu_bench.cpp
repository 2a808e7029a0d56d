/// Element-wise operations on a GPU, 2^26 elements: milliseconds by the device's events (median of 25, the
/// cache flushed between by filling 256 MiB) and GB/s, each input read once and the output written once.
///   KERNELGEN_PACKAGE=package/kernelgen.kgpkg gpu_bench cuda:0
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <random>
#include <vector>

#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"

namespace {

using namespace kernelgen;

class Bench {
 public:
  explicit Bench(const Device& device)
      : device_(device), flush_(Tensor::empty(device, {256 << 20}, DType::u8)) {}

  void row(const char* name, double bytes, const std::function<void()>& operation) {
    std::vector<double> times(25);
    operation();
    for (double& time : times) {
      const_set(flush_, 1);
      const Event start = device_.record();
      operation();
      const Event end = device_.record();
      end.synchronize();
      time = end.milliseconds_since(start);
    }
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    const double median = times[times.size() / 2];
    std::printf("%-28s %8.4f ms %8.1f GB/s\n", name, median, bytes / median / 1e6);
  }

 private:
  Device device_;
  Tensor flush_;
};

void contiguous(Bench& bench, const Tensor& x, const Tensor& out) {
  const double n = static_cast<double>(x.elements());
  bench.row("copy f32", 8 * n, [&] { copy(x, {.out = &out}); });
  bench.row("exp f32", 8 * n, [&] { exp(x, {.out = &out}); });
  bench.row("gelu f32", 8 * n, [&] { gelu(x, {.out = &out}); });
  bench.row("sin f32", 8 * n, [&] { sin(x, {.out = &out}); });
  const Tensor y = copy(x);
  bench.row("add f32", 12 * n, [&] { add(x, y, {.out = &out}); });
  bench.row("affine f32", 8 * n, [&] { affine(x, 2, 1, {.out = &out}); });
  bench.row("const_set f32", 4 * n, [&] { const_set(out, 1.5); });
  const Tensor mask = to_dtype(x, DType::u8), bytes = to_dtype(x, DType::u8);
  bench.row("eq f32", 9 * n, [&] { eq(x, y, {.out = &bytes}); });
  bench.row("where u8 f32", 13 * n, [&] { where_cond(mask, x, y, {.out = &out}); });
  for (DType narrow : {DType::f16, DType::bf16, DType::f8e4m3}) {
    const Tensor a = to_dtype(x, narrow), b = copy(a);
    const double size = static_cast<double>(size_of(narrow));
    const auto named = [&](const char* operation) {
      return operation + (" " + std::string(name_of(narrow)));
    };
    bench.row(named("exp").c_str(), 2 * size * n, [&] { exp(a, {.out = &b}); });
    bench.row(named("cast f32 to").c_str(), (4 + size) * n, [&] { to_dtype(x, narrow, {.out = &b}); });
    bench.row(named("cast to f32 from").c_str(), (4 + size) * n,
              [&] { to_dtype(a, DType::f32, {.out = &out}); });
  }
}

void strided(Bench& bench, const Tensor& x, const Tensor& out) {
  const double n = static_cast<double>(x.elements());
  const Tensor m = x.reshape({8192, 8192}), y = out.reshape({8192, 8192});
  bench.row("add row broadcast", 8 * n, [&] { add(m, m.narrow(0, 0, 1), {.out = &y}); });
  bench.row("add column broadcast", 8 * n, [&] { add(m, m.narrow(1, 0, 1), {.out = &y}); });
  bench.row("add transposed rhs", 12 * n, [&] { add(m, m.transpose(0, 1), {.out = &y}); });
  bench.row("transpose 8192x8192 f32", 8 * n, [&] { copy(m.transpose(0, 1)); });
  const Tensor heads = to_dtype(x, DType::f16).reshape({8, 32, 2048, 128});
  bench.row("permute BHTD to BTHD f16", 4 * n, [&] { copy(heads.transpose(1, 2)); });
}

}  // namespace

int main(int argc, char** argv) try {
  const Device device = Device::open(argc > 1 ? argv[1] : "auto");
  std::printf("%s, %s, target %s\n", device.name().c_str(), device.architecture().c_str(),
              device.target().c_str());
  device.preload();
  std::vector<float> values(1 << 26);
  std::mt19937 random(1);
  std::uniform_real_distribution<float> uniform(-2, 2);
  for (float& value : values) value = uniform(random);
  const Shape shape{static_cast<std::int64_t>(values.size())};
  const Tensor x = Tensor::from_host(device, std::as_bytes(std::span(values)), shape, DType::f32);
  const Tensor out = Tensor::empty(device, shape, DType::f32);
  Bench bench(device);
  contiguous(bench, x, out);
  strided(bench, x, out);
} catch (const kernelgen::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
