#include "commands/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

#include "bench/launch.hpp"
#include "bench/suite.hpp"
#include "commands/package_file.hpp"
#include "device/device_state.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::int64_t copied_bytes = 256 << 20;
/// What divides the work of a case that is verified.
constexpr std::int64_t verified_scale = 64;

/// Times work on one device with cold caches. They are flushed by reading: what was written last would have to
/// leave them first, at the cost of whatever runs next.
class Stopwatch {
 public:
  Stopwatch(const Device& device, int repetitions)
      : device_(device),
        times_(static_cast<std::size_t>(repetitions)),
        flush_(Tensor::zeros(device, {copied_bytes / 4}, DType::u32)) {}

  /// The median, in milliseconds.
  double median(const std::function<void()>& work) {
    work();
    for (double& time : times_) {
      max(flush_, std::array<std::int64_t, 1>{0}, false, {});
      time = once(work);
    }
    std::nth_element(times_.begin(), times_.begin() + times_.size() / 2, times_.end());
    return times_[times_.size() / 2];
  }

 private:
  double once(const std::function<void()>& work) {
    if (device_.kind() != DeviceKind::cpu) {
      const Event start = device_.record();
      work();
      const Event end = device_.record();
      end.synchronize();
      return end.milliseconds_since(start);
    }
    const auto start = std::chrono::steady_clock::now();
    work();
    device_.synchronize();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  }

  Device device_;
  std::vector<double> times_;
  Tensor flush_;
};

std::vector<double> values_of(const Tensor& tensor) {
  const std::vector<std::byte> bytes = to_dtype(tensor, DType::f64).to_host();
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// How far two devices may be apart: a few last places of the dtype, for the largest value.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3:
      return 0.13;
    case DType::bf16:
      return 0.016;
    case DType::f16:
      return 0.002;
    default:
      return is_float(dtype) ? 1e-5 : 0;
  }
}

/// What is wrong with the device's result, or nothing.
std::optional<std::string> objection(const BenchCase& bench, const Device& device, const Device& judge) {
  const Tensor got = bench.prepare(device, verified_scale).run(),
               wanted = bench.prepare(judge, verified_scale).run();
  if (got.dtype() != wanted.dtype() || !(got.shape() == wanted.shape())) return "another dtype or shape";
  const std::vector<double> a = values_of(got), b = values_of(wanted);
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (!(std::abs(a[i] - b[i]) <= tolerance(got.dtype()) * std::max(std::sqrt(bench.terms), std::abs(b[i]))))
      return fmt::format("element {} is {}, on the CPU {}", i, a[i], b[i]);
  }
  return std::nullopt;
}

struct Line {
  std::string name, shape;
  double milliseconds, gigabytes, share;
  double teraflops;
};

nlohmann::ordered_json header(const Device& device, const std::string& suite) {
  return {{"device", device.name()},
          {"architecture", device.architecture()},
          {"target", device.target()},
          {"suite", suite}};
}

}  // namespace

int run_bench(const BenchOptions& options, Disk& disk, const Environment& environment, std::FILE* out) {
  const Package package = choose_package(options.package, options.places, disk, environment);
  const Device device = Device::open(options.device, package);
  if (options.suite == "launch") {
    fmt::print(out, "{}, {}, target {}\n\n", device.name(), device.architecture(), device.target());
    nlohmann::ordered_json report = header(device, options.suite);
    report.update(bench_launches(device, out));
    if (!options.json.empty()) disk.write_atomically(options.json, report.dump(2) + "\n");
    return 0;
  }
  const Device judge = Device::open("cpu", package);
  device.preload();
  Stopwatch stopwatch(device, options.repetitions);
  const Tensor from = Tensor::zeros(device, {copied_bytes}, DType::u8),
               to = Tensor::zeros(device, {copied_bytes}, DType::u8);
  const double copy_ms = stopwatch.median(
      [&] { state_of(device).driver().copy_on_device(to.data(), from.data(), copied_bytes, nullptr); });
  const double copy_rate = 2.0 * copied_bytes / copy_ms / 1e6;
  fmt::print(out, "{}, {}, target {}; a copy of 256 MiB: {:.4f} ms, {:.1f} GB/s\n\n", device.name(),
             device.architecture(), device.target(), copy_ms, copy_rate);
  fmt::print(out, "{:<28} {:<22} {:>10} {:>9} {:>7}\n", "operation", "shape", "ms", "GB/s", "share");

  std::vector<Line> lines;
  std::vector<std::string> wrong;
  for (const BenchCase& bench : bench_suite(options.suite)) {
    if (bench.name.find(options.filter) == std::string::npos) continue;
    if (bench.verified)
      if (const auto what = objection(bench, device, judge)) {
        wrong.push_back(fmt::format("{} {}: {}", bench.name, bench.shape, *what));
        continue;
      }
    const BenchCase::Prepared prepared = bench.prepare(device, 1);
    const double ms = stopwatch.median([&] { prepared.run(); });
    const Line line{bench.name,
                    bench.shape,
                    ms,
                    prepared.bytes / ms / 1e6,
                    prepared.bytes / ms / 1e6 / copy_rate,
                    prepared.operations / ms / 1e9};
    lines.push_back(line);
    fmt::print(out, "{:<28} {:<22} {:>10.4f} {:>9.1f} {:>7.3f}", line.name, line.shape, line.milliseconds,
               line.gigabytes, line.share);
    if (line.teraflops > 0) fmt::print(out, " {:>8.1f} TFLOP/s", line.teraflops);
    fmt::print(out, "\n");
    std::fflush(out);
  }
  if (!options.json.empty()) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Line& line : lines)
      rows.push_back({{"operation", line.name},
                      {"shape", line.shape},
                      {"ms", line.milliseconds},
                      {"gigabytes_per_second", line.gigabytes},
                      {"share_of_copy", line.share},
                      {"teraflops", line.teraflops}});
    nlohmann::ordered_json report = header(device, options.suite);
    report["copy_gigabytes_per_second"] = copy_rate;
    report["operations"] = rows;
    disk.write_atomically(options.json, report.dump(2) + "\n");
  }
  for (const std::string& text : wrong) fmt::print(stderr, "kernel-gen: error: {}\n", text);
  if (lines.empty() && wrong.empty())
    throw Error(Code::not_found,
                fmt::format("no operation of the suite has '{}' in its name", options.filter));
  return wrong.empty() ? 0 : 1;
}

}  // namespace kernelgen::tool
