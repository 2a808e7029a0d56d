#include "commands/doctor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "base/json_text.hpp"
#include "base/table.hpp"
#include "driver/driver_library.hpp"
#include "kernelgen/error.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

namespace {

/// Where the runtime finds the driver's library; empty where it does not.
std::string found_at(DynamicLibrary (*open)()) {
  try {
    return open().path();
  } catch (const Error&) {
    return {};
  }
}

struct Diagnosis {
  std::vector<TargetTools> targets;
  std::vector<std::string> bitcode;  ///< folders
  std::string cache;
  std::map<std::string, std::string> compilers;  ///< path to version
  std::map<std::string, std::string> runtimes;   ///< driver library to where it was found
};

Json to_json(const Diagnosis& diagnosis) {
  Json json = {{"compilers", diagnosis.compilers},
               {"device_bitcode", diagnosis.bitcode},
               {"cache", diagnosis.cache},
               {"runtimes", diagnosis.runtimes},
               {"targets", Json::array()}};
  for (const TargetTools& tools : diagnosis.targets) {
    Json row = {{"name", tools.target->name}, {"buildable", tools.usable()}};
    if (tools.usable()) {
      row["compiler"] = tools.compiler.path.string();
    } else {
      row["problem"] = tools.problem;
      row["remedy"] = tools.remedy;
    }
    json["targets"].push_back(std::move(row));
  }
  return json;
}

void print(const Diagnosis& diagnosis, std::FILE* out) {
  Table found({"part", "found"});
  for (const auto& [path, version] : diagnosis.compilers) found.add({path, version});
  found.add({"device bitcode", diagnosis.bitcode.empty()
                                   ? "not found"
                                   : fmt::format("{}", fmt::join(diagnosis.bitcode, ", "))});
  found.add(
      {"cache", diagnosis.cache.empty() ? "none: neither KERNELGEN_CACHE nor HOME is set" : diagnosis.cache});
  for (const auto& [library, name] : diagnosis.runtimes)
    found.add({library, name.empty() ? "not found (needed to run on the GPU, not to build for it)" : name});
  found.print(out);
  fmt::print(out, "\n");
  Table targets({"target", "can be built", "compiler, or what is missing"});
  for (const TargetTools& tools : diagnosis.targets)
    targets.add({tools.target->name, tools.usable() ? "yes" : "no",
                 tools.usable() ? tools.compiler.path.string() : tools.problem + "; " + tools.remedy});
  targets.print(out);
}

}  // namespace

int run_doctor(const DoctorOptions& options, const Disk& disk, ProcessRunner& runner,
               const Environment& environment, std::FILE* out) {
  const TargetTable table = read_targets(disk, options.paths.targets);
  Toolchain toolchain(disk, runner, environment, options.toolchain);
  Diagnosis diagnosis;
  for (const DeviceLibrary& library : toolchain.device_libraries())
    diagnosis.bitcode.push_back(library.folder.string());
  diagnosis.cache = cache_directory(environment).string();
  for (const Target& target : table.targets) {
    const TargetTools& tools = diagnosis.targets.emplace_back(toolchain.tools_for(target));
    if (tools.usable()) diagnosis.compilers[tools.compiler.path.string()] = tools.compiler.version;
  }
  for (const Clang& clang : toolchain.clangs())
    diagnosis.compilers.try_emplace(clang.path.string(), "used for no target");
  diagnosis.runtimes = {{"libamdhip64", found_at(open_hip_library)},
                        {"libcuda", found_at(open_cuda_library)}};
  if (options.json)
    fmt::print(out, "{}", json_text(to_json(diagnosis)));
  else
    print(diagnosis, out);
  return exit_ok;
}

}  // namespace kernelgen::tool
