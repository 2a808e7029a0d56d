#include "commands/schema.hpp"

#include <fmt/format.h>

#include "base/fault.hpp"

namespace kernelgen::tool {

int run_schema(const std::string& name, const Places& places, const Disk& disk, std::FILE* out) {
  fmt::print(out, "{}", disk.read(places.schemas / (name + ".schema.json")));
  return exit_ok;
}

}  // namespace kernelgen::tool
