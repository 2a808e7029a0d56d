#include "commands/import_binary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "base/digest.hpp"
#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/version.hpp"
#include "binary/kernel_manifest.hpp"
#include "binary/same_kernel.hpp"
#include "build/package_parts.hpp"
#include "build/provenance.hpp"
#include "code_object/check.hpp"
#include "commands/binary_file.hpp"
#include "source/identifier.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// The code objects of one name in the binary, and those of its kernels that are wanted.
struct ForeignModule {
  std::string name;
  std::vector<CodeKernel> kernels;
  std::map<const Target*, BuiltObject> objects;
};

/// A container's name as that of a module: an identifier without "__".
std::string module_name(std::string_view text) {
  std::string name;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)))
      name += c;
    else if (!name.empty() && !name.ends_with('_'))
      name += '_';
  return identifier_objection(name).empty() ? name : "module_" + name;
}

class BinaryImport {
 public:
  BinaryImport(const ImportBinaryOptions& options, const TargetTable& table)
      : options_(options), table_(table) {}

  void read(const Binary& binary) {
    need_modules(binary);
    std::set<std::string> unknown;
    for (const Binary::Code& code : binary.codes()) {
      if (code.kind != CodeKind::hsaco || !is_wanted(code)) continue;
      if (const Target* target = table_.find(processor(code.target)))
        add(code, *target, binary.code(code));
      else
        unknown.insert(processor(code.target));
    }
    if (modules_.empty())
      refuse(fmt::format(
          "no kernel matches {} in its code{}; 'kernel-gen ls' lists targets, 'kernel-gen inspect' kernels",
          fmt::join(options_.kernels, ", "),
          options_.targets.empty() ? "" : fmt::format(" for {}", fmt::join(options_.targets, ", "))));
    if (!unknown.empty())
      fmt::print(stderr, "kernel-gen: note: left out, as targets.json has no row of them: {}\n",
                 fmt::join(unknown, ", "));
  }

  /// The package, uncompressed.
  std::string package() {
    drop_copies();
    std::vector<Manifest> manifests;
    Faults faults;
    for (const ForeignModule& module : modules_) {
      const std::string name = module_name(module.name);
      manifests.push_back(parse_manifest(name + ".json", manifest_of(module, name), faults));
    }
    faults.throw_if_any();
    const KernelSet set = expand(manifests);
    const std::vector<BuiltTarget> targets = built_targets(set);

    Digest source;
    Json rows = Json::array();
    std::vector<const Target*> used;
    for (const BuiltTarget& built : targets) {
      used.push_back(built.target);
      rows.push_back({{"name", built.target->name}, {"binary", file_name()}});
      for (const BuiltObject& object : built.objects) source.add(object.bytes);
    }
    Json provenance = {{"tool", std::string("kernel-gen ") + version},
                       {"source", "xxh3:" + source.finish().hex()},
                       {"compression", Packing().spell()},
                       {"targets", std::move(rows)}};
    record_inputs(provenance, manifests, {}, used);
    return write_package(set, targets, json_text(provenance), {.level = std::nullopt});
  }

 private:
  [[noreturn]] void refuse(std::string what) const {
    throw BadInput(Fault{options_.binary.string(), "", std::move(what), {}});
  }
  std::string file_name() const { return options_.binary.filename().string(); }
  static std::string processor(const std::string& target) { return target.substr(0, target.find(':')); }

  void need_modules(const Binary& binary) const {
    std::vector<std::string> names;
    for (const Binary::Code& code : binary.codes()) names.push_back(code.module);
    Faults faults;
    for (const std::string& name : options_.from)
      if (std::ranges::find(names, name) == names.end())
        faults.add_unknown(options_.binary.string(), "", fmt::format("--from {}: holds no such module", name),
                           name, names);
    faults.throw_if_any();
  }

  bool is_wanted(const Binary::Code& code) const {
    const auto is_target = [&](const std::string& name) {
      return name == code.target || name == processor(code.target);
    };
    return (options_.targets.empty() || std::ranges::any_of(options_.targets, is_target)) &&
           (options_.from.empty() || std::ranges::find(options_.from, code.module) != options_.from.end());
  }
  bool is_wanted(const CodeKernel& kernel) const {
    return std::ranges::any_of(options_.kernels, [&](const std::string& glob) {
      return fnmatch(glob.c_str(), kernel.name.c_str(), 0) == 0 ||
             fnmatch(glob.c_str(), demangled(kernel.name).c_str(), 0) == 0;
    });
  }

  void add(const Binary::Code& code, const Target& target, const PackageCode& bytes) {
    const std::string where = fmt::format("{} {}", code.module, code.target);
    BuiltObject object;
    try {
      object.code = read_code_object({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    } catch (const BadCodeObject& error) {
      refuse(fmt::format("{}: {}", where, error.what()));
    }
    std::vector<CodeKernel> kernels = object.code.kernels;
    std::erase_if(kernels, [&](const CodeKernel& kernel) { return !is_wanted(kernel); });
    if (kernels.empty()) return;
    if (object.code.code_object_version < 3)
      refuse(where + ": code objects of version 2 do not say what arguments their kernels take");
    if (bytes.size() > KERNELGEN_MAX_BLOB_BYTES)
      refuse(fmt::format("{}: {} bytes of code; a package takes at most {} a code object", where,
                         bytes.size(), KERNELGEN_MAX_BLOB_BYTES));
    object.bytes.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    ForeignModule& module = module_of(code.module, kernels);
    if (!module.objects.try_emplace(&target, std::move(object)).second)
      refuse(fmt::format("{}: there is other code for {} with other features; choose one by --target", where,
                         target.name));
  }

  /// The module of that name, with these kernels where it is new. A block may have what every target allows.
  ForeignModule& module_of(const std::string& name, const std::vector<CodeKernel>& kernels) {
    const auto [index, is_new] = indices_.try_emplace(name, modules_.size());
    if (is_new) return modules_.emplace_back(ForeignModule{name, kernels, {}});
    ForeignModule& known = modules_[index->second];
    for (CodeKernel& kernel : known.kernels)
      if (const auto same = std::ranges::find(kernels, kernel.name, &CodeKernel::name); same != kernels.end())
        kernel.max_block = std::min(kernel.max_block, same->max_block);
    return known;
  }

  /// Templates are in each object file that uses them: the first copy counts. Throws BadInput where one name means several kernels, as of
  /// static functions.
  void drop_copies() {
    std::map<std::string, const ForeignModule*> first;
    std::map<std::string, std::vector<std::string>> modules;  ///< that differ, by kernel
    for (const ForeignModule& module : modules_)
      for (const CodeKernel& kernel : module.kernels) {
        const ForeignModule& other = *first.try_emplace(kernel.name, &module).first->second;
        if (&other == &module || is_copy(kernel.name, other, module)) continue;
        auto& names = modules.try_emplace(kernel.name, 1, other.name).first->second;
        names.push_back(module.name);
      }
    refuse_ambiguous(modules);
    for (ForeignModule& module : modules_)
      std::erase_if(module.kernels, [&](const CodeKernel& kernel) { return first[kernel.name] != &module; });
    std::erase_if(modules_, [](const ForeignModule& module) { return module.kernels.empty(); });
  }

  /// On each target that both have.
  bool is_copy(const std::string& kernel, const ForeignModule& a, const ForeignModule& b) const try {
    return std::ranges::all_of(a.objects, [&](const auto& entry) {
      const auto other = b.objects.find(entry.first);
      if (other == b.objects.end()) return true;
      const BuiltObject &x = entry.second, &y = other->second;
      const auto of_x = std::ranges::find(x.code.kernels, kernel, &CodeKernel::name),
                 of_y = std::ranges::find(y.code.kernels, kernel, &CodeKernel::name);
      return of_x == x.code.kernels.end() || of_y == y.code.kernels.end() ||
             is_same_kernel({*of_x, x.bytes}, {*of_y, y.bytes});
    });
  } catch (const BadCodeObject& error) {
    refuse(fmt::format("{} in {} or {}: {}", demangled(kernel), a.name, b.name, error.what()));
  }

  void refuse_ambiguous(const std::map<std::string, std::vector<std::string>>& modules) const {
    Faults faults;
    for (const auto& [kernel, names] : modules)
      faults.add(options_.binary.string(), "",
                 fmt::format("{} is not the same in {}; choose one by --from, or other kernels by --kernels",
                             demangled(kernel), fmt::join(names, ", ")));
    faults.throw_if_any();
  }

  std::string manifest_of(const ForeignModule& module, const std::string& name) const {
    try {
      return kernel_manifest(name, file_name(), module.kernels);
    } catch (const BadCodeObject& error) {
      refuse(fmt::format("{}: {}; choose others by --kernels", module.name, error.what()));
    }
  }

  /// What each target has of each module. Throws BadInput where something is missing or differs between targets.
  std::vector<BuiltTarget> built_targets(const KernelSet& set) {
    std::set<const Target*> used;  // in the table's order
    for (const ForeignModule& module : modules_)
      for (const auto& [target, object] : module.objects) used.insert(target);
    std::vector<BuiltTarget> targets;
    for (const Target* target : used) {
      BuiltTarget& built = targets.emplace_back(BuiltTarget{target, {}});
      for (std::size_t m = 0; m < modules_.size(); ++m) {
        const auto object = modules_[m].objects.find(target);
        if (object == modules_[m].objects.end())
          refuse(fmt::format(
              "{} has no code for {}, which other modules have; name targets that all have by --target",
              modules_[m].name, target->name));
        const auto problems = check_code_object(object->second.code, *target, set, set.modules[m]);
        if (!problems.empty())
          refuse(fmt::format("{}: {}; where targets differ, choose one by --target", modules_[m].name,
                             problems.front()));
        built.objects.push_back(std::move(object->second));
      }
    }
    return targets;
  }

  const ImportBinaryOptions& options_;
  const TargetTable& table_;
  std::vector<ForeignModule> modules_;
  std::map<std::string, std::size_t> indices_;  ///< of modules, by name
};

}  // namespace

int run_import_binary(const ImportBinaryOptions& options, Disk& disk, std::FILE* out) {
  if (options.kernels.empty())
    throw BadInput(Fault{"", "", "import --binary: name the kernels with --kernels, '*' for all", {}});
  const TargetTable table = read_targets(disk, options.paths.targets);
  const Binary binary = open_binary(options.binary);
  BinaryImport import(options, table);
  import.read(binary);
  const std::string bytes = import.package();
  const PackageParts parts(Package::from_memory(std::as_bytes(std::span(bytes)), options.binary.string()));
  fmt::print(out, "{}\n", parts.write(options.out, table, disk));
  return report_damages(binary);
}

}  // namespace kernelgen::tool
