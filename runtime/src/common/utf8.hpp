#pragma once
#include <cstddef>
#include <span>

namespace kernelgen {

/// True when the bytes are well-formed UTF-8 (Unicode 15, table 3-7: no overlong forms, no surrogates).
bool is_utf8(std::span<const char> text);

}  // namespace kernelgen
