#include "amdgpu/hip/launch_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

#include "amdgpu/opcodes.hpp"

namespace kernelgen::amdgpu::hip {

void LaunchLog::record(bool on) {
  const std::lock_guard lock(mutex_);
  on_ = on;
  launches_.clear();
}

void LaunchLog::add(const Kernel& kernel, Extent grid, Extent block, std::uint32_t dynamic_lds_bytes,
                    const Counters& counters) {
  const std::lock_guard lock(mutex_);
  if (!on_) return;
  std::string sums;
  counters.each(
      [&](std::string_view name, std::uint64_t count) { sums += fmt::format("\"{}\": {}, ", name, count); });
  std::map<std::string_view, std::uint64_t> instructions;
  for (std::size_t i = 0; i < counters.by_opcode.size(); ++i)
    if (counters.by_opcode[i] != 0) instructions[numbered_opcodes()[i].name] = counters.by_opcode[i];
  std::vector<std::string> texts;
  for (const auto& [name, count] : instructions) texts.push_back(fmt::format("\"{}\": {}", name, count));
  launches_.push_back(fmt::format(
      R"({{"kernel": "{}", "grid": [{}, {}, {}], "block": [{}, {}, {}], "wave_size": {}, "vgprs": {}, "sgprs": {}, )"
      R"("lds_bytes": {}, "private_bytes": {}, {}"instructions": {{{}}}}})",
      kernel.name, grid.x, grid.y, grid.z, block.x, block.y, block.z, kernel.wave_size, kernel.vgprs,
      kernel.sgprs, kernel.lds_bytes + dynamic_lds_bytes, kernel.private_bytes, sums,
      fmt::join(texts, ", ")));
}

std::string LaunchLog::json() const {
  const std::lock_guard lock(mutex_);
  return fmt::format("[{}]", fmt::join(launches_, ",\n "));
}

void note_launched(const std::string& kernel) {
  static std::FILE* const file = [] {
    const char* const path = std::getenv("KERNELGEN_SIMULATED_LAUNCHES");
    return path == nullptr || *path == '\0' ? nullptr : std::fopen(path, "a");
  }();
  if (file == nullptr) return;
  static std::mutex mutex;
  static std::set<std::string> known;
  const std::lock_guard lock(mutex);
  if (!known.insert(kernel).second) return;
  std::fputs((kernel + "\n").c_str(), file);
  std::fflush(file);
}

}  // namespace kernelgen::amdgpu::hip
