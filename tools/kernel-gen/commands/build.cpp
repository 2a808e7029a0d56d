#include "commands/build.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "build/build.hpp"
#include "build/native_target.hpp"
#include "build/package_folder.hpp"
#include "build/provenance.hpp"
#include "build/staging.hpp"
#include "manifest/filter.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

std::vector<TargetTools> find_tools(const BuildOptions& options, const TargetTable& table, const Disk& disk,
                                    ProcessRunner& runner, const Environment& environment) {
  std::vector<std::string> names = options.targets;
  if (const auto native = std::find(names.begin(), names.end(), "native"); native != names.end()) {
    names.erase(native);
    for (std::string& name : native_targets(table, disk, runner)) names.push_back(std::move(name));
  }
  Toolchain toolchain(disk, runner, environment, options.toolchain);
  std::vector<TargetTools> tools;
  for (const Target* target : table.expand(names)) tools.push_back(toolchain.tools_for(*target));
  if (std::vector<Fault> faults = unusable_targets(tools); !faults.empty()) throw BadInput(std::move(faults));
  return tools;
}

std::vector<const Target*> targets_of(const BuildPlan& plan) {
  std::vector<const Target*> targets;
  for (const TargetTools& tools : plan.tools) targets.push_back(tools.target);
  return targets;
}

void print_summary(const std::vector<BuiltTarget>& targets, const std::vector<TargetTools>& tools,
                   std::FILE* out) {
  Table table({"target", "objects", "size", "most VGPRs", "most LDS", "compiler"});
  for (std::size_t t = 0; t < targets.size(); ++t) {
    std::uint64_t bytes = 0;
    std::uint32_t vgprs = 0, lds = 0;
    for (const BuiltObject& object : targets[t].objects) {
      bytes += object.bytes.size();
      for (const CodeKernel& kernel : object.code.kernels) {
        vgprs = std::max(vgprs, kernel.vgprs);
        lds = std::max(lds, kernel.lds_bytes);
      }
    }
    // Only ELF files for GPUs record them.
    const CodeKind kind = targets[t].objects.front().code.kind;
    const bool known = kind == CodeKind::hsaco || kind == CodeKind::cubin;
    table.add({targets[t].target->name, std::to_string(targets[t].objects.size()), spell_bytes(bytes),
               known ? std::to_string(vgprs) : "-", known ? std::to_string(lds) : "-",
               tools[t].compiler.version});
  }
  table.print(out);
}

}  // namespace

void run_build(const BuildOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
               std::FILE* out) {
  const Filter filter = Filter::parse(options.only);
  const TargetTable table = read_targets(disk, options.places.targets);
  std::vector<TargetTools> tools = find_tools(options, table, disk, runner, environment);
  const std::vector<Manifest> manifests =
      read_manifests(disk, options.places.manifests, options.places.kernels);
  const KernelSet set = apply(filter, expand(manifests));

  Staging staging(disk, options.out, package_folder_files());
  const fs::path work = staging.path() / "objects";
  disk.make_dirs(work);
  // clang makes folders for its offload compiles and leaves them behind; here they go with the work.
  runner.set_variable("TMPDIR", work.string());
  const fs::path cache_folder = cache_directory(environment);
  sweep_cache(disk, cache_folder);
  const BuildPlan plan = {set, std::move(tools), options.places.includes(), cache_folder, work};
  PlannedJobs planned = plan_jobs(plan, disk, runner);

  ObjectCache cache(disk, options.use_cache ? cache_folder : fs::path());
  Progress progress(out, options.terminal && !options.verbose);
  Schedule schedule(disk, runner, cache, progress, {options.jobs, options.verbose});
  const std::vector<BuiltTarget> targets = make_objects(plan, planned, schedule);

  record_inputs(planned.provenance, manifests, options.only, targets_of(plan));
  const std::string package = write_package(set, targets, json_text(planned.provenance));
  write_package_folder(set, targets, package, staging.path(), disk);
  disk.remove_tree(work);
  if (const int signal = runner.interrupted()) throw Interrupted(signal);
  staging.commit();

  fmt::print(out, "{}\n", package_line(options.out / package_file, set, targets.size(), package.size()));
  print_summary(targets, plan.tools, out);
}

}  // namespace kernelgen::tool
