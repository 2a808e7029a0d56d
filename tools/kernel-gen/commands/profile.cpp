#include "commands/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "commands/simulated_program.hpp"
#include "manifest/machine.hpp"
#include "run/simulated_launches.hpp"

namespace kernelgen::tool {
namespace {

std::vector<SimulatedLaunch> read_launches(const JsonLines& lines, const MachineTable& machines) {
  std::vector<SimulatedLaunch> launches;
  for (const auto& counts : lines.read()) {
    const Machine* const machine = machines.find(counts.at("gpu").get<std::string>());
    launches.push_back({counts, machine == nullptr ? std::nullopt : bound_of(*machine, counts)});
  }
  return launches;
}

/// The launches of one kernel.
struct KernelSum {
  std::string name;
  std::size_t launches = 0;
  double microseconds = 0;
  std::map<std::string, double> by_limit{};  ///< microseconds of launches that this bounds
  std::map<std::string, std::uint64_t> counts{};
};

constexpr const char* columns[] = {
    "valu", "matrix", "lds", "vector_memory", "distinct_loaded", "distinct_stored", "lds_conflicts"};

std::vector<KernelSum> sum_by_kernel(const std::vector<SimulatedLaunch>& launches) {
  std::vector<KernelSum> kernels;
  for (const SimulatedLaunch& launch : launches) {
    const auto name = launch.counts.at("kernel").get<std::string>();
    auto kernel = std::ranges::find(kernels, name, &KernelSum::name);
    if (kernel == kernels.end()) kernel = kernels.insert(kernel, KernelSum{name});
    ++kernel->launches;
    for (const char* column : columns)
      kernel->counts[column] += launch.counts.at(column).get<std::uint64_t>();
    if (!launch.bound) continue;
    const auto [limit, time] = launch.bound->longest();
    kernel->microseconds += time;
    kernel->by_limit[limit] += time;
  }
  std::ranges::stable_sort(kernels, std::ranges::greater(), &KernelSum::microseconds);
  return kernels;
}

void print_table(const std::vector<KernelSum>& kernels, std::FILE* out) {
  Table table({"launches", "bound µs", "by", "VALU", "matrix", "LDS", "memory", "KiB read", "KiB written",
               "conflicts", "kernel"});
  constexpr std::uint64_t lines_a_kib = 16;
  for (const KernelSum& kernel : kernels) {
    const auto count = [&](const char* column) { return fmt::format("{}", kernel.counts.at(column)); };
    const auto kib = [&](const char* column) {
      return fmt::format("{}", kernel.counts.at(column) / lines_a_kib);
    };
    const auto limit =
        std::ranges::max_element(kernel.by_limit, {}, [](const auto& row) { return row.second; });
    const bool bounded = limit != kernel.by_limit.end();
    table.add({fmt::format("{}", kernel.launches), bounded ? fmt::format("{:.3f}", kernel.microseconds) : "-",
               bounded ? limit->first : "-", count("valu"), count("matrix"), count("lds"),
               count("vector_memory"), kib("distinct_loaded"), kib("distinct_stored"), count("lds_conflicts"),
               kernel.name});
  }
  table.print(out);
}

}  // namespace

int run_profile(const ProfileOptions& options, const Places& places, Disk& disk, ProcessRunner& runner,
                std::FILE* out) {
  if (options.words.empty())
    throw BadInput(Fault{
        "", "", "profile: name a program and its arguments, as in: kernel-gen profile ./my_program", {}});
  const JsonLines lines(disk);
  simulate(places, disk, runner, options.gpu, {{"KERNELGEN_SIMULATED_COUNTERS", lines.path()}});
  const std::string failure = run_program(options.words, runner, options.json ? stderr : out);
  const std::vector<SimulatedLaunch> launches = read_launches(lines, read_machines(disk, places.machines));
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const SimulatedLaunch& launch : launches) list.push_back(launch.to_json());
    fmt::print(out, "{}", json_text(list));
  } else {
    print_table(sum_by_kernel(launches), out);
  }
  if (failure.empty()) return exit_ok;
  print_error(fmt::format("kernel-gen: error: {}", printable(failure)));
  return exit_failure;
}

}  // namespace kernelgen::tool
