#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace kernelgen {

/// An element type of GGML's.
struct GgmlType {
  std::uint32_t number;
  std::string_view name;  ///< a dtype's where the runtime has one for it
  std::uint32_t block_elements, block_bytes;
};

/// Null for a number without a meaning that we know of.
const GgmlType* find_ggml_type(std::uint32_t number);

}  // namespace kernelgen
