#include "commands/inspect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/table.hpp"
#include "code_object/resources.hpp"
#include "commands/inspect_annotate.hpp"
#include "commands/inspect_loops.hpp"
#include "commands/inspection.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

namespace {

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

void print_kernels(const Inspection& inspection, std::FILE* out) {
  Table table({"kernel", "target", "VGPRs", "AGPRs", "SGPRs", "spills", "LDS", "scratch", "kernarg", "wave",
               "block"});
  for (const Inspected& object : inspection.objects)
    for (const CodeKernel& k : object.code.kernels)
      table.add({inspection.name_of(k), object.target, gpu_only(object, k.vgprs), gpu_only(object, k.agprs),
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
  if (options.annotate) return run_inspect_annotate(options, disk, out);
  if (options.loops) return run_inspect_loops(options, disk, out);
  const Inspection inspection = read_inspection(options, disk);
  const std::vector<Inspected>& objects = inspection.objects;
  if (options.json) {
    fmt::print(out, "{}", json_text(to_json(objects)));
  } else if (objects.empty() || (options.name.empty() && (inspection.package || objects.size() > 1))) {
    print_objects(objects, out);
  } else {
    print_kernels(inspection, out);
    // One kernel's arguments are the same on every target, the build saw to that; AMD's code objects say
    // most.
    const auto best = std::find_if(objects.begin(), objects.end(), [](const Inspected& object) {
      return object.code.kind == CodeKind::hsaco;
    });
    const Inspected& shown = best == objects.end() ? objects.front() : *best;
    if (shown.code.kernels.size() == 1) print_arguments(shown.code.kernels.front(), out);
  }
  return inspection.finish();
}

}  // namespace kernelgen::tool
