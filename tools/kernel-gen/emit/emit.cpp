#include "emit/emit.hpp"

#include <algorithm>

#include "emit/functions.hpp"
#include "emit/json.hpp"
#include "emit/operations.hpp"
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
  files.push_back({"operations.inc", emit_operations(set)});
  if (std::ranges::none_of(set.modules, &Module::has_functions)) return files;
  files.push_back({"functions.inc", emit_function_names(set)});
  files.push_back({"include/kernelgen/ops/elementwise_functions.hpp", emit_functions_header(set)});
  files.push_back({"src/ops/elementwise_functions.cpp", emit_functions_source(set)});
  return files;
}

std::vector<EmittedFile> emit_registry(const KernelSet& set, const TargetTable& targets) {
  return {{"kernelgen_registry.c", emit_registry_source(set)},
          {"kernelgen_registry.h", emit_registry_header(set)},
          {"registry.json", format_rows(registry_json(set, targets))}};
}

}  // namespace kernelgen::tool
