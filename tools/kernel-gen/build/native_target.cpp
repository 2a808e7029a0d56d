#include "build/native_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/fault.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

constexpr const char* topology = "/sys/class/kfd/kfd/topology/nodes";

/// gfx_target_version of each node that is a GPU: major·10000 + minor·100 + stepping.
std::vector<std::uint32_t> amd_versions(const Disk& disk) {
  std::vector<std::uint32_t> versions;
  if (!disk.is_directory(topology)) return versions;
  for (const fs::path& node : disk.list(topology)) {
    std::istringstream properties(disk.read(node / "properties"));
    std::string key;
    std::uint64_t value = 0;
    while (properties >> key >> value)
      if (key == "gfx_target_version" && value != 0) versions.push_back(static_cast<std::uint32_t>(value));
  }
  return versions;
}

const Target* find_isa(const TargetTable& table, TargetKind kind, std::uint32_t isa) {
  for (const Target& target : table.targets)
    if (target.kind == kind && target.isa == isa && !target.is_generic() && !target.is_ptx) return &target;
  return nullptr;
}

}  // namespace

std::vector<std::string> native_targets(const TargetTable& table, const Disk& disk, ProcessRunner& runner) {
  std::vector<std::string> names;
  const auto add = [&](TargetKind kind, std::uint32_t isa, std::string_view what) {
    const Target* target = find_isa(table, kind, isa);
    if (!target)
      throw BadInput(
          Fault{"", "", fmt::format("--target native: this machine's {} is not in targets.json", what), {}});
    if (std::find(names.begin(), names.end(), target->name) == names.end()) names.push_back(target->name);
  };
  for (const std::uint32_t version : amd_versions(disk))
    add(TargetKind::hip, version / 10000 * 1000 + version % 10000,
        fmt::format("AMD GPU (gfx_target_version {})", version));
  const ProcessResult smi =
      run_process(runner, {"nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader"});
  std::istringstream lines(smi.ok() ? smi.out : "");
  for (std::string line; std::getline(lines, line);) {
    unsigned major = 0, minor = 0;
    const char* end = line.data() + line.size();
    const auto [dot, error] = std::from_chars(line.data(), end, major);
    if (error != std::errc() || dot == end) continue;
    std::from_chars(dot + 1, end, minor);
    add(TargetKind::cuda, major * 10 + minor, fmt::format("NVIDIA GPU (compute capability {})", line));
  }
  if (names.empty())
    throw BadInput(
        Fault{"",
              "",
              fmt::format("--target native: no GPU here ({} names none, nvidia-smi neither)", topology),
              {}});
  return names;
}

}  // namespace kernelgen::tool
