#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include "common/format.hpp"

namespace kernelgen::fmt {

std::string vformat(std::string_view pattern, ::fmt::format_args values) {
  return ::fmt::vformat(::fmt::string_view(pattern.data(), pattern.size()), values);
}

}  // namespace kernelgen::fmt
