#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "kernelgen/dtype.hpp"

namespace kernelgen::tool {

/// An element's value, exactly.
using Number = std::variant<std::int64_t, double>;

/// Value of the element at `element`, size_of(dtype) bytes of any alignment.
Number read_number(DType dtype, const void* element);

/// Shortest text that names the value among its dtype's: "3", "0.1", "nan", "-inf".
std::string to_text(DType dtype, const Number& number);

}  // namespace kernelgen::tool
