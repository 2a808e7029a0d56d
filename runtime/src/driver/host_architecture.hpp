#pragma once
#include <string_view>

namespace kernelgen {

/// The highest x86-64 level this processor and its operating system support: "x86-64-v4", "x86-64-v3" or
/// "x86-64".
std::string_view host_architecture();

}  // namespace kernelgen
