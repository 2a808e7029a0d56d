#include "amdgpu/hip/launch_log.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <utility>

#include "amdgpu/opcodes.hpp"

namespace kernelgen::amdgpu::hip {
namespace {

/// The file that an environment variable names, opened to append to it, or null.
std::FILE* named_file(const char* variable) {
  const char* const path = std::getenv(variable);
  return path == nullptr || *path == '\0' ? nullptr : std::fopen(path, "a");
}

std::FILE* counters_file() {
  static std::FILE* const file = named_file("KERNELGEN_SIMULATED_COUNTERS");
  return file;
}

}  // namespace

void LaunchLog::record(bool on) {
  const std::lock_guard lock(mutex_);
  on_ = on;
  launches_.clear();
}

bool LaunchLog::is_on() const {
  const std::lock_guard lock(mutex_);
  return on_;
}

void LaunchLog::add(std::string launch) {
  const std::lock_guard lock(mutex_);
  if (on_) launches_.push_back(std::move(launch));
}

std::string LaunchLog::json() const {
  const std::lock_guard lock(mutex_);
  return fmt::format("[{}]", fmt::join(launches_, ",\n "));
}

std::string launch_json(const std::string& gpu, const Kernel& kernel, Extent grid, Extent block,
                        std::uint32_t dynamic_lds_bytes, const Counters& counters) {
  std::string sums;
  counters.each(
      [&](std::string_view name, std::uint64_t count) { sums += fmt::format("\"{}\": {}, ", name, count); });
  std::map<std::string_view, std::uint64_t> instructions;
  for (std::size_t i = 0; i < counters.by_opcode.size(); ++i)
    if (counters.by_opcode[i] != 0) instructions[numbered_opcodes()[i].name] = counters.by_opcode[i];
  std::vector<std::string> texts;
  for (const auto& [name, count] : instructions) texts.push_back(fmt::format("\"{}\": {}", name, count));
  return fmt::format(
      R"({{"gpu": "{}", "kernel": "{}", "grid": [{}, {}, {}], "block": [{}, {}, {}], "wave_size": {}, "vgprs": {}, )"
      R"("sgprs": {}, "lds_bytes": {}, "private_bytes": {}, {}"instructions": {{{}}}}})",
      gpu, kernel.name, grid.x, grid.y, grid.z, block.x, block.y, block.z, kernel.wave_size, kernel.vgprs,
      kernel.sgprs, kernel.lds_bytes + dynamic_lds_bytes, kernel.private_bytes, sums, fmt::join(texts, ", "));
}

void note_launched(const std::string& kernel) {
  static std::FILE* const file = named_file("KERNELGEN_SIMULATED_LAUNCHES");
  if (file == nullptr) return;
  static std::mutex mutex;
  static std::set<std::string> known;
  const std::lock_guard lock(mutex);
  if (!known.insert(kernel).second) return;
  std::fputs((kernel + "\n").c_str(), file);
  std::fflush(file);
}

bool notes_counters() { return counters_file() != nullptr; }

void note_counters(const std::string& json) {
  std::fputs((json + "\n").c_str(), counters_file());
  std::fflush(counters_file());
}

}  // namespace kernelgen::amdgpu::hip
