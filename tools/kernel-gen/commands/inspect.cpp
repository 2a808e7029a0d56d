#include "commands/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/table.hpp"
#include "code_object/code_object.hpp"
#include "code_object/resources.hpp"
#include "commands/package_file.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

namespace {

struct Inspected {
  std::string target;
  std::string module;
  std::size_t bytes = 0;
  CodeObject code;
};

CodeObject read(std::string_view bytes, const std::string& where) {
  try {
    return read_code_object(bytes);
  } catch (const BadCodeObject& error) {
    throw BadInput(Fault{where, "", fmt::format("code object cannot be read: {}", error.what()), {}});
  }
}

std::vector<Inspected> inspect_package(const Package& package, const InspectOptions& options) {
  std::vector<std::string> names;
  for (const auto& target : package.targets()) names.emplace_back(package.text(target.name));
  if (!options.target.empty()) need_target(package, options.target);
  std::vector<Inspected> objects;
  for (std::uint32_t t = 0; t < names.size(); ++t) {
    if (!options.target.empty() && options.target != names[t]) continue;
    for (std::uint32_t m = 0; m < package.modules().size(); ++m) {
      const std::size_t bytes = package.code(t, m).size();
      if (bytes == 0) continue;
      objects.push_back(
          {names[t], std::string(package.text(package.modules()[m].name)), bytes, read_code(package, t, m)});
    }
  }
  return objects;
}

/// Leaves the module or kernel of that name.
void keep_named(std::vector<Inspected>& objects, const InspectOptions& options) {
  std::vector<std::string> names;
  for (const Inspected& object : objects) {
    names.push_back(object.module);
    for (const CodeKernel& kernel : object.code.kernels) names.push_back(kernel.name);
  }
  if (std::find(names.begin(), names.end(), options.name) == names.end()) {
    Faults faults;
    faults.add_unknown(options.file.string(), "", fmt::format("holds no kernel or module '{}'", options.name),
                       options.name, names);
    faults.throw_if_any();
  }
  for (Inspected& object : objects)
    if (object.module != options.name)
      std::erase_if(object.code.kernels,
                    [&](const CodeKernel& kernel) { return kernel.name != options.name; });
  std::erase_if(objects, [&](const Inspected& object) {
    return object.module != options.name && object.code.kernels.empty();
  });
}

Json arguments_json(const std::vector<CodeArgument>& arguments) {
  Json rows = Json::array();
  for (const CodeArgument& argument : arguments) {
    Json row = {{"offset", argument.offset}, {"size", argument.size}};
    if (!argument.name.empty()) row["name"] = argument.name;
    if (!argument.value_kind.empty()) row["value_kind"] = argument.value_kind;
    rows.push_back(std::move(row));
  }
  return rows;
}

Json to_json(const std::vector<Inspected>& objects) {
  Json json = Json::array();
  for (const Inspected& object : objects) {
    Json kernels = Json::array();
    for (const CodeKernel& kernel : object.code.kernels) {
      Json row = {{"name", kernel.name}, {"code_bytes", kernel.code_bytes}};
      add_resources(kernel, row);
      row["arguments"] = arguments_json(kernel.arguments);
      row["hidden_arguments"] = arguments_json(kernel.hidden_arguments);
      kernels.push_back(std::move(row));
    }
    json.push_back({{"target", object.target},
                    {"module", object.module},
                    {"kind", name_of(object.code.kind)},
                    {"target_id", object.code.target_id},
                    {"code_object_version", object.code.code_object_version},
                    {"flags", object.code.flags},
                    {"bytes", object.bytes},
                    {"kernels", std::move(kernels)}});
  }
  return json;
}

/// CPU code has no such figures.
std::string gpu_only(const Inspected& object, std::uint32_t value) {
  return object.code.kind == CodeKind::host ? "-" : std::to_string(value);
}

void print_kernels(const std::vector<Inspected>& objects, std::FILE* out) {
  Table table({"kernel", "target", "VGPRs", "AGPRs", "SGPRs", "spills", "LDS", "scratch", "kernarg", "wave",
               "block"});
  for (const Inspected& object : objects)
    for (const CodeKernel& k : object.code.kernels)
      table.add({k.name, object.target, gpu_only(object, k.vgprs), gpu_only(object, k.agprs),
                 gpu_only(object, k.sgprs), gpu_only(object, k.vgpr_spills + k.sgpr_spills),
                 gpu_only(object, k.lds_bytes), gpu_only(object, k.scratch_bytes),
                 std::to_string(k.kernarg_bytes), gpu_only(object, k.wave_size),
                 gpu_only(object, k.max_block)});
  table.print(out);
}

void print_objects(const std::vector<Inspected>& objects, std::FILE* out) {
  Table table(
      {"target", "module", "kernels", "kind", "built for", "size", "most VGPRs", "spills", "scratch"});
  for (const Inspected& object : objects) {
    std::uint32_t vgprs = 0, spills = 0, scratch = 0;
    for (const CodeKernel& kernel : object.code.kernels) {
      vgprs = std::max(vgprs, kernel.vgprs);
      spills = std::max(spills, kernel.vgpr_spills + kernel.sgpr_spills);
      scratch = std::max(scratch, kernel.scratch_bytes);
    }
    table.add({object.target, object.module, std::to_string(object.code.kernels.size()),
               std::string(name_of(object.code.kind)), object.code.target_id, spell_bytes(object.bytes),
               gpu_only(object, vgprs), gpu_only(object, spills), gpu_only(object, scratch)});
  }
  table.print(out);
}

void print_arguments(const CodeKernel& kernel, std::FILE* out) {
  fmt::print(out, "\n");
  Table table({"argument", "offset", "size", "kind"});
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    const CodeArgument& argument = kernel.arguments[i];
    table.add({argument.name.empty() ? fmt::format("#{}", i) : argument.name, std::to_string(argument.offset),
               std::to_string(argument.size), argument.value_kind.empty() ? "-" : argument.value_kind});
  }
  table.print(out);
}

}  // namespace

int run_inspect(const InspectOptions& options, const Disk& disk, std::FILE* out) {
  std::vector<Inspected> objects;
  bool is_package = disk.is_directory(options.file);
  if (!is_package) {
    if (!disk.exists(options.file))
      throw BadInput(Fault{options.file.string(), "", "there is no such file", {}});
    const std::string bytes = disk.read(options.file);
    is_package = !looks_like_code_object(bytes);
    if (!is_package) {
      CodeObject code = read(bytes, options.file.string());
      const std::string processor = code.processor;
      objects.push_back({processor, options.file.stem().string(), bytes.size(), std::move(code)});
    }
  }
  if (is_package) objects = inspect_package(open_package(disk, options.file), options);
  if (!options.name.empty()) keep_named(objects, options);
  if (options.json) {
    fmt::print(out, "{}", json_text(to_json(objects)));
  } else if (objects.empty() || (is_package && options.name.empty())) {
    print_objects(objects, out);
  } else {
    print_kernels(objects, out);
    // One kernel's arguments are the same on every target, the build saw to that; AMD's code objects say
    // most.
    const auto best = std::find_if(objects.begin(), objects.end(), [](const Inspected& object) {
      return object.code.kind == CodeKind::hsaco;
    });
    const Inspected& shown = best == objects.end() ? objects.front() : *best;
    if (shown.code.kernels.size() == 1) print_arguments(shown.code.kernels.front(), out);
  }
  return exit_ok;
}

}  // namespace kernelgen::tool
