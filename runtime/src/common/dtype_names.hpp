#pragma once
#include <string_view>
#include <vector>

#include "kernelgen/dtype.hpp"

namespace kernelgen {

/// Names of the dtypes that have a property, in the order of their numbers.
inline std::vector<std::string_view> dtype_names(bool (*has_property)(DType)) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < dtype_count; ++i)
    if (const auto dtype = static_cast<DType>(i); has_property(dtype)) names.push_back(name_of(dtype));
  return names;
}

}  // namespace kernelgen
