#include "build/build.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/version.hpp"
#include "build/isa_bitcode.hpp"
#include "code_object/check.hpp"
#include "emit/source.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

struct Source {
  std::string text;
  fs::path file;
};

/// Where the source lies below `root`; written if it is not there.
fs::path write_source(const fs::path& root, const Module& module, const std::string& text, Disk& disk) {
  const fs::path folder = root / "sources" / hash128(text).hex().substr(0, 16);
  const fs::path file = folder / (module.name + ".hip");
  if (!disk.exists(file) || disk.read(file) != text) {
    disk.make_dirs(folder);
    disk.write_atomically(file, text);
  }
  return file;
}

/// Sources lie in the cache under their hash, so that a printed command line and a compiler's message name a
/// file that is still there after the build; in the work folder where the cache does not take them.
std::vector<Source> write_sources(const BuildPlan& plan, Disk& disk) {
  fs::path root = plan.cache.empty() ? plan.work : plan.cache;
  std::vector<Source> sources;
  for (const Module& module : plan.set.modules) {
    Source source;
    source.text = emit_source(plan.set, module);
    try {
      source.file = write_source(root, module, source.text, disk);
    } catch (const DiskError&) {
      if (root == plan.work) throw;
      root = plan.work;
      source.file = write_source(root, module, source.text, disk);
    }
    sources.push_back(std::move(source));
  }
  return sources;
}

class Planner {
 public:
  Planner(const BuildPlan& plan, Disk& disk, ProcessRunner& runner)
      : plan_(plan), disk_(disk), isa_(disk, runner, plan.cache, plan.work) {}

  PlannedJobs run() {
    sources_ = write_sources(plan_, disk_);
    Digest headers;
    std::set<Hash128> seen;
    // A copy of the shipped bodies makes the same kernels as they do.
    for (const fs::path& folder : plan_.includes)
      if (const Hash128 hash = hash_folder(disk_, folder); seen.insert(hash).second) headers.add(hash.hex());
    headers_ = headers.finish().hex();
    Json targets = Json::array();
    for (const TargetTools& tools : plan_.tools) targets.push_back(plan_target(tools));
    Digest all;
    all.add(headers_);
    for (const Source& source : sources_) all.add(source.text);
    planned_.provenance = {{"tool", std::string("kernel-gen ") + version},
                           {"source", "xxh3:" + all.finish().hex()},
                           {"targets", std::move(targets)}};
    return std::move(planned_);
  }

 private:
  /// Adds the target's jobs; gives its row of the provenance.
  Json plan_target(const TargetTools& tools) {
    CompilePaths paths;
    paths.includes = plan_.includes;
    if (tools.target->kind == TargetKind::hip) paths.bitcode = device_bitcode(tools);
    Digest bitcode;
    for (const fs::path& file : paths.bitcode) bitcode.add(contents(file));
    const std::string bitcode_hash = bitcode.finish().hex();
    for (std::size_t m = 0; m < sources_.size(); ++m) {
      paths.source = sources_[m].file;
      paths.output = plan_.work / fmt::format("{}-{}.o", plan_.set.modules[m].name, tools.target->name);
      Digest key;
      key.add(tools.compiler.version_text).add(bitcode_hash).add(headers_).add(sources_[m].text);
      for (const std::string& argument : portable_command(tools, paths)) key.add(argument);
      planned_.jobs.push_back({tools.target->name, plan_.set.modules[m].name, compile_command(tools, paths),
                               paths.output, key.finish(), sources_[m].text.size(),
                               plan_.set.modules[m].manifest, plan_.set.modules[m].manifest_path});
    }
    paths.source = "MODULE.hip";
    return {{"name", tools.target->name},
            {"compiler", tools.compiler.version},
            {"command", quoted(portable_command(tools, paths))}};
  }

  std::vector<fs::path> device_bitcode(const TargetTools& tools) {
    const Target& target = *tools.target;
    std::vector<fs::path> files;
    for (const std::string& name : device_bitcode_names(target, disk_, tools.bitcode))
      files.push_back(tools.bitcode / name);
    const fs::path isa = tools.bitcode / fmt::format("oclc_isa_version_{}.bc", target.isa_suffix());
    files.push_back(disk_.exists(isa) ? isa
                                      : isa_.file(tools.compiler.path, tools.compiler.version_text,
                                                  std::string(target.isa_suffix()), target.isa));
    return files;
  }

  const std::string& contents(const fs::path& file) {
    std::string& text = contents_[file];
    if (text.empty()) text = disk_.read(file);
    return text;
  }

  const BuildPlan& plan_;
  Disk& disk_;
  IsaBitcode isa_;
  std::vector<Source> sources_;
  std::string headers_;
  std::map<fs::path, std::string> contents_;
  PlannedJobs planned_;
};

}  // namespace

PlannedJobs plan_jobs(const BuildPlan& plan, Disk& disk, ProcessRunner& runner) {
  return Planner(plan, disk, runner).run();
}

std::vector<BuiltTarget> make_objects(const BuildPlan& plan, const PlannedJobs& planned, Schedule& schedule) {
  const std::size_t modules = plan.set.modules.size();
  std::vector<BuiltTarget> targets;
  for (const TargetTools& tools : plan.tools)
    targets.push_back({tools.target, std::vector<BuiltObject>(modules)});

  const auto accept = [&](std::size_t job, std::string bytes) -> std::vector<std::string> {
    const Module& module = plan.set.modules[job % modules];
    const Target& target = *targets[job / modules].target;
    BuiltObject& object = targets[job / modules].objects[job % modules];
    object.bytes = std::move(bytes);
    try {
      object.code = read_code_object(object.bytes);
    } catch (const BadCodeObject& error) {
      return {fmt::format("kernel-gen: error: {} {}: code object cannot be read: {}", target.name,
                          module.name, error.what())};
    }
    std::vector<std::string> messages = check_code_object(object.code, target, plan.set, module);
    for (std::string& message : messages) message = "kernel-gen: error: " + message;
    return messages;
  };
  if (std::vector<std::string> failures = schedule.run(planned.jobs, accept); !failures.empty())
    throw BuildFailed(std::move(failures));
  return targets;
}

}  // namespace kernelgen::tool
