#pragma once
#include <string>
#include <string_view>

namespace kernelgen::tool {

/// A shared library for x86-64 as a linker lays out HIP's: one loaded segment with .hip_fatbin and data after it, one with the wrapper that
/// registers the bundle, and the relocation of the wrapper's pointer.
std::string host_program(std::string_view fatbin);

}  // namespace kernelgen::tool
