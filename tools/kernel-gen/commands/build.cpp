#include "commands/build.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <span>
#include <thread>

#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/version.hpp"
#include "build/build.hpp"
#include "build/cache_size.hpp"
#include "build/depfile.hpp"
#include "build/jobserver.hpp"
#include "build/output_record.hpp"
#include "build/package_folder.hpp"
#include "build/provenance.hpp"
#include "build/staging.hpp"
#include "commands/build_inputs.hpp"
#include "commands/build_report.hpp"
#include "commands/build_sbom.hpp"
#include "commands/output_file.hpp"
#include "common/cache_folder.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Where tokens decide.
constexpr unsigned most_jobs = 1024;

/// Where the compilers look for what is not in the kernels' folders.
std::vector<fs::path> search_folders(std::span<const TargetTools> tools) {
  std::set<fs::path> folders;
  for (const TargetTools& row : tools) folders.insert(row.compiler.search.begin(), row.compiler.search.end());
  return {folders.begin(), folders.end()};
}

std::vector<const Target*> targets_of(const BuildPlan& plan) {
  std::vector<const Target*> targets;
  for (const TargetTools& tools : plan.tools) targets.push_back(tools.target);
  return targets;
}

/// All device bitcode of a build.
std::vector<fs::path> bitcode_of(const PlannedJobs& planned) {
  std::set<fs::path> files;
  for (const auto& list : planned.bitcode) files.insert(list.begin(), list.end());
  return {files.begin(), files.end()};
}

std::vector<const SourceText*> texts_of(const PlannedJobs& planned) {
  std::vector<const SourceText*> texts;
  for (const Source& source : planned.sources) texts.push_back(&source.scanned);
  return texts;
}

/// All inputs other than the kernels' files that affect the output, as texts.
std::vector<std::string> inputs_of(const std::vector<Manifest>& manifests, const BuildOptions& options,
                                   const BuildPlan& plan, const std::string& source_hash) {
  std::vector<std::string> inputs = options.only;
  inputs.push_back(options.packing.spell());
  inputs.push_back(source_hash);
  for (const Target* target : targets_of(plan)) inputs.push_back(target->row);
  for (const Manifest& manifest : manifests) {
    inputs.push_back(fs::path(manifest.file).filename().string());
    inputs.push_back(manifest.text);
  }
  return inputs;
}

class BuildCommand {
 public:
  BuildCommand(const BuildOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
               std::FILE* out)
      : options_(options),
        disk_(disk),
        runner_(runner),
        environment_(environment),
        out_(out),
        cache_folder_(cache_directory(environment)),
        talk_(options.quiet || options.json ? nullptr : out) {}

  void run() {
    check_documents();
    if (!options_.sbom.empty()) date_ = document_time(environment_, disk_);
    const std::uint64_t cache_limit = cache_size_limit(environment_);
    inputs_ = read_build_inputs(options_, cache_folder_, disk_, runner_, environment_);

    Staging staging(disk_, options_.out, package_folder_files());
    const fs::path work = staging.path() / "objects";
    disk_.make_dirs(work);
    // clang leaves temporary folders of its offload compiles; here they are removed with the work folder.
    runner_.set_variable("TMPDIR", work.string());
    const BuildPlan plan = {inputs_.parts, inputs_.tools, options_.paths.includes(),
                            cache_folder_, work,          launcher_words(options_, environment_)};
    PlannedJobs planned = plan_jobs(plan, disk_, runner_);
    if (!plan.launcher.empty()) runner_.set_variable("CCACHE_EXTRAFILES", path_list_of(bitcode_of(planned)));

    Cache cache(disk_, options_.use_cache ? cache_folder_ : fs::path());
    ReadFiles files(disk_, plan.includes, search_folders(plan.tools));
    source_hash_ = files.hash_of_all(texts_of(planned));
    OutputRecord record(cache, program_hash(), planned,
                        inputs_of(inputs_.manifests, options_, plan, source_hash_));
    if (!options_.dry_run && !options_.program.empty() && options_.objects.empty())
      if (const auto summary = record.find(disk_, files, options_.out)) {
        const std::vector<ObjectRow> rows(planned.jobs.size());
        if (options_.explain && talk_) print_reasons(planned.jobs, rows, talk_);
        write_depfile_of(plan, files, record.reads());
        write_sbom_of(planned, files, record.reads());
        return report(planned, rows, *summary, true);
      }

    Progress progress(talk_, options_.terminal && !options_.verbose);
    CompileCache compile_cache(cache, files);
    Build build(plan, planned, disk_, compile_cache, progress);
    if (options_.objects.empty()) build.look_up(options_.jobs.value_or(cpus()));
    if (options_.explain && talk_) print_reasons(planned.jobs, build.rows(), talk_);
    if (options_.dry_run) {
      if (options_.json)
        fmt::print(out_, "{}", json_text(Json{{"objects", objects_json(planned.jobs, build.rows())}}));
      else if (talk_)
        print_commands(planned.jobs, build.rows(), talk_);
      return;
    }
    const BuiltObjects built =
        options_.objects.empty() ? compile(build, progress) : take(build, fingerprint(planned));

    if (!options_.sbom.empty()) refuse_unknown_reads(planned, built);
    const Json summary = write_files(staging.path(), plan, planned, built, cache);
    const FileHashes hashes = hash_files(disk_, staging.path(), package_folder_files());
    disk_.remove_tree(work);
    if (const int signal = runner_.interrupted()) throw Interrupted(signal);
    staging.commit();

    remember(record, built, hashes, summary);
    write_depfile_of(plan, files, record.reads());
    write_sbom_of(planned, files, record.reads());
    for (const fs::path& file : files.unsteady())
      print_error(fmt::format(
          "kernel-gen: warning: {} changed while the build ran; the next one compiles what reads it",
          file.string()));
    if (build.has_stored() && cache_limit != 0) keep_cache_to(cache_limit);
    report(planned, build.rows(), summary, false);
  }

 private:
  /// Before anything is written: no document takes the place of what is no such document.
  void check_documents() const {
    refuse_package_folder(disk_, "--depfile", options_.depfile, options_.out);
    refuse_other_files(
        disk_, "--depfile", options_.depfile, "the list of a package's inputs",
        [](std::string_view text) { return text.substr(0, text.find(':')).ends_with(package_file); });
    refuse_package_folder(disk_, "--sbom", options_.sbom, options_.out);
    refuse_other_files(disk_, "--sbom", options_.sbom, "an SPDX document",
                       [](std::string_view text) { return text.find("\"spdxVersion\"") != text.npos; });
  }

  void keep_cache_to(std::uint64_t limit) {
    if (is_marked_cache(disk_, cache_folder_))
      prune_cache(disk_, cache_folder_, {limit, std::nullopt});
    else if (measure_cache(disk_, cache_folder_).bytes > limit)
      print_error(fmt::format(
          "kernel-gen: warning: cache {}: larger than KERNELGEN_CACHE_SIZE, but it has no {} of kernel-gen, "
          "so nothing "
          "in it is removed; where all of it is a cache, remove the folder: the next build makes it again",
          cache_folder_.string(), cache_tag_file));
  }

  static unsigned cpus() { return std::max(1u, std::thread::hardware_concurrency()); }

  BuiltObjects compile(Build& build, Progress& progress) {
    const std::unique_ptr<Jobserver> jobserver = options_.jobs ? nullptr : Jobserver::connect(environment_);
    const unsigned jobs = jobserver ? most_jobs : options_.jobs.value_or(cpus());
    Schedule schedule(disk_, runner_, progress, {jobs, options_.verbose, jobserver.get()});
    return build.run(schedule);
  }

  /// A package says what its objects were made with: those planned otherwise are none of this build's.
  BuiltObjects take(Build& build, const Hash128& expected) {
    if (disk_.read(options_.objects / planned_record) != expected.hex() + '\n')
      throw BadInput(Fault{"",
                           "",
                           fmt::format("--objects {}: planned for other kernels, compilers or options; "
                                       "write the plan again with 'kernel-gen plan'",
                                       options_.objects.string()),
                           {}});
    return build.take(options_.objects);
  }

  std::string program_hash() const {
    return options_.program.empty() ? "" : hash128(disk_.read(options_.program)).hex();
  }

  /// Writes all but the objects' folder; gives the summary.
  Json write_files(const fs::path& folder, const BuildPlan& plan, const PlannedJobs& planned,
                   const BuiltObjects& built, Cache& cache) {
    Packing packing = options_.packing;
    packing.cache = &cache;
    packing.jobs = std::min(options_.jobs.value_or(cpus()), cpus());
    Json provenance = {{"tool", std::string("kernel-gen ") + version},
                       {"source", "xxh3:" + source_hash_},
                       {"compression", packing.spell()},
                       {"targets", planned.targets}};
    record_inputs(provenance, inputs_.manifests, options_.only, targets_of(plan));
    const std::string package = write_package(inputs_.parts, built.targets, json_text(provenance), packing);
    write_package_folder(inputs_.set, built.targets, package, folder, disk_);
    return summarize(inputs_.set, built.targets, plan.tools, package.size());
  }

  void remember(OutputRecord& record, const BuiltObjects& built, const FileHashes& hashes,
                const Json& summary) {
    try {
      record.store(built, hashes, summary);
    } catch (const DiskError&) {
      // The next build looks at every object.
    }
  }

  void write_depfile_of(const BuildPlan& plan, const ReadFiles& files,
                        const std::vector<std::string>& reads) {
    if (options_.depfile.empty()) return;
    std::set<fs::path> inputs = {options_.paths.targets};
    for (const fs::path& folder : options_.paths.manifests) inputs.insert(folder);
    for (const Manifest& manifest : inputs_.manifests) inputs.insert(manifest.file);
    for (const TargetTools& tools : plan.tools) inputs.insert(tools.compiler.path);
    for (const std::string& name : reads)
      if (const fs::path file = files.file_of(name); !file.empty()) inputs.insert(file);
    disk_.write_atomically(options_.depfile,
                           write_depfile(std::vector{options_.out / package_file},
                                         std::vector<fs::path>(inputs.begin(), inputs.end())));
  }

  /// A list of sources that leaves some out would be worse than none.
  static void refuse_unknown_reads(const PlannedJobs& planned, const BuiltObjects& built) {
    std::vector<std::string> messages;
    for (std::size_t job = 0; job < planned.jobs.size(); ++job)
      if (!built.reads[job])
        messages.push_back(fmt::format(
            "kernel-gen: error: --sbom: {}: what its compile read is not known: a file changed meanwhile, or "
            "names the date, #embed or .incbin",
            planned.jobs[job].name()));
    if (!messages.empty()) throw BuildFailed(std::move(messages));
  }

  void write_sbom_of(const PlannedJobs& planned, const ReadFiles& files,
                     const std::vector<std::string>& reads) {
    if (options_.sbom.empty()) return;
    disk_.write_atomically(options_.sbom,
                           json_text(build_sbom(options_, inputs_, planned, files, reads, date_, disk_)));
  }

  void report(const PlannedJobs& planned, std::span<const ObjectRow> rows, const Json& summary,
              bool is_up_to_date) const {
    const std::string package = (options_.out / package_file).string();
    if (options_.json) {
      Json json = {{"package", package}, {"up_to_date", is_up_to_date}};
      json.update(summary);
      json["objects"] = objects_json(planned.jobs, rows);
      fmt::print(out_, "{}", json_text(json));
    } else if (talk_) {
      if (is_up_to_date) fmt::print(talk_, "nothing to do\n");
      print_summary(package, summary, talk_);
    }
  }

  const BuildOptions& options_;
  Disk& disk_;
  ProcessRunner& runner_;
  const Environment& environment_;
  std::FILE* out_;
  fs::path cache_folder_;
  std::FILE* talk_;  ///< for what is not JSON; may be null
  BuildInputs inputs_;
  std::string source_hash_;
  std::int64_t date_ = 0;  ///< of documents
};

}  // namespace

void run_build(const BuildOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
               std::FILE* out) {
  BuildCommand(options, disk, runner, environment, out).run();
}

}  // namespace kernelgen::tool
