#pragma once
#include <string>
#include <string_view>

namespace kernelgen::tool {

/// Why `name` cannot be a name in both C and C++; empty when it can. Reads on from "'name' ".
std::string identifier_objection(std::string_view name);

}  // namespace kernelgen::tool
