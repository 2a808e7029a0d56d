#include "commands/profile.hpp"

#include <fmt/format.h>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "commands/simulated_program.hpp"
#include "manifest/machine.hpp"
#include "run/launch_table.hpp"

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

}  // namespace

int run_profile(const ProfileOptions& options, const Paths& paths, Disk& disk, ProcessRunner& runner,
                std::FILE* out) {
  if (options.words.empty())
    throw BadInput(Fault{
        "", "", "profile: name a program and its arguments, as in: kernel-gen profile ./my_program", {}});
  const JsonLines lines(disk);
  simulate(paths, disk, runner, options.gpu, {{"KERNELGEN_SIMULATED_COUNTERS", lines.path()}});
  const std::string failure = run_program(options.words, runner, options.json ? stderr : out);
  const std::vector<SimulatedLaunch> launches = read_launches(lines, read_machines(disk, paths.machines));
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const SimulatedLaunch& launch : launches) list.push_back(launch.to_json());
    fmt::print(out, "{}", json_text(list));
  } else {
    LaunchTable table;
    for (const SimulatedLaunch& launch : launches)
      table.add(launch.counts.at("kernel").get<std::string>(), launch);
    table.sort_by_bound();
    table.print("kernel", out);
  }
  if (failure.empty()) return exit_ok;
  print_error(fmt::format("kernel-gen: error: {}", printable(failure)));
  return exit_failure;
}

}  // namespace kernelgen::tool
