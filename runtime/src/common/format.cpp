#define FMT_HEADER_ONLY
#include "common/format.hpp"

#include <fmt/format.h>

namespace kernelgen {

std::string format_values(std::string_view pattern, fmt::format_args values) {
  return fmt::vformat(fmt::string_view(pattern.data(), pattern.size()), values);
}

}  // namespace kernelgen
