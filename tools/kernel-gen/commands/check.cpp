#include "commands/check.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "commands/check_kernel.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(std::string what) { throw BadInput(Fault{"", "", "check: " + std::move(what), {}}); }

/// A file of this process that goes with the command.
class ReportFile {
 public:
  explicit ReportFile(Disk& disk)
      : disk_(disk), path_(fs::temp_directory_path() / fmt::format("kernel-gen-check-{}.jsonl", ::getpid())) {
    disk_.write_atomically(path_, "");
  }
  ~ReportFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  ReportFile(const ReportFile&) = delete;
  ReportFile& operator=(const ReportFile&) = delete;

  const fs::path& path() const { return path_; }
  Json problems() const {
    Json list = Json::array();
    std::istringstream lines(disk_.read(path_));
    for (std::string line; std::getline(lines, line);) list.push_back(Json::parse(line));
    return list;
  }

 private:
  Disk& disk_;
  fs::path path_;
};

std::string checks_of(const CheckOptions& options) {
  return fmt::format("seed={}{}", options.seed, options.natural_alignment ? ",natural-alignment" : "");
}

/// Nothing where the program ended as it should.
std::string run_program(const CheckOptions& options, ProcessRunner& runner, std::FILE* out) {
  const ProcessResult result = run_process(runner, options.words);
  if (!result.start_error.empty()) refuse(fmt::format("'{}' {}", options.words.front(), result.outcome()));
  std::fwrite(result.out.data(), 1, result.out.size(), options.json ? stderr : out);
  std::fwrite(result.err.data(), 1, result.err.size(), stderr);
  return result.ok() ? "" : fmt::format("{}: {}", options.words.front(), result.outcome());
}

}  // namespace

int run_check(const CheckOptions& options, const Places& places, Disk& disk, ProcessRunner& runner,
              std::FILE* out) {
  if (options.words.empty())
    refuse(
        "name a program and its arguments, or with --kernel a code object; 'kernel-gen check --help' has "
        "examples");
  if (!options.kernel.empty() && options.words.size() != 1)
    refuse(fmt::format("--kernel takes one code object, not {}", options.words.size()));
  if (options.kernel.empty() && !options.arguments.empty()) refuse("--arg needs --kernel");
  if (!disk.exists(places.simulated_hip))
    refuse(fmt::format("{} is not there; build the target kernelgen_simulated_hip",
                       places.simulated_hip.string()));
  const ReportFile report(disk);
  const std::pair<const char*, std::string> variables[] = {
      {"KERNELGEN_HIP_LIBRARY", places.simulated_hip.string()},
      {"KERNELGEN_SIMULATED_GPU", options.gpu},
      {"KERNELGEN_SIMULATED_CHECK", checks_of(options)},
      {"KERNELGEN_SIMULATED_REPORT", report.path().string()}};
  for (const auto& [name, value] : variables) {
    runner.set_variable(name, value);
    ::setenv(name, value.c_str(), 1);
  }
  const std::string failure = options.kernel.empty() ? run_program(options, runner, out)
                                                     : check_kernel(options, places.simulated_hip, disk);
  const Json problems = report.problems();
  const bool ok = problems.empty() && failure.empty();
  if (options.json) {
    Json result = {{"ok", ok}, {"gpu", options.gpu}, {"problems", problems}};
    if (!failure.empty()) result["failure"] = failure;
    fmt::print(out, "{}", json_text(result));
    return ok ? exit_ok : exit_failure;
  }
  for (const Json& problem : problems)
    fmt::print(out, "{}: {}\n", problem.at("kind").get<std::string>(),
               printable(problem.at("report").get<std::string>()));
  if (!failure.empty()) fmt::print(out, "{}\n", printable(failure));
  fmt::print(out, "{}: {}\n", options.gpu,
             problems.empty() ? "no problem found" : spell_count(problems.size(), "problem"));
  return ok ? exit_ok : exit_failure;
}

}  // namespace kernelgen::tool
