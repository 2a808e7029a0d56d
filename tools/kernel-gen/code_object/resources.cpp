#include "code_object/resources.hpp"

#include <algorithm>
#include <limits>

namespace kernelgen::tool {

namespace {

template <class Field>
Field narrow(std::uint32_t value) {
  return static_cast<Field>(std::min<std::uint32_t>(value, std::numeric_limits<Field>::max()));
}

}  // namespace

kernelgen_resource_record resource_record(const CodeKernel& kernel) {
  kernelgen_resource_record record = {};
  for_each_resource([&](const char*, auto figure, auto field) {
    record.*field = narrow<std::decay_t<decltype(record.*field)>>(kernel.*figure);
  });
  return record;
}

void add_resources(const CodeKernel& kernel, Json& row) {
  for_each_resource([&](const char* name, auto figure, auto) { row[name] = kernel.*figure; });
}

}  // namespace kernelgen::tool
