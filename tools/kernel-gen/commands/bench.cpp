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

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "bench/launch.hpp"
#include "bench/suite.hpp"
#include "commands/output_file.hpp"
#include "commands/package_file.hpp"
#include "conformance/comparison.hpp"
#include "device/device_state.hpp"
#include "kernelgen/error.hpp"
#include "run/launch_table.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::int64_t copied_bytes = 256 << 20;
/// What divides the work of a case that is verified.
constexpr std::int64_t verified_scale = 64;

using Work = std::function<void()>;

/// Times work on one device with cold caches. They are flushed by reading: what was written last would have to
/// leave them first, at the cost of whatever runs next.
class Stopwatch {
 public:
  Stopwatch(const Device& device, int repetitions)
      : device_(device),
        repetitions_(repetitions),
        flush_(Tensor::zeros(device, {copied_bytes / 4}, DType::u32)) {}

  /// The median of each, in milliseconds; they take turns, so that all see the machine in the same state.
  std::vector<double> medians(std::span<const Work> works) {
    std::vector<std::vector<double>> times(works.size());
    for (const Work& work : works) work();
    for (int turn = 0; turn < repetitions_; ++turn)
      for (std::size_t i = 0; i < works.size(); ++i) {
        max(flush_, std::array<std::int64_t, 1>{0}, false, {});
        times[i].push_back(once(works[i]));
      }
    std::vector<double> middle;
    for (auto& row : times) {
      std::nth_element(row.begin(), row.begin() + row.size() / 2, row.end());
      middle.push_back(row[row.size() / 2]);
    }
    return middle;
  }
  double median(const Work& work) { return medians({&work, 1})[0]; }

 private:
  double once(const Work& work) {
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
  int repetitions_;
  Tensor flush_;
};

/// What the device's operations are held against: on a GPU the driver's own copy of 256 MiB, timed once; on the CPU one
/// call of memcpy that moves as many bytes as the operation, in turns with it.
class Copy {
 public:
  Copy(const Device& device, Stopwatch& stopwatch)
      : stopwatch_(stopwatch), on_cpu_(device.kind() == DeviceKind::cpu) {
    const Tensor from = Tensor::zeros(device, {copied_bytes}, DType::u8),
                 to = Tensor::zeros(device, {copied_bytes}, DType::u8);
    milliseconds_ = stopwatch.median(
        [&] { state_of(device).driver().copy_on_device(to.data(), from.data(), copied_bytes, nullptr); });
  }

  double milliseconds() const { return milliseconds_; }
  /// GB/s, a byte read and written counting as two.
  double rate() const { return 2.0 * copied_bytes / milliseconds_ / 1e6; }
  const char* description() const {
    return on_cpu_ ? "share: of the speed of a memcpy of the same size"
                   : "share: of the bandwidth of that copy";
  }

  struct Timed {
    double milliseconds, share;
  };
  Timed time(const BenchCase::Prepared& prepared) {
    const Work work = [&] { prepared.run(); };
    if (!on_cpu_) {
      const double ms = stopwatch_.median(work);
      return {ms, prepared.bytes / ms / 1e6 / rate()};
    }
    std::vector<char> from(static_cast<std::size_t>(prepared.bytes / 2), 1), to(from.size());
    const Work works[] = {work, [&] { std::memcpy(to.data(), from.data(), from.size()); }};
    const std::vector<double> medians = stopwatch_.medians(works);
    return {medians[0], medians[1] / medians[0]};
  }

 private:
  Stopwatch& stopwatch_;
  bool on_cpu_;
  double milliseconds_;
};

std::vector<double> values_of(const Tensor& tensor) {
  const Tensor plain = is_quantized(tensor.dtype()) ? dequantize(tensor, DType::f32) : tensor;
  const std::vector<std::byte> bytes = to_dtype(plain, DType::f64).to_host();
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// What is wrong with a device's result at the verified scale, or nothing.
std::optional<std::string> objection(const BenchCase& bench, const Tensor& got, const Device& judge) {
  const Tensor wanted = bench.prepare(judge, verified_scale).run();
  if (got.dtype() != wanted.dtype() || !(got.shape() == wanted.shape()))
    return "dtype or shape differs from the CPU's";
  const std::vector<double> a = values_of(got), b = values_of(wanted);
  const double off = bench.tolerance.value_or(usual_tolerance(got.dtype()));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i]) && std::isnan(b[i])) continue;
    if (!(std::abs(a[i] - b[i]) <= off * std::max(std::sqrt(bench.terms), std::abs(b[i]))))
      return fmt::format("element {} is {}, on the CPU {}", i, a[i], b[i]);
  }
  return std::nullopt;
}

struct Line {
  std::string name, shape;
  double milliseconds, gigabytes, share;
  double teraflops;
};

void print(const Line& line, std::FILE* out) {
  fmt::print(out, "{:<28} {:<22} {:>10.4f} {:>9.1f} {:>7.3f}", printable(line.name), line.shape,
             line.milliseconds, line.gigabytes, line.share);
  if (line.teraflops > 0) fmt::print(out, " {:>8.3g} TFLOP/s", line.teraflops);
  fmt::print(out, "\n");
  std::fflush(out);
}

nlohmann::ordered_json to_json(const std::vector<Line>& lines) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Line& line : lines)
    rows.push_back({{"operation", line.name},
                    {"shape", line.shape},
                    {"ms", line.milliseconds},
                    {"gigabytes_per_second", line.gigabytes},
                    {"share_of_copy", line.share},
                    {"teraflops", line.teraflops}});
  return rows;
}

nlohmann::ordered_json header(const Device& device, const std::string& suite) {
  return {{"device", device.name()},
          {"architecture", device.architecture()},
          {"target", device.target()},
          {"suite", suite}};
}

/// A device's name is what its driver says, its target's is the package's.
std::string spell(const Device& device) {
  return printable(fmt::format("{}, {}, target {}", device.name(), device.architecture(), device.target()));
}

void write_report(const BenchOptions& options, const nlohmann::ordered_json& report, Disk& disk) {
  if (!options.json.empty()) disk.write_atomically(options.json, json_text(report));
}

int time_launches(const BenchOptions& options, const Device& device, Disk& disk, std::FILE* out) {
  fmt::print(out, "{}\n\n", spell(device));
  nlohmann::ordered_json report = header(device, options.suite);
  report.update(bench_launches(device, out));
  write_report(options, report, disk);
  return exit_ok;
}

/// The cases whose name contains the filter. Throws if there are none.
std::vector<BenchCase> chosen_cases(const BenchOptions& options, const Disk& disk, DeviceKind kind) {
  const std::filesystem::path& file = options.paths.bench_cases;
  std::vector<BenchCase> cases = bench_cases(read_case_file(file.string(), disk.read(file)), kind);
  std::erase_if(cases,
                [&](const BenchCase& bench) { return bench.name.find(options.filter) == std::string::npos; });
  if (cases.empty())
    throw Error(Code::not_found,
                fmt::format("{}: --filter: no case has a name with '{}'", file.string(), options.filter));
  return cases;
}

int finish(const std::vector<std::string>& wrong) {
  for (const std::string& text : wrong) print_error(fmt::format("kernel-gen: error: {}", printable(text)));
  return wrong.empty() ? exit_ok : exit_failure;
}

int time_operations(const BenchOptions& options, const Device& device, Disk& disk, std::FILE* out) {
  const std::vector<BenchCase> cases = chosen_cases(options, disk, device.kind());
  const Device judge = Device::open("cpu", device.package());
  device.preload();
  Stopwatch stopwatch(device, options.repetitions);
  Copy copy(device, stopwatch);
  fmt::print(out, "{}; a copy of 256 MiB: {:.4f} ms, {:.1f} GB/s; {}\n\n", spell(device), copy.milliseconds(),
             copy.rate(), copy.description());
  fmt::print(out, "{:<28} {:<22} {:>10} {:>9} {:>7}\n", "operation", "shape", "ms", "GB/s", "share");

  std::vector<Line> lines;
  std::vector<std::string> wrong;
  for (const BenchCase& bench : cases) {
    if (const auto what = objection(bench, bench.prepare(device, verified_scale).run(), judge)) {
      wrong.push_back(fmt::format("{} {}: {}", bench.name, bench.shape, *what));
      continue;
    }
    const BenchCase::Prepared prepared = bench.prepare(device, 1);
    const auto [ms, share] = copy.time(prepared);
    lines.push_back(
        {bench.name, bench.shape, ms, prepared.bytes / ms / 1e6, share, prepared.operations / ms / 1e9});
    print(lines.back(), out);
  }
  nlohmann::ordered_json report = header(device, options.suite);
  report["copy_gigabytes_per_second"] = copy.rate();
  report["operations"] = to_json(lines);
  write_report(options, report, disk);
  return finish(wrong);
}

/// A simulated GPU has no clock: counts what the operations launch at the verified scale.
int count_operations(const BenchOptions& options, const Device& device, Disk& disk, std::FILE* out) {
  const std::vector<BenchCase> cases = chosen_cases(options, disk, device.kind());
  const Device judge = Device::open("cpu", device.package());
  const MachineTable machines = read_machines(disk, options.paths.machines);
  LaunchTable table;
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::vector<std::string> wrong;
  for (const BenchCase& bench : cases) {
    const BenchCase::Prepared prepared = bench.prepare(device, verified_scale);
    const LaunchRecorder recorder(device);
    const Tensor got = prepared.run();
    const std::vector<SimulatedLaunch> launches = recorder.launches(machines.find(device.architecture()));
    if (const auto what = objection(bench, got, judge)) {
      wrong.push_back(fmt::format("{} {}: {}", bench.name, prepared.shape, *what));
      continue;
    }
    nlohmann::ordered_json row = {{"operation", bench.name}, {"shape", prepared.shape}};
    for (const SimulatedLaunch& launch : launches) {
      table.add(fmt::format("{} {}", bench.name, prepared.shape), launch);
      row["launches"].push_back(launch.to_json());
    }
    rows.push_back(std::move(row));
  }
  fmt::print(out, "{}; counts, of 1/{} of the suite's work\n\n", spell(device), verified_scale);
  table.print("operation", out);
  nlohmann::ordered_json report = header(device, options.suite);
  report["operations"] = std::move(rows);
  write_report(options, report, disk);
  return finish(wrong);
}

}  // namespace

int run_bench(const BenchOptions& options, Disk& disk, const Environment& environment, std::FILE* out) {
  if (options.suite != "ops" && options.suite != "launch")
    throw Error(Code::not_found,
                fmt::format("--suite: unknown suite '{}'; the suites are ops and launch", options.suite));
  const Package package = choose_package(options.package, options.paths, disk, environment);
  refuse_inputs(disk, "--json", options.json, {package.name(), options.paths.bench_cases});
  const Device device = Device::open(options.device, package);
  if (!is_simulated(device))
    return (options.suite == "launch" ? time_launches : time_operations)(options, device, disk, out);
  if (options.suite == "launch")
    throw BadInput(Fault{"", "", fmt::format("--suite launch: {} has no clock", device.location()), {}});
  return count_operations(options, device, disk, out);
}

}  // namespace kernelgen::tool
