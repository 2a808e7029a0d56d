#include "commands/inspection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/fault.hpp"
#include "commands/package_file.hpp"
#include "manifest/part.hpp"

namespace kernelgen::tool {
namespace {

CodeObject read(std::string_view bytes, const std::string& where) {
  try {
    return read_code_object(bytes);
  } catch (const BadCodeObject& error) {
    throw BadInput(Fault{where, "", fmt::format("code object cannot be read: {}", error.what()), {}});
  }
}

std::string why_no_kernels(const CodeObject& code) {
  if (!code.bundle.empty())
    return fmt::format(
        "is a program or library for {} that holds a GPU's code objects in its section {}, which is not "
        "read; take them out "
        "with clang-offload-bundler or cuobjdump and inspect those",
        code.processor, code.bundle);
  if (code.kind == CodeKind::host)
    return fmt::format("is a program or library for {} without kernels of kernel-gen", code.processor);
  return fmt::format("is {} code for {} without a kernel", name_of(code.kind), code.processor);
}

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
      objects.push_back({target, module, bytes, read_code(package, t, m), t, m});
    }
  }
  return objects;
}

/// Leaves the module or kernel of that name.
void keep_named(std::vector<Inspected>& objects, const InspectOptions& options) {
  std::vector<std::string> names;
  bool is_there = false;
  for (const Inspected& object : objects) {
    is_there = is_there || is_part_of(object.module, options.name);
    names.push_back(object.module);
    for (const CodeKernel& kernel : object.code.kernels) names.push_back(kernel.name);
  }
  if (!is_there && std::find(names.begin(), names.end(), options.name) == names.end()) {
    Faults faults;
    faults.add_unknown(options.file.string(), "", fmt::format("holds no kernel or module '{}'", options.name),
                       options.name, names);
    faults.throw_if_any();
  }
  for (Inspected& object : objects)
    if (!is_part_of(object.module, options.name))
      std::erase_if(object.code.kernels,
                    [&](const CodeKernel& kernel) { return kernel.name != options.name; });
  std::erase_if(objects, [&](const Inspected& object) {
    return !is_part_of(object.module, options.name) && object.code.kernels.empty();
  });
}

}  // namespace

PackageCode Inspection::code(const Inspected& object) const {
  if (package) return package->code(object.target_id, object.module_id);
  return {nullptr, std::as_bytes(std::span(image))};
}

Functions Inspection::disassembled(const Inspected& object) const {
  const PackageCode bytes = code(object);
  try {
    return disassemble(bytes);
  } catch (const BadCodeObject& error) {
    throw BadInput(Fault{fmt::format("{}: {} {}", file, object.target, object.module), "", error.what(), {}});
  }
}

Inspection read_inspection(const InspectOptions& options, const Disk& disk) {
  Inspection inspection;
  inspection.file = options.file.string();
  if (!disk.is_directory(options.file)) {
    if (!disk.exists(options.file)) throw BadInput(Fault{inspection.file, "", "there is no such file", {}});
    inspection.image = disk.read(options.file);
  }
  if (looks_like_code_object(inspection.image)) {
    CodeObject code = read(inspection.image, inspection.file);
    if (code.kernels.empty()) throw BadInput(Fault{inspection.file, "", why_no_kernels(code), {}});
    const std::string processor = code.processor;
    inspection.objects.push_back(
        {processor, options.file.stem().string(), inspection.image.size(), std::move(code)});
  } else {
    inspection.image.clear();
    inspection.package = open_package(disk, options.file);
    inspection.objects = inspect_package(*inspection.package, options);
  }
  if (!options.name.empty()) keep_named(inspection.objects, options);
  return inspection;
}

}  // namespace kernelgen::tool
