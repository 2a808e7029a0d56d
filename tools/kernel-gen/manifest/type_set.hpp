#pragma once
#include <vector>

#include "manifest/node.hpp"
#include "manifest/types.hpp"

namespace kernelgen::tool {

/// Reads the dtypes that a type variable ranges over: the name of a set ("F", "all", …) or an array of dtypes. Reports
/// unknown and repeated names as faults of the node and leaves them out.
std::vector<ElementCode> read_type_set(const Node& node);

}  // namespace kernelgen::tool
