#include "commands/tune.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "build/schedule.hpp"
#include "commands/build.hpp"
#include "compile/scratch_folder.hpp"
#include "device/device_name.hpp"
#include "device/target_select.hpp"
#include "driver/driver.hpp"
#include "kernelgen/error.hpp"
#include "manifest/constant_table.hpp"
#include "manifest/reference.hpp"
#include "run/simulated_launches.hpp"
#include "tune/measurement.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_combinations = 64;
/// What another combination has to gain: times on a device vary, counts do not.
constexpr double gain_of_times = 0.02, gain_of_counts = 0.001;

[[noreturn]] void refuse(const fs::path& file, std::string_view pointer, std::string what) {
  throw BadInput(Fault{file.string(), std::string(pointer), std::move(what), {}});
}

class Tune {
 public:
  Tune(const TuneOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
       std::FILE* out)
      : options_(options), disk_(disk), runner_(runner), environment_(environment), out_(out) {}

  int run() {
    find_operation();
    check_declared();
    open_device();
    make_candidates();
    cases_ = measurement().run(candidates_, options_.cases, options_.seed);
    const Candidate& best = choose();
    const std::string changed = write(best);
    report(best, changed);
    return exit_ok;
  }

 private:
  void say(const std::string& text) const {
    if (options_.json) return;
    fmt::print(out_, "{}\n", printable(text));
    std::fflush(out_);
  }

  void find_operation() {
    std::vector<fs::path> files = {options_.manifest};
    if (options_.manifest.empty()) {
      if (!disk_.is_directory("manifests"))
        refuse("", "",
               "tune: there is no folder manifests here; name the manifest of the operation with --manifest");
      files = disk_.list("manifests");
      std::erase_if(files, [](const fs::path& path) { return path.extension() != ".json"; });
    }
    std::vector<std::string> known;
    Faults faults;
    for (const fs::path& file : files) {
      Manifest manifest = read_manifest(disk_, file, {}, faults);
      faults.throw_if_any();
      for (const OperationEntry& operation : manifest.operations) {
        known.push_back(operation.name);
        if (operation.name != options_.operation) continue;
        operation_ = operation;
        manifest_ = manifest;
        reference_ = references_of(manifest)[operation.name];
      }
    }
    if (!operation_) {
      faults.add_unknown(options_.manifest.empty() ? "manifests" : options_.manifest.string(), "",
                         fmt::format("there is no operation '{}'", options_.operation), options_.operation,
                         known);
      faults.throw_if_any();
    }
    kernels_ = options_.kernels;
    if (const fs::path own = own_kernels(fs::absolute(manifest_.file).parent_path());
        kernels_.empty() && disk_.is_directory(own))
      kernels_ = own;
    if (kernels_.empty()) kernels_ = options_.paths.kernels;
    tunable_ = tunable_constants(manifest_, *operation_);
  }

  void check_declared() const {
    const auto& operation = *operation_;
    if (tunable_.empty())
      refuse(
          manifest_.file, operation.pointer,
          fmt::format("{} declares no values to try: give constants of its body a list, as in \"constants\": "
                      "{{\"THREADS\": {{\"default\": 128, \"try\": [64, 128, 256]}}}}",
                      operation.name));
    if (const std::size_t count = combinations(tunable_).size(); count > most_combinations)
      refuse(manifest_.file, operation.pointer,
             fmt::format("{} has {} combinations of constants to try; at most {} are", operation.name, count,
                         most_combinations));
  }

  /// A package of a manifest with that text, as BuildOptions build it.
  Package build(const std::string& text, const std::string& only, const fs::path& kernels,
                const char* folder) {
    const fs::path path = scratch_.path() / folder;
    disk_.remove_tree(path);
    disk_.make_dirs(path / "manifests");
    disk_.write_atomically(path / "manifests" / fs::path(manifest_.file).filename(), text);
    BuildOptions build;
    build.paths = options_.paths;
    build.paths.manifests = {path / "manifests"};
    build.paths.kernels = kernels;
    build.toolchain = options_.toolchain;
    build.targets = {target_};
    build.only = {"op=" + only};
    build.out = path / "package";
    build.quiet = true;
    build.packing = *Packing::parse("none");
    run_build(build, disk_, runner_, environment_, out_);
    return Package::open(build.out / "kernelgen.kgpkg");
  }

  /// Candidates have operations of one name, so the device is opened with a package that has none of it.
  void open_device() {
    const auto [kind, architecture] = described();
    target_ = build_target(kind, architecture, options_.device);
    key_ = constant_key(target_);
    device_ = Device::open(options_.device, build(widening_manifest, widening_operation,
                                                  options_.paths.shipped_kernels, "base"));
    machines_ = read_machines(disk_, options_.paths.machines);
  }

  std::pair<DeviceKind, std::string> described() const {
    const DeviceName name = parse_device_name(options_.device);
    const auto driver = name.processor.empty() ? open_driver(name.kind, name.ordinal, name.threads)
                                               : open_simulated_driver(name.processor);
    return {name.kind, driver->info().architecture};
  }

  Measurement measurement() const {
    return {*operation_, reference_, tunable_,
            device_,     machines_,  [this](const std::string& text) { say(text); }};
  }

  Combination present() const {
    Combination values;
    for (const TunableConstant& constant : tunable_)
      values.push_back(
          std::ranges::find(operation_->rule->constants(), constant.name, &LaunchRule::Constant::name)
              ->value(target_));
    return values;
  }

  std::string pointer_of(std::size_t constant) const {
    return fmt::format("{}/body/constants/{}", operation_->pointer, tunable_[constant].name);
  }
  std::string text_with(const Combination& values) const {
    std::string text = manifest_.text;
    for (std::size_t i = 0; i < values.size(); ++i)
      text = with_constant(text, pointer_of(i), key_, values[i]);
    return text;
  }

  void make_candidates() {
    std::vector<Combination> all = combinations(tunable_);
    const Combination now = present();
    std::erase(all, now);
    all.insert(all.begin(), now);
    for (const Combination& values : all) {
      say(fmt::format("compiling {} of {}: {}", candidates_.size() + 1, all.size(), spell(tunable_, values)));
      Candidate& candidate = candidates_.emplace_back(Candidate{values});
      try {
        const AddedPackage added =
            device_.add(build(text_with(values), operation_->name, kernels_, "candidate"));
        candidate.name = fmt::format("{}@{}", operation_->name, added.number);
      } catch (const BuildFailed& failed) {
        if (candidates_.size() == 1) throw;  // what is wrong is no constant's value
        measurement().leave_out(candidate,
                                failed.messages().empty() ? "does not compile" : failed.messages().front());
      }
    }
  }

  /// The present values unless others are faster by more than what measuring them varies by.
  const Candidate& choose() const {
    const auto best = std::ranges::min_element(candidates_, {}, &Candidate::relative);
    return best->relative < 1 - (is_simulated(device_) ? gain_of_counts : gain_of_times) ? *best
                                                                                         : candidates_[0];
  }

  /// Gives what was changed, as text; empty if nothing was.
  std::string write(const Candidate& best) {
    std::string text = manifest_.text;
    std::vector<std::string> changes;
    const Combination& now = candidates_[0].values;
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (best.values[i] == now[i]) continue;
      text = with_constant(text, pointer_of(i), key_, best.values[i]);
      changes.push_back(fmt::format("{} {} in place of {}", tunable_[i].name, best.values[i], now[i]));
    }
    if (changes.empty()) return {};
    if (disk_.read(manifest_.file) != manifest_.text)
      refuse(manifest_.file, "", "was changed meanwhile; nothing was written");
    disk_.write_atomically(manifest_.file, text);
    return fmt::format("{}", fmt::join(changes, ", "));
  }

  void report(const Candidate& best, const std::string& changed) const {
    if (options_.json) return report_json(best, changed);
    Table table({"constants", "relative", "us of each case"});
    fmt::print(out_, "\n");
    for (const Candidate& candidate : candidates_) {
      std::vector<std::string> times;
      for (const double us : candidate.microseconds) times.push_back(fmt::format("{:.3g}", us));
      table.add({spell(tunable_, candidate.values) + (&candidate == &best ? " *" : ""),
                 candidate.name.empty() ? "left out" : fmt::format("{:.3f}", candidate.relative),
                 fmt::format("{}", fmt::join(times, " "))});
    }
    table.print(out_);
    const std::string file = printable(manifest_.file);
    if (changed.empty())
      fmt::print(out_, "{}: {}: the present values of {} are the best\n", file, key_, operation_->name);
    else
      fmt::print(out_, "{}: {}: {}\n", file, key_, changed);
  }

  void report_json(const Candidate& best, const std::string& changed) const {
    const auto values_of = [&](const Combination& values) {
      Json object = Json::object();
      for (std::size_t i = 0; i < values.size(); ++i) object[tunable_[i].name] = values[i];
      return object;
    };
    Json rows = Json::array();
    for (const Candidate& candidate : candidates_) {
      Json row = {{"constants", values_of(candidate.values)}};
      if (candidate.name.empty()) {
        row["left_out"] = candidate.why;
      } else {
        row["us"] = candidate.microseconds;
        row["relative"] = candidate.relative;
      }
      rows.push_back(std::move(row));
    }
    fmt::print(out_, "{}",
               json_text(Json{{"operation", operation_->name},
                              {"manifest", manifest_.file},
                              {"device", device_.location()},
                              {"target", key_},
                              {"measured", is_simulated(device_) ? "bound" : "time"},
                              {"cases", cases_},
                              {"candidates", rows},
                              {"best", values_of(best.values)},
                              {"changed", !changed.empty()}}));
  }

  const TuneOptions& options_;
  Disk& disk_;
  ProcessRunner& runner_;
  const Environment& environment_;
  std::FILE* out_;
  ScratchFolder scratch_;
  Manifest manifest_;
  std::optional<OperationEntry> operation_;
  Reference reference_;  ///< for its "draw"; empty if the operation has none
  std::vector<TunableConstant> tunable_;
  fs::path kernels_;
  std::string target_, key_;
  Device device_;
  MachineTable machines_;
  std::vector<Candidate> candidates_;  ///< the first has the present values
  std::vector<std::string> cases_;
};

}  // namespace

int run_tune(const TuneOptions& options, Disk& disk, ProcessRunner& runner, const Environment& environment,
             std::FILE* out) {
  return Tune(options, disk, runner, environment, out).run();
}

}  // namespace kernelgen::tool
