#include "commands/conform.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/printable.hpp"
#include "base/table.hpp"
#include "build/package_types.hpp"
#include "build/package_writer.hpp"
#include "commands/package_file.hpp"
#include "kernelgen/dtype.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {
namespace {

/// Something that programs rely on and that is no longer so.
struct Breach {
  std::string of;  ///< "kernel kg_exp_f32"
  std::string was, is;
  std::string instead;  ///< what to do instead
};

class Comparison {
 public:
  Comparison(const Package& before, const Package& after) : before_(before), after_(after) {}

  void compare_kernels(bool names_only) {
    for (std::uint32_t id = 0; id < before_.kernels().size(); ++id) {
      const std::string name(before_.text(before_.kernels()[id].name));
      const auto now = after_.find_kernel(name);
      if (!now) {
        report("kernel " + name, "there", "removed", "keep it, and add the new one under another name");
        continue;
      }
      compare_arguments(name, id, *now);
      if (const std::uint32_t was = before_.kernels()[id].block, is = after_.kernels()[*now].block; is < was)
        report("kernel " + name, fmt::format("blocks of up to {} threads", was), fmt::format("up to {}", is),
               "keep it, and add the new one under another name");
      if (!names_only && *now != id)
        report("kernel " + name, fmt::format("id {}", id), fmt::format("id {}", *now),
               "define new kernels in a manifest of the highest \"order\"; or use --names-only, if programs "
               "are compiled "
               "again or look kernels up by name");
    }
  }

  void compare_operations() {
    for (const kernelgen_operation_record& was : before_.operations()) {
      const std::string name(before_.text(was.name));
      const kernelgen_operation_record* const is = after_.find_operation(name);
      if (is == nullptr) {
        report("operation " + name, "there", "removed", "keep it, and add the new one under another name");
        continue;
      }
      const std::string old = signature_of(before_, was), now = signature_of(after_, *is);
      if (old != now)
        report("operation " + name, old, now, "keep it, and add the new one under another name");
      else
        compare_variants(name, was, *is);
    }
  }

  const std::vector<Breach>& breaches() const { return breaches_; }

 private:
  void report(std::string of, std::string was, std::string is, std::string instead) {
    breaches_.push_back({std::move(of), std::move(was), std::move(is), std::move(instead)});
  }

  static std::string spell(const Package& package, const kernelgen_argument_record& argument) {
    return fmt::format("{} of {} bytes at {}", package.text(argument.type), argument.size, argument.offset);
  }

  void compare_arguments(const std::string& kernel, std::uint32_t was, std::uint32_t is) {
    const auto old = before_.arguments(was), now = after_.arguments(is);
    const char* const instead = "keep it, and add the new one under another name";
    if (old.size() != now.size())
      return report("kernel " + kernel, spell_count(old.size(), "argument"),
                    spell_count(now.size(), "argument"), instead);
    for (std::size_t i = 0; i < old.size(); ++i)
      if (const std::string a = spell(before_, old[i]), b = spell(after_, now[i]); a != b)
        report(fmt::format("kernel {}: argument {} ({})", kernel, i, before_.text(old[i].name)), a, b,
               instead);
  }

  /// The element types and forms that have a kernel, each as one text: "f32 u32, strided".
  static std::set<std::string> served(const Package& package, const kernelgen_operation_record& operation) {
    std::vector<std::vector<ElementCode>> types;
    for (const auto& variable : package.variables(operation))
      types.push_back(accepted_types(package, variable));
    const auto forms = package.forms(operation);
    const auto variants = package.variants(operation);
    std::set<std::string> texts;
    for (std::size_t v = 0; v < variants.size(); ++v) {
      if (variants[v] == KERNELGEN_NO_KERNEL) continue;
      std::size_t index = v / forms.size();
      std::string text;
      for (std::size_t t = types.size(); t-- > 0; index /= types[t].size())
        text = fmt::format("{}{}{}", element_name(types[t][index % types[t].size()]), text.empty() ? "" : " ",
                           text);
      texts.insert(
          fmt::format("{}{}{}", text, text.empty() ? "" : ", ", package.text(forms[v % forms.size()])));
    }
    return texts;
  }

  void compare_variants(const std::string& name, const kernelgen_operation_record& was,
                        const kernelgen_operation_record& is) {
    const std::set<std::string> now = served(after_, is);
    for (const std::string& variant : served(before_, was))
      if (!now.contains(variant))
        report("operation " + name, fmt::format("a kernel for {}", variant), "none", "keep the kernel");
  }

  const Package& before_;
  const Package& after_;
  std::vector<Breach> breaches_;
};

/// The names of `records` that `find` does not find.
template <class Records, class Find>
std::size_t count_new(const Package& package, const Records& records, const Find& find) {
  return static_cast<std::size_t>(
      std::ranges::count_if(records, [&](const auto& record) { return !find(package.text(record.name)); }));
}

Json to_json(const std::vector<Breach>& breaches, std::size_t kernels, std::size_t operations) {
  Json rows = Json::array();
  for (const Breach& breach : breaches)
    rows.push_back({{"of", breach.of}, {"was", breach.was}, {"is", breach.is}, {"instead", breach.instead}});
  return {{"ok", breaches.empty()},
          {"breaches", std::move(rows)},
          {"added", {{"kernels", kernels}, {"operations", operations}}}};
}

}  // namespace

int run_conform(const ConformOptions& options, const Disk& disk, std::FILE* out) {
  const Package before = open_package(disk, options.before);
  // The tables of a build, without its code.
  std::string tables;
  if (options.after.empty())
    tables =
        write_package(expand(read_manifests(disk, options.paths.manifests, options.paths.kernels)), {}, "{}");
  const Package after = options.after.empty()
                            ? Package::from_memory(std::as_bytes(std::span(tables)), "the manifests")
                            : open_package(disk, options.after);
  Comparison comparison(before, after);
  comparison.compare_kernels(options.names_only);
  comparison.compare_operations();
  const std::vector<Breach>& breaches = comparison.breaches();
  const std::size_t kernels =
      count_new(after, after.kernels(), [&](auto name) { return before.find_kernel(name); });
  const std::size_t operations =
      count_new(after, after.operations(), [&](auto name) { return before.find_operation(name) != nullptr; });
  if (options.json) {
    fmt::print(out, "{}", json_text(to_json(breaches, kernels, operations)));
  } else {
    for (const Breach& breach : breaches)
      fmt::print(out, "{}\n",
                 printable(fmt::format("{}: before: {}; now: {}; instead: {}", breach.of, breach.was,
                                       breach.is, breach.instead)));
    fmt::print(out, "{}: {}, with {} and {} more\n", printable(after.name()),
               breaches.empty() ? "compatible" : spell_count(breaches.size(), "problem"),
               spell_count(kernels, "kernel"), spell_count(operations, "operation"));
  }
  return breaches.empty() ? exit_ok : exit_failure;
}

}  // namespace kernelgen::tool
