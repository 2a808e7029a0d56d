#include "commands/schema.hpp"

#include <fmt/format.h>

#include "base/fault.hpp"
#include "base/table.hpp"

namespace kernelgen::tool {

void list_schemas(std::FILE* out) {
  Table table({"name", "describes"});
  table.add({"module", "a manifest: the operations and kernels of one module"});
  table.add({"targets", "the table of targets, manifests/targets.json"});
  table.add({"registry", "the registry.json of a package"});
  table.print(out);
}

int run_schema(const std::string& name, const Paths& paths, const Disk& disk, std::FILE* out) {
  fmt::print(out, "{}", disk.read(paths.schemas / (name + ".schema.json")));
  return exit_ok;
}

}  // namespace kernelgen::tool
