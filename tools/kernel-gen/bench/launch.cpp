#include "bench/launch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>

#include "device/device_state.hpp"
#include "driver/gpu_api.hpp"
#include "kernelgen/ops.hpp"

namespace kernelgen::tool {
namespace {

constexpr int calls = 20'000, rounds = 9;
constexpr std::int64_t small = 16;
constexpr unsigned threads = 256;

double milliseconds(const Device& device, const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  device.synchronize();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

struct Family {
  const char* name;
  std::function<void(const Tensor& x, const Tensor& ids)> run;  ///< x is f32 [1, 1, 4, 4], ids u32 [4]
};

const Family families[] = {
    {"fill", [](const Tensor& x, const Tensor&) { const_set(x, 0.5); }},
    {"unary", [](const Tensor& x, const Tensor&) { abs(x); }},
    {"math", [](const Tensor& x, const Tensor&) { exp(x); }},
    {"activation", [](const Tensor& x, const Tensor&) { silu(x); }},
    {"binary", [](const Tensor& x, const Tensor&) { add(x, x); }},
    {"compare", [](const Tensor& x, const Tensor&) { lt(x, x); }},
    {"affine", [](const Tensor& x, const Tensor&) { affine(x, 2, 1); }},
    {"cast", [](const Tensor& x, const Tensor&) { to_dtype(x, DType::f16); }},
    {"copy", [](const Tensor& x, const Tensor&) { copy(x.transpose(2, 3)); }},
    {"reduce", [](const Tensor& x, const Tensor&) { sum(x, std::array<std::int64_t, 1>{3}, false, {}); }},
    {"softmax", [](const Tensor& x, const Tensor&) { softmax(x); }},
    {"matmul", [](const Tensor& x, const Tensor&) { matmul(x, x); }},
    {"conv", [](const Tensor& x, const Tensor&) { conv2d(x, x); }},
    {"pool", [](const Tensor& x, const Tensor&) { max_pool2d(x, {2, 2}, {2, 2}); }},
    {"upsample", [](const Tensor& x, const Tensor&) { upsample_nearest2d(x, {8, 8}); }},
    {"index", [](const Tensor& x, const Tensor& ids) { index_select(x, 3, ids); }},
    {"sort", [](const Tensor& x, const Tensor&) { arg_sort(x); }},
    {"random", [](const Tensor& x, const Tensor&) { rand_uniform(x.device(), {small}, DType::f32, 0, 1); }},
};

/// The driver's own call for the same kernel and arguments, as another program would make it.
std::function<void()> bare_launch(const Device& device, const Function& function, const Tensor& x,
                                  const Tensor& y) {
  const GpuApi& api = device.kind() == DeviceKind::cuda ? cuda_api() : hip_api();
  return [&api, handle = static_cast<const LoadedKernel*>(function.handle)->function, from = x.data(),
          to = y.data()]() mutable {
    std::uint64_t n = small;
    void* parameters[] = {&from, &to, &n};
    api.calls.launch.function(handle, 1, 1, 1, threads, 1, 1, 0, nullptr, parameters, nullptr);
  };
}

}  // namespace

nlohmann::ordered_json bench_launches(const Device& device, std::FILE* out) {
  nlohmann::ordered_json report;
  fmt::print(out, "{:<28} {:>10}\n", "first launch of", "ms");
  const Tensor x = Tensor::zeros(device, {1, 1, 4, 4}, DType::f32),
               ids = Tensor::zeros(device, {4}, DType::u32);
  device.synchronize();
  for (const Family& family : families) {
    const double ms = milliseconds(device, [&] { family.run(x, ids); });
    report["first_launch_ms"][family.name] = ms;
    fmt::print(out, "{:<28} {:>10.3f}\n", family.name, ms);
  }

  const Tensor y = Tensor::empty(device, {1, 1, 4, 4}, DType::f32);
  const Function function = device.kernel(*device.package().find_kernel("kg_abs_f32"));
  const struct {
    const void* x;
    void* y;
    std::uint64_t n;
  } arguments{x.data(), y.data(), small};
  LaunchShape shape;
  if (device.kind() != DeviceKind::cpu) shape.block[0] = threads;
  struct Kind {
    const char* name;
    std::function<void()> call;
    std::vector<double> nanoseconds = {};
  };
  std::vector<Kind> kinds;
  if (device.kind() != DeviceKind::cpu)
    kinds.push_back({"the driver's launch", bare_launch(device, function, x, y)});
  kinds.push_back(
      {"Device::launch", [&] { device.launch(function, shape, std::as_bytes(std::span(&arguments, 1))); }});
  kinds.push_back({"abs with an output given", [&] { abs(x, {.out = &y}); }});
  kinds.push_back({"abs", [&] { abs(x); }});
  // In turns, so that whatever else the machine does meets all alike.
  for (int round = 0; round < rounds; ++round)
    for (Kind& kind : kinds)
      kind.nanoseconds.push_back(milliseconds(device,
                                              [&] {
                                                for (int i = 0; i < calls; ++i) kind.call();
                                              }) *
                                 1e6 / calls);
  fmt::print(out, "\n{:<28} {:>10}\n", fmt::format("one of {} calls", calls), "ns");
  for (Kind& kind : kinds) {
    std::ranges::nth_element(kind.nanoseconds, kind.nanoseconds.begin() + rounds / 2);
    report["call_ns"][kind.name] = kind.nanoseconds[rounds / 2];
    fmt::print(out, "{:<28} {:>10.0f}\n", kind.name, kind.nanoseconds[rounds / 2]);
  }
  return report;
}

}  // namespace kernelgen::tool
