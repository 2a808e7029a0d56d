#include "run/simulated_launches.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/fault.hpp"
#include "base/table.hpp"
#include "code_object/pipes.hpp"
#include "driver/driver_library.hpp"
#include "driver/gpu_api.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::string_view prefix = "simulated:";
constexpr double line_bytes = 64;

double number(const nlohmann::ordered_json& counts, const char* name) {
  return counts.at(name).get<double>();
}

/// Cycles of a SIMD for all executed instructions, by pipe.
struct PipeCycles {
  double valu = 0, transcendental = 0, matrix = 0, scalar = 0;

  PipeCycles(const Machine& machine, const nlohmann::ordered_json& counts) {
    const auto wave_size = counts.at("wave_size").get<std::uint32_t>();
    for (const auto& [mnemonic, times] : counts.at("instructions").items()) {
      Instruction instruction;
      instruction.mnemonic = mnemonic;
      const InstructionClass kind = classify(instruction);
      const double cycles = times.get<double>() * pipe_cycles(machine, instruction, kind, wave_size);
      if (kind.pipe == Pipe::matrix) matrix += cycles;
      if (kind.pipe == Pipe::scalar || kind.pipe == Pipe::branch) scalar += cycles;
      if (kind.pipe != Pipe::valu) continue;
      if (kind.transcendental && machine.transcendentals_apart) {
        transcendental += cycles;
        valu += cycles / machine.transcendental_rate;
      } else {
        valu += cycles;
      }
    }
  }
};

}  // namespace

std::pair<std::string, double> LaunchBound::longest() const {
  return *std::ranges::max_element(microseconds, {}, [](const auto& entry) { return entry.second; });
}

std::optional<LaunchBound> bound_of(const Machine& machine, const nlohmann::ordered_json& counts) try {
  const PipeCycles cycles(machine, counts);
  // A wave is on one SIMD, a block on one set of compute units with an LDS.
  const double simds = std::min<double>(machine.compute_units * machine.simds, number(counts, "waves"));
  const double units =
      std::min<double>(machine.compute_units, number(counts, "blocks") * machine.compute_units_a_block);
  const double lines = number(counts, "lines_64_loaded") + number(counts, "lines_64_stored");
  const double distinct = number(counts, "distinct_loaded") + number(counts, "distinct_stored");
  const auto of_cycles = [&](double count, double parts) { return count / parts / machine.clock_mhz; };
  LaunchBound bound;
  bound.microseconds = {
      {"memory", distinct * line_bytes / machine.memory_gb_s / 1e3},
      {"l1", of_cycles(lines * line_bytes / machine.l1_bytes_a_cycle, units)},
      {"lds", of_cycles(number(counts, "lds_cycles"), units)},
      {"valu", of_cycles(std::max(cycles.valu, cycles.transcendental), simds)},
      {"matrix", of_cycles(cycles.matrix, simds)},
      {"scalar", of_cycles(cycles.scalar, simds)},
  };
  CodeKernel kernel;
  kernel.vgprs = counts.at("vgprs").get<std::uint32_t>();
  kernel.sgprs = counts.at("sgprs").get<std::uint32_t>();
  kernel.lds_bytes = counts.at("lds_bytes").get<std::uint32_t>();
  kernel.wave_size = counts.at("wave_size").get<std::uint32_t>();
  kernel.max_block = 1;
  for (const auto& extent : counts.at("block")) kernel.max_block *= extent.get<std::uint32_t>();
  bound.occupancy = occupancy_of(machine, kernel);
  return bound;
} catch (const BadCodeObject&) {
  return std::nullopt;
}

nlohmann::ordered_json SimulatedLaunch::to_json() const {
  nlohmann::ordered_json json = counts;
  if (!bound) return json;
  json["waves_per_simd"] = bound->occupancy.waves;
  json["bound_us"] = bound->longest().second;
  json["bound_by"] = bound->longest().first;
  json["bounds_us"] = bound->microseconds;
  return json;
}

void SimulatedLaunch::print(std::FILE* out) const {
  const auto count = [&](const char* name) { return counts.at(name).get<std::uint64_t>(); };
  fmt::print(out, "{}: grid {}, block {}, {} waves of {}, {} VGPRs, {} of LDS{}\n",
             counts.at("kernel").get<std::string>(), counts.at("grid").dump(), counts.at("block").dump(),
             count("waves"), count("wave_size"), count("vgprs"), spell_bytes(count("lds_bytes")),
             bound ? fmt::format(", {} waves a SIMD", bound->occupancy.waves) : "");
  fmt::print(out,
             "  instructions: {} VALU, {} transcendental, {} matrix, {} SALU, {} LDS, {} vector memory, "
             "{} scalar memory, {} branches, {} waits\n",
             count("valu"), count("transcendental"), count("matrix"), count("salu"), count("lds"),
             count("vector_memory"), count("scalar_memory"), count("branch"), count("wait"));
  for (const char* way : {"loaded", "stored"})
    fmt::print(out, "  {}: {} in {} lines of 64 bytes, {} of them different\n", way,
               spell_bytes(count(fmt::format("bytes_{}", way).c_str())),
               count(fmt::format("lines_64_{}", way).c_str()),
               count(fmt::format("distinct_{}", way).c_str()));
  fmt::print(out, "  LDS: {} cycles, {} of them by bank conflicts; {} atomics; {} of scratch\n",
             count("lds_cycles"), count("lds_conflicts"), count("atomics"),
             spell_bytes(count("scratch_bytes")));
  if (!bound) return;
  std::vector<std::string> parts;
  for (const auto& [name, time] : bound->microseconds)
    if (time != 0) parts.push_back(fmt::format("{} {:.3f}", name, time));
  fmt::print(out, "  bound: {:.3f} µs by {} ({})\n", bound->longest().second, bound->longest().first,
             fmt::join(parts, ", "));
}

bool is_simulated(const Device& device) { return device.location().starts_with(prefix); }

LaunchRecorder::LaunchRecorder(const Device& device) {
  const std::string location = device.location();
  if (!is_simulated(device))
    throw BadInput(Fault{"",
                         "",
                         fmt::format("--counters: {} is not a simulated GPU; name one with --device, as in "
                                     "--device simulated:gfx942",
                                     location),
                         {}});
  const GpuApi& api = simulated_api();
  ordinal_ = simulated_ordinal(api, location.substr(prefix.size()));
  record_ = reinterpret_cast<decltype(record_)>(api.library().symbol("kernelgen_simulated_record"));
  report_ = reinterpret_cast<decltype(report_)>(api.library().symbol("kernelgen_simulated_launches"));
  record_(ordinal_, 1);
}

LaunchRecorder::~LaunchRecorder() { record_(ordinal_, 0); }

std::vector<SimulatedLaunch> LaunchRecorder::launches(const Machine* machine) const {
  std::vector<SimulatedLaunch> list;
  for (const auto& counts : nlohmann::ordered_json::parse(report_(ordinal_)))
    list.push_back({counts, machine == nullptr ? std::nullopt : bound_of(*machine, counts)});
  return list;
}

}  // namespace kernelgen::tool
