#include "commands/doctor_binary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <vector>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "binary/coverage.hpp"
#include "commands/binary_file.hpp"
#include "kernelgen/device.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {
namespace {

struct Cost {
  std::size_t codes = 0, kernels = 0;
  std::uint64_t bytes = 0;
};

std::map<std::string, Cost> costs_of(const Binary& binary) {
  std::map<std::string, Cost> costs;
  for (const Binary::Code& code : binary.codes()) {
    Cost& cost = costs[code.target];
    ++cost.codes;
    cost.kernels += code.kernels;
    cost.bytes += code.bytes;
  }
  return costs;
}

/// "9.0.10" of gfx90a, as HSA_OVERRIDE_GFX_VERSION takes it.
std::string version_of(const Target& target) {
  return fmt::format("{}.{}.{}", target.isa / 1000, target.isa / 100 % 10, target.isa % 100);
}

/// What may make the file run, a line each.
std::vector<std::string> remedies(const Binary& binary, const std::string& gpu, const TargetTable& table) {
  const Target* const known = table.find(processor_of(gpu));
  std::vector<std::string> lines;
  if (known == nullptr)
    return {"kernel-gen does not know this GPU; 'kernel-gen targets' lists those it knows"};
  for (const auto& [name, cost] : costs_of(binary)) {
    if (processor_of(name) == processor_of(gpu))
      lines.push_back(fmt::format("it has code for {}: run with these settings of the GPU's features", name));
    const Target* const sister = table.find(processor_of(name));
    if (sister != nullptr && sister != known && sister->generic && sister->generic == known->generic &&
        known->isa >= 10000)
      lines.push_back(
          fmt::format("{} is of the same family ({}): HSA_OVERRIDE_GFX_VERSION={} makes ROCm load its code, "
                      "which AMD does not support",
                      sister->name, *known->generic, version_of(*sister)));
  }
  lines.push_back(
      known->generic
          ? fmt::format("compile it with --offload-arch={} or, for ROCm from 6.3 on, --offload-arch={}",
                        known->name, *known->generic)
          : fmt::format("compile it with --offload-arch={}", known->name));
  return lines;
}

std::string spell_by(const Coverage& coverage) {
  std::vector<std::string> parts;
  for (const auto& [target, modules] : coverage.by)
    parts.push_back(fmt::format("{} by code for {}", modules, target));
  return fmt::format("{}", fmt::join(parts, ", "));
}

int diagnose_gpu(const Binary& binary, const std::string& file, const std::string& gpu,
                 const TargetTable& table, bool json, std::FILE* out) {
  const Coverage coverage = coverage_of(binary, gpu, table);
  const std::vector<std::string> help =
      coverage.runs() ? std::vector<std::string>{} : remedies(binary, gpu, table);
  if (json) {
    fmt::print(out, "{}",
               json_text(Json{{"target", gpu},
                              {"runs", coverage.runs()},
                              {"modules", coverage.modules},
                              {"exact", coverage.exact},
                              {"generic", coverage.generic},
                              {"by", coverage.by},
                              {"lacking", coverage.lacking},
                              {"remedies", help}}));
    return coverage.runs() ? exit_ok : exit_failure;
  }
  const std::size_t served = coverage.exact + coverage.generic;
  fmt::print(out, "{}: {} on {}: {} of {} {} for it\n", printable(file),
             coverage.runs() ? "runs" : "does not run", gpu, served, spell_count(coverage.modules, "module"),
             coverage.modules == 1 ? "has code" : "have code");
  if (served != 0) fmt::print(out, "  {}\n", spell_by(coverage));
  if (served != 0 && !coverage.lacking.empty())
    fmt::print(out, "  without: {}\n",
               printable(shortened(fmt::format("{}", fmt::join(coverage.lacking, ", ")), 200)));
  for (const std::string& line : help) fmt::print(out, "  help: {}\n", line);
  return coverage.runs() ? exit_ok : exit_failure;
}

int list_gpus(const Binary& binary, const TargetTable& table, bool json, std::FILE* out) {
  const std::map<std::string, Cost> costs = costs_of(binary);
  std::vector<std::string> generic, partly, lacking;
  for (const Target& target : table.targets) {
    if (target.kind != TargetKind::hip || target.is_generic()) continue;
    const Coverage coverage = coverage_of(binary, target.name, table);
    if (coverage.exact + coverage.generic == 0)
      lacking.push_back(target.name);
    else if (!coverage.runs())
      partly.push_back(target.name);
    else if (coverage.exact == 0)
      generic.push_back(target.name);
  }
  if (json) {
    Json rows = Json::array();
    for (const auto& [target, cost] : costs)
      rows.push_back({{"target", target},
                      {"code_objects", cost.codes},
                      {"kernels", cost.kernels},
                      {"bytes", cost.bytes}});
    fmt::print(out, "{}",
               json_text(Json{{"bytes", binary.bytes()},
                              {"targets", std::move(rows)},
                              {"by_generic_code", generic},
                              {"partly", partly},
                              {"lacking", lacking}}));
    return exit_ok;
  }
  Table rows({"target", "code objects", "kernels", "size", "share of the file"});
  for (const auto& [target, cost] : costs)
    rows.add({target, std::to_string(cost.codes), std::to_string(cost.kernels), spell_bytes(cost.bytes),
              fmt::format("{:.1f} %", 100.0 * static_cast<double>(cost.bytes) /
                                          static_cast<double>(std::max<std::uint64_t>(1, binary.bytes())))});
  rows.print(out);
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    if (!names.empty()) fmt::print(out, "{}: {}\n", what, fmt::join(names, ", "));
  };
  fmt::print(out, "\n");
  list("runs by generic code on", generic);
  list("some modules lack code for", partly);
  list("no code for", lacking);
  return exit_ok;
}

}  // namespace

int run_doctor_binary(const DoctorBinaryOptions& options, const Disk& disk, std::FILE* out) {
  const std::string file = options.file.string();
  if (!disk.exists(options.file)) throw BadInput(Fault{file, "", "there is no such file", {}});
  if (!is_binary(disk, options.file))
    throw BadInput(
        Fault{file,
              "",
              "holds no code of others for GPUs; of packages 'kernel-gen inspect' says what they hold",
              {}});
  const TargetTable table = read_targets(disk, options.paths.targets);
  const std::string gpu =
      options.device.empty() ? options.target : Device::open(options.device).architecture();
  const Binary binary = open_binary(options.file);
  const int code = gpu.empty() ? list_gpus(binary, table, options.json, out)
                               : diagnose_gpu(binary, file, gpu, table, options.json, out);
  return std::max(code, report_damages(binary));
}

}  // namespace kernelgen::tool
