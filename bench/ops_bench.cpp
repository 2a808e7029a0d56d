/// Operations on the CPU device beside memcpy. Each iteration times the operation and a memcpy that moves the
/// same bytes (each input read once, the output written once), so that both see the machine in the same
/// state. Counters:
///   GB/s      bytes moved by the operation, by the median time
///   memcpy    one memcpy call's GB/s
///   parallel  GB/s of a memcpy cut over all the device's threads
///   share     GB/s over memcpy
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "kernelgen/ops.hpp"

namespace {

using kernelgen::Device;
using kernelgen::DType;
using kernelgen::Shape;
using kernelgen::Tensor;

const Device& cpu() {
  static const Device device = Device::open("cpu");
  return device;
}

Tensor random_tensor(const Shape& shape, DType dtype) {
  std::mt19937 random(7);
  std::vector<float> values(static_cast<std::size_t>(kernelgen::Layout::contiguous(shape).elements()));
  std::uniform_real_distribution<float> uniform(-4, 4);
  for (float& v : values) v = uniform(random);
  return kernelgen::to_dtype(Tensor::from_host(cpu(), std::as_bytes(std::span(values)), shape, DType::f32),
                             dtype);
}

double seconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double>& times) {
  std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
  return times[times.size() / 2];
}

void copy_in_parallel(char* to, const char* from, std::size_t bytes) {
  const std::size_t half = bytes / 2;
  std::thread other([&] { std::memcpy(to + half, from + half, bytes - half); });
  std::memcpy(to, from, half);
  other.join();
}

void beside_memcpy(benchmark::State& state, std::size_t bytes, const std::function<void()>& operation) {
  std::vector<char> from(bytes / 2, 1), to(bytes / 2, 2);
  std::vector<double> times, memcpy_times, parallel_times;
  operation();
  for (auto _ : state) {
    memcpy_times.push_back(seconds([&] { std::memcpy(to.data(), from.data(), from.size()); }));
    parallel_times.push_back(seconds([&] { copy_in_parallel(to.data(), from.data(), from.size()); }));
    times.push_back(seconds(operation));
    state.SetIterationTime(times.back());
    benchmark::DoNotOptimize(to.data());
  }
  const double rate = static_cast<double>(bytes) / 1e9;
  state.counters["GB/s"] = rate / median(times);
  state.counters["memcpy"] = rate / median(memcpy_times);
  state.counters["parallel"] = rate / median(parallel_times);
  state.counters["share"] = median(memcpy_times) / median(times);
}

constexpr std::int64_t elements = 16 << 20;

using Unary = Tensor (*)(const Tensor&, const kernelgen::CallOptions&);

void unary(benchmark::State& state, Unary operation, DType dtype) {
  const Tensor x = random_tensor({elements}, dtype), y = Tensor::empty(cpu(), {elements}, dtype);
  beside_memcpy(state, 2 * elements * size_of(dtype), [&] { operation(x, {.out = &y}); });
}

void register_unary(const char* name, Unary operation, std::initializer_list<DType> dtypes) {
  for (DType dtype : dtypes)
    benchmark::RegisterBenchmark((std::string(name) + "/" + std::string(name_of(dtype)) + "/16Mi").c_str(),
                                 unary, operation, dtype)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
}

void add(benchmark::State& state) {
  const Tensor a = random_tensor({elements}, DType::f32), b = random_tensor({elements}, DType::f32);
  const Tensor y = Tensor::empty(cpu(), {elements}, DType::f32);
  beside_memcpy(state, 3 * elements * 4, [&] { kernelgen::add(a, b, {.out = &y}); });
}

void add_row(benchmark::State& state) {
  const Tensor a = random_tensor({4096, 4096}, DType::f32), b = random_tensor({4096}, DType::f32);
  const Tensor y = Tensor::empty(cpu(), {4096, 4096}, DType::f32);
  beside_memcpy(state, 2 * elements * 4, [&] { kernelgen::add(a, b, {.out = &y}); });
}

void add_transposed(benchmark::State& state) {
  const Tensor a = random_tensor({4096, 4096}, DType::f32);
  const Tensor b = random_tensor({4096, 4096}, DType::f32).transpose(0, 1);
  const Tensor y = Tensor::empty(cpu(), {4096, 4096}, DType::f32);
  beside_memcpy(state, 3 * elements * 4, [&] { kernelgen::add(a, b, {.out = &y}); });
}

void affine(benchmark::State& state) {
  const Tensor x = random_tensor({elements}, DType::f32), y = Tensor::empty(cpu(), {elements}, DType::f32);
  beside_memcpy(state, 2 * elements * 4, [&] { kernelgen::affine(x, 2.5, -1, {.out = &y}); });
}

void cast(benchmark::State& state) {
  const Tensor x = random_tensor({elements}, DType::f32), y = Tensor::empty(cpu(), {elements}, DType::f16);
  beside_memcpy(state, elements * 6, [&] { kernelgen::to_dtype(x, DType::f16, {.out = &y}); });
}

void transposed_copy(benchmark::State& state) {
  const Tensor x = random_tensor({4096, 4096}, DType::f32).transpose(0, 1);
  beside_memcpy(state, 2 * elements * 4, [&] { kernelgen::copy(x); });
}

void fill(benchmark::State& state) {
  const Tensor y = Tensor::empty(cpu(), {elements}, DType::f32);
  beside_memcpy(state, elements * 4, [&] { kernelgen::const_set(y, 1); });
}

/// GFLOP/s by the median time. KERNELGEN_BLAS_LIBRARY=none for our own kernel.
void matmul(benchmark::State& state, DType dtype, std::int64_t m, std::int64_t k, std::int64_t n) {
  const Tensor a = random_tensor({m, k}, dtype), b = random_tensor({k, n}, dtype);
  const Tensor y = Tensor::empty(cpu(), {m, n}, dtype);
  std::vector<double> times;
  kernelgen::matmul(a, b, {.out = &y});
  for (auto _ : state) {
    times.push_back(seconds([&] { kernelgen::matmul(a, b, {.out = &y}); }));
    state.SetIterationTime(times.back());
  }
  const double bytes = static_cast<double>((m * k + k * n + m * n) * size_of(dtype));
  state.counters["GFLOP/s"] = 2e-9 * static_cast<double>(m) * static_cast<double>(k * n) / median(times);
  state.counters["GB/s"] = bytes / 1e9 / median(times);
}

void register_matmul(const char* shape, std::int64_t m, std::int64_t k, std::int64_t n,
                     std::initializer_list<DType> dtypes) {
  for (DType dtype : dtypes)
    benchmark::RegisterBenchmark(("matmul/" + std::string(name_of(dtype)) + "/" + shape).c_str(), matmul,
                                 dtype, m, k, n)
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
}

const bool registered = [] {
  register_matmul("1024x1024x1024", 1024, 1024, 1024, {DType::f32, DType::f64, DType::f16});
  register_matmul("4096x4096x1", 4096, 4096, 1, {DType::f32, DType::f16});
  register_matmul("1x4096x4096", 1, 4096, 4096, {DType::f32, DType::f16});
  register_unary("copy", kernelgen::copy, {DType::f32});
  register_unary("exp", kernelgen::exp, {DType::f32, DType::f16, DType::bf16});
  register_unary("silu", kernelgen::silu, {DType::f32, DType::f16});
  register_unary("gelu", kernelgen::gelu, {DType::f32, DType::f16});
  register_unary("tanh", kernelgen::tanh, {DType::f32});
  register_unary("sigmoid", kernelgen::sigmoid, {DType::f32});
  register_unary("erf", kernelgen::erf, {DType::f32});
  register_unary("sin", kernelgen::sin, {DType::f32});
  register_unary("log", kernelgen::log, {DType::f32});
  return true;
}();

BENCHMARK(add)->Name("add/f32/16Mi")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(add_row)->Name("add_row_broadcast/f32/4096x4096")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(add_transposed)
    ->Name("add_transposed/f32/4096x4096")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(affine)->Name("affine/f32/16Mi")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(cast)->Name("cast/f32-f16/16Mi")->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(transposed_copy)
    ->Name("transposed_copy/f32/4096x4096")
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(fill)->Name("const_set/f32/16Mi")->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
