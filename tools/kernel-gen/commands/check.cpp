#include "commands/check.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "commands/check_kernel.hpp"
#include "commands/simulated_program.hpp"

namespace kernelgen::tool {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(std::string what) { throw BadInput(Fault{"", "", "check: " + std::move(what), {}}); }

std::string checks_of(const CheckOptions& options) {
  return fmt::format("seed={}{}", options.seed, options.natural_alignment ? ",natural-alignment" : "");
}

}  // namespace

int run_check(const CheckOptions& options, const Paths& paths, Disk& disk, ProcessRunner& runner,
              std::FILE* out) {
  if (options.words.empty())
    refuse(
        "name a program and its arguments, or with --kernel a code object; 'kernel-gen check --help' has "
        "examples");
  if (!options.kernel.empty() && options.words.size() != 1)
    refuse(fmt::format("--kernel takes one code object, not {}", options.words.size()));
  if (options.kernel.empty() && !options.arguments.empty()) refuse("--arg needs --kernel");
  const JsonLines report(disk);
  simulate(
      paths, disk, runner, options.gpu,
      {{"KERNELGEN_SIMULATED_CHECK", checks_of(options)}, {"KERNELGEN_SIMULATED_REPORT", report.path()}});
  const std::string failure = options.kernel.empty()
                                  ? run_program(options.words, runner, options.json ? stderr : out)
                                  : check_kernel(options, paths.simulated_hip, disk);
  const Json problems = report.read();
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
