#pragma once
#include <cstddef>
#include <string_view>
#include <vector>

#include "amdgpu/isa.hpp"

namespace kernelgen::amdgpu::hip {

/// Whether a GPU runs what was compiled for `processor`: its own name, or the generic one of its family ("gfx9-4-generic":
/// major 9, minor 4 or later; "gfx9-generic": what has no matrix cores).
bool runs(const Isa& isa, std::string_view processor);

/// The code object for a GPU in what HIP's functions take: an ELF image, or clang's bundle of several, which may be compressed.
/// Empty: a bundle without one. Throws Fault (code_object).
std::vector<std::byte> code_for(const Isa& isa, const void* image);

}  // namespace kernelgen::amdgpu::hip
