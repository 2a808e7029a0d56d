#include "commands/plan.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/table.hpp"
#include "build/ninja_file.hpp"
#include "build/package_folder.hpp"
#include "commands/build_inputs.hpp"
#include "commands/output_file.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Commands run in whatever folder their executor stands in.
fs::path settled(const fs::path& path) { return fs::absolute(path).lexically_normal(); }

BuildOptions with_absolute_paths(BuildOptions build) {
  for (fs::path& folder : build.paths.manifests) folder = settled(folder);
  for (fs::path* path :
       {&build.paths.kernels, &build.paths.shipped_kernels, &build.paths.targets, &build.out, &build.objects})
    *path = settled(*path);
  if (!build.toolchain.rocm_path.empty()) build.toolchain.rocm_path = settled(build.toolchain.rocm_path);
  return build;
}

/// What `build` and `plan` are both told.
CommandLine common_arguments(const BuildOptions& build, const std::vector<TargetTools>& tools) {
  CommandLine arguments;
  const auto add = [&](const char* option, const std::string& value) {
    arguments.insert(arguments.end(), {option, value});
  };
  for (const fs::path& folder : build.paths.manifests) add("--manifests", folder.string());
  add("--kernels", build.paths.kernels.string());
  add("--targets-file", build.paths.targets.string());
  // By name: groups may come to hold others, and this machine's GPUs are not those of one that packs.
  std::string names;
  for (const TargetTools& row : tools) names += (names.empty() ? "" : ",") + row.target->name;
  add("--target", names);
  for (const std::string& only : build.only) add("--only", only);
  if (!build.toolchain.rocm_path.empty()) add("--rocm-path", build.toolchain.rocm_path.string());
  if (build.toolchain.hipcc) add("--toolchain", "hipcc");
  add("--compress", build.packing.text());
  add("--objects", build.objects.string());
  add("--out", build.out.string());
  return arguments;
}

class NinjaPlan {
 public:
  NinjaPlan(const BuildOptions& build, const fs::path& file, const BuildInputs& inputs, const BuildPlan& plan,
            const PlannedJobs& planned)
      : build_(build), file_(file), inputs_(inputs), plan_(plan), planned_(planned) {}

  std::string text() {
    for (std::size_t job = 0; job < planned_.jobs.size(); ++job) add_job(job);
    add_package();
    add_itself();
    return write_ninja(steps_);
  }

 private:
  void add_job(std::size_t index) {
    const CompileJob& job = planned_.jobs[index];
    const std::size_t target = index / plan_.set.modules.size();
    NinjaStep compile;
    compile.kind = NinjaStep::Kind::compile;
    compile.inputs = {job.input};
    compile.tools = planned_.bitcode[target];
    compile.tools.push_back(plan_.tools[target].compiler.path);
    if (!plan_.launcher.empty() && !planned_.bitcode[target].empty())
      compile.variables = {"CCACHE_EXTRAFILES=" + path_list_of(planned_.bitcode[target])};
    compile.command = job.commands.front();
    compile.depfile = job.depfile;
    compile.description = job.name();
    compile.outputs = {job.output};
    objects_.push_back(job.output);
    if (job.commands.size() == 1) return steps_.push_back(std::move(compile));
    compile.outputs = {host_object(job.output)};
    NinjaStep link;
    link.inputs = compile.outputs;
    link.outputs = {job.output};
    link.command = job.commands.back();
    link.description = "link " + job.name();
    steps_.push_back(std::move(compile));
    steps_.push_back(std::move(link));
  }

  void add_package() {
    NinjaStep pack;
    pack.inputs = objects_;
    pack.tools = {build_.program, build_.objects / planned_record};
    for (const std::string_view name : package_folder_files()) pack.outputs.push_back(build_.out / name);
    pack.command = {build_.program.string(), "build", "--quiet"};
    append_common(pack.command);
    pack.description = "pack " + build_.out.string();
    steps_.push_back(std::move(pack));
  }

  void add_itself() {
    NinjaStep again;
    again.kind = NinjaStep::Kind::plan;
    // Executors know the file that they read by the name they were given: this one, in its own folder.
    again.outputs = {file_.filename(), build_.objects / planned_record};
    again.tools = {build_.program, build_.paths.targets};
    // A folder changes with the names in it.
    for (const fs::path& folder : build_.paths.manifests) again.tools.push_back(folder);
    for (const Manifest& manifest : inputs_.manifests) again.tools.emplace_back(manifest.file);
    again.command = {build_.program.string(), "plan", "--quiet", "--ninja", file_.string()};
    if (!plan_.launcher.empty()) {
      std::string words;
      for (const std::string& word : plan_.launcher) words += (words.empty() ? "" : " ") + word;
      again.command.insert(again.command.end(), {"--launcher", words});
    }
    append_common(again.command);
    again.description = "plan " + file_.string();
    steps_.push_back(std::move(again));
  }

  void append_common(CommandLine& command) const {
    const CommandLine common = common_arguments(build_, inputs_.tools);
    command.insert(command.end(), common.begin(), common.end());
  }

  const BuildOptions& build_;
  fs::path file_;
  const BuildInputs& inputs_;
  const BuildPlan& plan_;
  const PlannedJobs& planned_;
  std::vector<NinjaStep> steps_;
  std::vector<fs::path> objects_;
};

std::string ninja_command(const fs::path& file) {
  CommandLine command = {"ninja", "-C", file.parent_path().string()};
  if (file.filename() != "build.ninja") command.insert(command.end(), {"-f", file.filename().string()});
  return quoted(command);
}

}  // namespace

void run_plan(const PlanOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
              std::FILE* out) {
  const fs::path file = settled(options.ninja);
  BuildOptions build = options.build;
  if (build.objects.empty()) build.objects = file.parent_path() / "kernelgen-objects";
  build = with_absolute_paths(build);
  refuse_package_folder(disk, "--ninja", file, build.out);
  refuse_other_files(disk, "--ninja", file, "a plan for ninja",
                     [](std::string_view text) { return text.starts_with("# Generated by kernel-gen "); });
  const BuildInputs inputs =
      read_build_inputs(build, cache_directory(environment), disk, runner, environment);
  disk.make_dirs(build.objects);
  // All in one folder, from which no cache's limit takes anything away.
  const BuildPlan plan = {inputs.parts, inputs.tools,  build.paths.includes(),
                          {},           build.objects, launcher_words(build, environment)};
  PlannedJobs planned = plan_jobs(plan, disk, runner);
  for (std::size_t job = 0; job < planned.jobs.size(); ++job) prepare(plan, planned, job, disk);
  disk.write_atomically(build.objects / planned_record, fingerprint(planned).hex() + '\n');
  disk.write_atomically(file, NinjaPlan(build, file, inputs, plan, planned).text());
  if (!build.quiet)
    fmt::print(out, "{}: {} for {}; '{}' writes {}\n", printable(file.string()),
               spell_count(planned.jobs.size(), "object"), spell_count(inputs.tools.size(), "target"),
               printable(ninja_command(file)), printable(build.out.string()));
}

}  // namespace kernelgen::tool
