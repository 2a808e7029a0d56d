#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/types.hpp"

namespace kernelgen::tool {

/// A struct that kernels take by value, declared in kernels/plan/abi.hpp or another header of that folder.
struct StructType {
  struct Field {
    std::string name;
    std::string type;  ///< an element type, u64 or another struct; "[8]" after it for each dim of an array
    std::uint32_t offset;
  };

  std::string name;
  TypeLayout layout;
  std::vector<Field> fields;
};

/// All structs, each after those that it contains.
std::span<const StructType> struct_types();

}  // namespace kernelgen::tool
