#include "build/package_folder.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/table.hpp"
#include "code_object/resources.hpp"
#include "emit/json.hpp"
#include "emit/registry.hpp"

namespace kernelgen::tool {

namespace {

constexpr std::string_view files[] = {package_file, "registry.json", "kernelgen_registry.h",
                                      "kernelgen_registry.c", "kernelgen_package.S"};

/// registry.json with what the code objects say of each kernel.
std::string registry_text(const KernelSet& set, const std::vector<BuiltTarget>& targets) {
  TargetTable built;
  for (const BuiltTarget& target : targets) built.targets.push_back(*target.target);
  Json json = registry_json(set, built);
  Json rows = Json::array();
  for (const BuiltTarget& target : targets) {
    if (target.target->kind == TargetKind::cpu) continue;
    for (const BuiltObject& object : target.objects)
      for (const CodeKernel& kernel : object.code.kernels) {
        Json row = {{"target", target.target->name}, {"kernel", kernel.name}};
        add_resources(kernel, row);
        rows.push_back(std::move(row));
      }
  }
  json["resources"] = std::move(rows);
  return format_rows(json);
}

}  // namespace

std::span<const std::string_view> package_folder_files() { return files; }

void write_package_folder(const KernelSet& set, const std::vector<BuiltTarget>& targets,
                          const std::string& package, const std::filesystem::path& folder, Disk& disk) {
  disk.write_atomically(folder / package_file, package);
  disk.write_atomically(folder / "registry.json", registry_text(set, targets));
  disk.write_atomically(folder / "kernelgen_registry.h", emit_registry_header(set));
  disk.write_atomically(folder / "kernelgen_registry.c", emit_registry_source(set));
  disk.write_atomically(folder / "kernelgen_package.S", write_package_assembly());
}

std::string package_line(const std::filesystem::path& out, const KernelSet& set, std::size_t targets,
                         std::size_t bytes) {
  return fmt::format("{}: {} in {}, {}, {}", printable(out.string()),
                     spell_count(set.kernels.size(), "kernel"), spell_count(set.modules.size(), "module"),
                     spell_count(targets, "target"), spell_bytes(bytes));
}

}  // namespace kernelgen::tool
