#include "command_verify.hpp"

#include <fmt/format.h>

#include <optional>

#include "check.hpp"
#include "fault.hpp"
#include "filter.hpp"
#include "kernelgen/error.hpp"
#include "node.hpp"
#include "package_file.hpp"
#include "table.hpp"

namespace kernelgen::tool {
namespace {

class Verifier {
 public:
  Verifier(const Package& package, const KernelSet& set, const TargetTable& targets)
      : package_(package), set_(set), targets_(targets) {}

  std::vector<std::string> run() {
    if (!package_.blobs_intact()) problems_.push_back("a blob does not hash to its recorded name");
    for (const Kernel& kernel : set_.kernels) check_record(kernel);
    for (std::uint32_t t = 0; t < package_.targets().size(); ++t) {
      const std::string name(package_.text(package_.targets()[t].name));
      const Target* target = targets_.find(name);
      if (!target) {
        problems_.push_back(fmt::format("target {} is not in targets.json", name));
        continue;
      }
      for (const Module& module : set_.modules) check_code(t, *target, module);
    }
    return std::move(problems_);
  }

 private:
  void check_record(const Kernel& kernel) {
    const std::optional<std::uint32_t> id = package_.find_kernel(kernel.name);
    if (!id) {
      problems_.push_back(fmt::format("kernel {} of the manifests is missing", kernel.name));
      return;
    }
    const auto arguments = package_.arguments(*id);
    if (arguments.size() != kernel.arguments.size()) {
      problems_.push_back(fmt::format("kernel {}: arguments: wanted {}, found {}", kernel.name,
                                      kernel.arguments.size(), arguments.size()));
      return;
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Argument found = {std::string(package_.text(arguments[i].name)),
                              std::string(package_.text(arguments[i].type)),
                              arguments[i].offset,
                              arguments[i].size,
                              arguments[i].is_pointer != 0,
                              arguments[i].is_written != 0};
      if (!(found == kernel.arguments[i]))
        problems_.push_back(
            fmt::format("kernel {}: argument {} is recorded as '{} {}' at {}, the manifest has "
                        "'{} {}' at {}",
                        kernel.name, i, found.type, found.name, found.offset, kernel.arguments[i].type,
                        kernel.arguments[i].name, kernel.arguments[i].offset));
    }
  }

  void check_code(std::uint32_t target_id, const Target& target, const Module& module) {
    for (std::uint32_t m = 0; m < package_.modules().size(); ++m) {
      if (package_.text(package_.modules()[m].name) != module.name) continue;
      const std::span<const std::byte> code = package_.code(target_id, m);
      if (code.empty()) break;
      try {
        const CodeObject object = read_code_object({reinterpret_cast<const char*>(code.data()), code.size()});
        for (std::string& problem : check_code_object(object, target, set_, module))
          problems_.push_back(std::move(problem));
      } catch (const BadCodeObject& error) {
        problems_.push_back(
            fmt::format("{} {}: code object cannot be read: {}", target.name, module.name, error.what()));
      }
      return;
    }
    problems_.push_back(fmt::format("{}: no code of module {}", target.name, module.name));
  }

  const Package& package_;
  const KernelSet& set_;
  const TargetTable& targets_;
  std::vector<std::string> problems_;
};

}  // namespace

int run_verify(const VerifyOptions& options, const Disk& disk, std::FILE* out) {
  const TargetTable targets = read_targets(disk, options.places.targets);
  const KernelSet set = apply(Filter::parse(options.only),
                              expand(read_manifests(disk, options.places.manifests, options.places.kernels)));
  std::vector<std::string> problems;
  std::size_t target_count = 0;
  try {
    const Package package = open_package(disk, options.package);
    target_count = package.targets().size();
    problems = Verifier(package, set, targets).run();
  } catch (const Error& error) {
    problems.push_back(error.what());
  }
  if (options.json) {
    const Json json = {{"ok", problems.empty()}, {"problems", problems}};
    fmt::print(out, "{}\n", json.dump(2));
  } else if (problems.empty()) {
    fmt::print(out, "{}: {} for {}, all as the manifests say\n", options.package.string(),
               spell_count(set.kernels.size(), "kernel"), spell_count(target_count, "target"));
  } else {
    for (const std::string& problem : problems)
      fmt::print(out, "{}: {}\n", options.package.string(), problem);
  }
  return problems.empty() ? exit_ok : exit_failure;
}

}  // namespace kernelgen::tool
