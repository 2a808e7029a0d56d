#include "manifest/type_set.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "manifest/types.hpp"

namespace kernelgen::tool {

std::vector<ElementCode> read_type_set(const Node& node) {
  std::vector<ElementCode> codes;
  if (node.value().is_string()) {
    const std::string name = *node.text();
    if (auto set = find_type_set(name)) return *std::move(set);
    if (parse_element(name))
      node.fault(fmt::format("'{0}' is not a set of dtypes; write [\"{0}\"] for that dtype alone", name));
    else
      node.fault_unknown(fmt::format("unknown set of dtypes '{}'", name), name, type_set_names());
    return codes;
  }
  if (!node.value().is_array()) {
    node.fault("must be the name of a set of dtypes or an array of dtypes");
    return codes;
  }
  for (const Node& item : node.items()) {
    const auto name = item.text();
    if (!name) continue;
    const auto code = parse_element(*name);
    if (!code)
      item.fault_unknown(fmt::format("unknown dtype '{}'", *name), *name, element_names());
    else if (std::find(codes.begin(), codes.end(), *code) != codes.end())
      item.fault(fmt::format("dtype '{}' is listed twice", *name));
    else
      codes.push_back(*code);
  }
  if (node.value().empty()) node.fault("lists no dtype");
  return codes;
}

}  // namespace kernelgen::tool
