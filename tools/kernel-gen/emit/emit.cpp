#include "emit/emit.hpp"

#include "emit/json.hpp"
#include "emit/registry.hpp"
#include "emit/source.hpp"
#include "emit/targets.hpp"

namespace kernelgen::tool {

std::vector<EmittedFile> emit_sources(const KernelSet& set, const TargetTable& targets) {
  std::vector<EmittedFile> files;
  for (const Module& module : set.modules)
    files.push_back(
        {std::filesystem::path(source_folder) / (module.name + ".hip"), emit_source(set, module)});
  files.push_back({"targets.inc", emit_targets(targets)});
  return files;
}

std::vector<EmittedFile> emit_registry(const KernelSet& set, const TargetTable& targets) {
  return {{"kernelgen_registry.c", emit_registry_source(set)},
          {"kernelgen_registry.h", emit_registry_header(set)},
          {"registry.json", format_rows(registry_json(set, targets))}};
}

}  // namespace kernelgen::tool
