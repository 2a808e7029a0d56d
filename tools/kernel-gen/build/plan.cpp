#include "build/plan.hpp"

#include <fmt/format.h>

#include <map>

#include "base/digest.hpp"
#include "build/cache.hpp"
#include "build/isa_bitcode.hpp"
#include "emit/source.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Launchers send a compile elsewhere where they know the file's ending.
const char* ending(const Target& target) { return target.kind == TargetKind::cpu ? ".cpp" : ".hip"; }

void write_source(const fs::path& file, const Source& source, Disk& disk) {
  if (!disk.exists(file) || disk.read(file) != source.text) disk.write_atomically(file, source.text);
}

/// Gives the source's file, under its hash; written if it is not there. It is in the cache, so that a printed command line
/// and a compiler's message name a file that is still there after the build; in the work folder where the cache does not
/// take it.
fs::path stage_source(const BuildPlan& plan, const std::string& name, const Source& source, Disk& disk) {
  const fs::path below = fs::path("sources") / source.scanned.bytes_hash.substr(0, 16);
  if (!plan.cache.empty()) {
    try {
      make_cache_folder(disk, plan.cache, plan.cache / below);
      write_source(plan.cache / below / name, source, disk);
      return plan.cache / below / name;
    } catch (const DiskError&) {
    }
  }
  disk.make_dirs(plan.work / below);
  write_source(plan.work / below / name, source, disk);
  return plan.work / below / name;
}

class Planner {
 public:
  Planner(const BuildPlan& plan, Disk& disk, ProcessRunner& runner)
      : plan_(plan), disk_(disk), isa_(disk, runner, plan.cache, plan.work) {}

  PlannedJobs run() {
    for (const Module& module : plan_.set.modules) {
      std::string text = emit_source(plan_.set, module);
      SourceText scanned = read_source_text(text);
      planned_.sources.push_back(
          {std::move(text), std::move(scanned), module.manifest, module.manifest_path});
    }
    planned_.targets = Json::array();
    for (const TargetTools& tools : plan_.tools) plan_target(tools);
    return std::move(planned_);
  }

 private:
  void plan_target(const TargetTools& tools) {
    CompilePaths paths;
    paths.includes = plan_.includes;
    paths.source = std::string("MODULE") + ending(*tools.target);
    if (tools.target->kind == TargetKind::hip) paths.bitcode = device_bitcode(tools);
    Digest bitcode;
    for (const fs::path& file : paths.bitcode) bitcode.add(hash_of(file));
    const std::string command = portable_commands(tools, paths);
    const CompileRequest request = {fmt::format("{} {}", tools.compiler.version, tools.compiler.identity),
                                    bitcode.finish().hex(), command, ""};
    for (std::size_t m = 0; m < plan_.set.modules.size(); ++m) {
      CompileJob& job = planned_.jobs.emplace_back();
      job.target = tools.target->name;
      job.module = plan_.set.modules[m].name;
      job.request = request;
      job.source = &planned_.sources[m];
      job.request.source = job.source->scanned.tokens_hash;
      job.output = plan_.work / fmt::format("{}-{}.o", job.module, job.target);
      job.depfile = job.output.string() + ".d";
    }
    planned_.bitcode.push_back(std::move(paths.bitcode));
    planned_.targets.push_back(
        {{"name", tools.target->name}, {"compiler", tools.compiler.version}, {"command", command}});
  }

  std::vector<fs::path> device_bitcode(const TargetTools& tools) {
    const Target& target = *tools.target;
    std::vector<fs::path> files;
    for (const std::string& name : device_bitcode_names(target, disk_, tools.bitcode))
      files.push_back(tools.bitcode / name);
    const fs::path isa = tools.bitcode / fmt::format("oclc_isa_version_{}.bc", target.isa_suffix());
    files.push_back(disk_.exists(isa) ? isa
                                      : isa_.file(tools.compiler.path, tools.compiler.identity,
                                                  std::string(target.isa_suffix()), target.isa));
    return files;
  }

  const std::string& hash_of(const fs::path& file) {
    std::string& hash = hashes_[file];
    if (hash.empty()) hash = hash128(disk_.read(file)).hex();
    return hash;
  }

  const BuildPlan& plan_;
  Disk& disk_;
  IsaBitcode isa_;
  std::map<fs::path, std::string> hashes_;
  PlannedJobs planned_;
};

}  // namespace

Hash128 fingerprint(const PlannedJobs& planned) {
  Digest digest;
  for (const CompileJob& job : planned.jobs)
    for (const std::string* text : {&job.target, &job.module, &job.request.compiler, &job.request.bitcode,
                                    &job.request.flags, &job.request.source})
      digest.add(*text);
  return digest.finish();
}

PlannedJobs plan_jobs(const BuildPlan& plan, Disk& disk, ProcessRunner& runner) {
  return Planner(plan, disk, runner).run();
}

void prepare(const BuildPlan& plan, PlannedJobs& planned, std::size_t index, Disk& disk) {
  CompileJob& job = planned.jobs[index];
  const std::size_t modules = plan.set.modules.size();
  const TargetTools& tools = plan.tools[index / modules];
  const std::string name = job.module + ending(*tools.target);
  CompilePaths paths = {{}, job.output, job.depfile, plan.includes, planned.bitcode[index / modules]};
  job.input = paths.source = stage_source(plan, name, *job.source, disk);
  job.commands = compile_commands(tools, paths);
  CommandLine& compile = job.commands.front();
  compile.insert(compile.begin(), plan.launcher.begin(), plan.launcher.end());
}

}  // namespace kernelgen::tool
