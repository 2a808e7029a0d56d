#include "commands/inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/fault.hpp"
#include "commands/package_file.hpp"
#include "manifest/part.hpp"

namespace kernelgen::tool {
namespace {

std::vector<Inspected> inspect_package(const Package& package, const InspectOptions& options) {
  if (!options.target.empty()) need_target(package, options.target);
  std::vector<Inspected> objects;
  for (std::uint32_t t = 0; t < package.targets().size(); ++t) {
    const std::string target(package.text(package.targets()[t].name));
    if (!options.target.empty() && options.target != target) continue;
    for (std::uint32_t m = 0; m < package.modules().size(); ++m) {
      const std::size_t bytes = package.code_size(t, m);
      if (bytes == 0) continue;
      const std::string module(package.text(package.modules()[m].name));
      objects.push_back({target, module, bytes, read_code(package, t, m), t, m, 0});
    }
  }
  return objects;
}

/// Suggestions need no more.
constexpr std::size_t most_names = 10'000;

/// Leaves the kernels of that name where it is not the object's own; collects the names that there are.
bool keep_named(Inspected& object, const std::string& name, bool is_binary, std::vector<std::string>& names) {
  if (name.empty() || is_part_of(object.module, name)) return true;
  if (names.size() < most_names) {
    names.push_back(object.module);
    for (const CodeKernel& kernel : object.code.kernels) names.push_back(kernel.name);
  }
  std::erase_if(object.code.kernels, [&](const CodeKernel& kernel) {
    return kernel.name != name && !(is_binary && demangled(kernel.name) == name);
  });
  return !object.code.kernels.empty();
}

bool is_for(const std::string& target, const Inspected& object) {
  return target.empty() || target == object.target || target == object.code.target_id;
}

void inspect_binary(Inspection& inspection, const InspectOptions& options, std::vector<std::string>& names) {
  const Binary& binary = *inspection.binary;
  for (std::size_t i = 0; i < binary.codes().size(); ++i) {
    const Binary::Code& code = binary.codes()[i];
    // Those for other GPUs need not be read.
    if (!options.target.empty() && code.target.substr(0, code.target.find(':')) != options.target &&
        code.target != options.target)
      continue;
    try {
      const PackageCode bytes = binary.code(code);
      CodeObject object = read_code_object({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
      Inspected inspected = {object.processor, code.module, code.bytes, std::move(object), 0, 0, i};
      if (is_for(options.target, inspected) && keep_named(inspected, options.name, true, names))
        inspection.objects.push_back(std::move(inspected));
    } catch (const BadCodeObject& error) {
      inspection.unreadable.push_back(
          {binary.files()[code.file].path.string(),
           fmt::format("offset {:#x}", code.offset),
           fmt::format("{} for {} cannot be read: {}", code.module, code.target, error.what()),
           {}});
    }
  }
}

void need_target(const Binary& binary, const std::string& file, const std::string& target) {
  std::vector<std::string> names;
  for (const Binary::Code& code : binary.codes()) {
    names.push_back(code.target);
    names.push_back(code.target.substr(0, code.target.find(':')));
  }
  if (target.empty() || std::ranges::find(names, target) != names.end()) return;
  Faults faults;
  faults.add_unknown(file, "", fmt::format("holds no code for '{}'", target), target, names);
  throw BadInput(faults.list());
}

}  // namespace

std::size_t Inspection::target_count() const {
  if (package) return package->targets().size();
  std::set<std::string> targets;
  for (const Binary::Code& code : binary->codes()) targets.insert(code.target);
  return targets.size();
}

int Inspection::finish() const {
  print_faults(unreadable);
  return unreadable.empty() ? exit_ok : exit_failure;
}

PackageCode Inspection::code(const Inspected& object) const {
  if (package) return package->code(object.target_id, object.module_id);
  return binary->code(binary->codes()[object.index]);
}

std::string Inspection::where(const Inspected& object) const {
  return fmt::format("{}: {} {}", file, object.target, object.module);
}

Functions Inspection::disassembled(const Inspected& object) const {
  const PackageCode bytes = code(object);
  try {
    return disassemble(bytes);
  } catch (const BadCodeObject& error) {
    throw BadInput(Fault{where(object), "", error.what(), {}});
  }
}

Inspection read_inspection(const InspectOptions& options, const Disk& disk) {
  Inspection inspection;
  inspection.file = options.file.string();
  if (!disk.exists(options.file)) throw BadInput(Fault{inspection.file, "", "there is no such file", {}});
  std::vector<std::string> names;
  if (is_binary(disk, options.file)) {
    inspection.binary = open_binary(options.file);
    inspection.unreadable = damages_of(*inspection.binary);
    need_target(*inspection.binary, inspection.file, options.target);
    inspect_binary(inspection, options, names);
    if (inspection.objects.empty() && !inspection.unreadable.empty()) throw BadInput(inspection.unreadable);
  } else {
    inspection.package = open_package(disk, options.file);
    inspection.objects = inspect_package(*inspection.package, options);
    std::erase_if(inspection.objects,
                  [&](Inspected& object) { return !keep_named(object, options.name, false, names); });
  }
  if (inspection.objects.empty() && !options.name.empty()) {
    Faults faults;
    faults.add_unknown(inspection.file, "", fmt::format("holds no kernel or module '{}'", options.name),
                       options.name, names);
    faults.throw_if_any();
  }
  return inspection;
}

}  // namespace kernelgen::tool
