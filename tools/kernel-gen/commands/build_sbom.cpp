#include "commands/build_sbom.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>
#include <set>

#include "base/fault.hpp"
#include "base/version.hpp"
#include "build/package_folder.hpp"
#include "build/sbom.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Files that went into a package, by the names they get.
std::map<std::string, fs::path> sources_of(const BuildOptions& options, const BuildInputs& inputs,
                                           const PlannedJobs& planned, const ReadFiles& files,
                                           const std::vector<std::string>& reads) {
  std::map<std::string, fs::path> sources;
  sources["./manifests/" + options.paths.targets.filename().string()] = options.paths.targets;
  for (const Manifest& manifest : inputs.manifests) {
    const fs::path file = manifest.file;
    sources.emplace(
        fmt::format("./manifests/{}/{}", file.parent_path().filename().string(), file.filename().string()),
        file);
  }
  // What else there is of bitcode kernel-gen made itself.
  for (std::size_t t = 0; t < inputs.tools.size(); ++t)
    for (const fs::path& file : planned.bitcode[t])
      if (file.parent_path() == inputs.tools[t].bitcode) sources.emplace(file.string(), file);
  for (const std::string& name : reads) {
    const fs::path file = files.file_of(name);
    if (file.empty()) continue;
    // Two folders of bodies may have files of one name, of which compiles read the first.
    const std::string shown =
        is_kernel_file(name) ? "./kernels" + name.substr(name.find('/')) : file.string();
    sources.emplace(shown, file);
  }
  return sources;
}

}  // namespace

std::int64_t document_time(const Environment& environment, const Disk& disk) {
  const std::string text = environment("SOURCE_DATE_EPOCH");
  if (text.empty()) return disk.now() / 1'000'000'000;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  constexpr std::int64_t year_10000 = 253402300800;
  if (error != std::errc() || end != text.data() + text.size() || seconds < 0 || seconds >= year_10000)
    throw BadInput(
        Fault{"", "", fmt::format("SOURCE_DATE_EPOCH={}: give whole seconds since 1970", text), {}});
  return seconds;
}

Json build_sbom(const BuildOptions& options, const BuildInputs& inputs, const PlannedJobs& planned,
                const ReadFiles& files, const std::vector<std::string>& reads, std::int64_t time,
                const Disk& disk) {
  Sbom sbom;
  sbom.seconds = time;
  sbom.package_name = package_file;
  sbom.package_bytes = disk.read(options.out / package_file);
  for (const auto& [name, file] : sources_of(options, inputs, planned, files, reads))
    if (disk.exists(file)) sbom.sources.push_back({name, disk.read(file)});
  if (!options.program.empty())
    sbom.programs.push_back({"kernel-gen", version, disk.read(options.program), {}});
  std::map<fs::path, std::size_t> known;
  for (std::size_t t = 0; t < inputs.tools.size(); ++t) {
    const Compiler& compiler = inputs.tools[t].compiler;
    const auto [entry, is_new] = known.try_emplace(compiler.path, sbom.programs.size());
    if (is_new)
      sbom.programs.push_back(
          {compiler.path.filename().string(), compiler.version, disk.read(compiler.path), {}});
    sbom.programs[entry->second].uses.push_back(
        {inputs.tools[t].target->name, planned.targets[t]["command"].get<std::string>()});
  }
  return spdx_json(sbom);
}

}  // namespace kernelgen::tool
