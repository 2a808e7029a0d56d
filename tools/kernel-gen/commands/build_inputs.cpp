#include "commands/build_inputs.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "build/native_target.hpp"
#include "manifest/constant_table.hpp"
#include "manifest/filter.hpp"
#include "manifest/part.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

std::vector<TargetTools> find_tools(const BuildOptions& options, const TargetTable& table, const Disk& disk,
                                    ProcessRunner& runner, const Environment& environment, Cache& cache) {
  std::vector<std::string> names = options.targets;
  if (const auto native = std::find(names.begin(), names.end(), "native"); native != names.end()) {
    names.erase(native);
    for (std::string& name : native_targets(table, disk, runner)) names.push_back(std::move(name));
  }
  Toolchain toolchain(disk, runner, environment, options.toolchain, &cache);
  std::vector<TargetTools> tools;
  for (const Target* target : table.expand(names)) tools.push_back(toolchain.tools_for(*target));
  if (std::vector<Fault> faults = unusable_targets(tools); !faults.empty()) throw BadInput(std::move(faults));
  return tools;
}

}  // namespace

BuildInputs read_build_inputs(const BuildOptions& options, const fs::path& cache, Disk& disk,
                              ProcessRunner& runner, const Environment& environment) {
  const Filter filter = Filter::parse(options.only);
  BuildInputs inputs;
  inputs.table = read_targets(disk, options.paths.targets);
  Cache answers(disk, cache);
  inputs.tools = find_tools(options, inputs.table, disk, runner, environment, answers);
  inputs.manifests = read_manifests(disk, options.paths.manifests, options.paths.kernels);
  Faults faults;
  check_constant_names(inputs.manifests, inputs.table, faults);
  faults.throw_if_any();
  inputs.set = apply(filter, expand(inputs.manifests));
  inputs.parts = in_parts(inputs.set);
  return inputs;
}

CommandLine launcher_words(const BuildOptions& options, const Environment& environment) {
  std::istringstream words(options.launcher.empty() ? environment("KERNELGEN_LAUNCHER") : options.launcher);
  return {std::istream_iterator<std::string>(words), {}};
}

std::string path_list_of(const std::vector<fs::path>& files) {
  std::string text;
  for (const fs::path& file : files) text += (text.empty() ? "" : ":") + file.string();
  return text;
}

}  // namespace kernelgen::tool
