#pragma once
#include "code_object/code_object.hpp"
#include "code_object/elf_image.hpp"

namespace kernelgen::tool {

/// Reads a CPU target's shared object: for a kernel K it exports the function K and the table K_args
/// { u32 count, bytes; { u32 offset, size } [count] }. Throws BadCodeObject.
CodeObject read_host_object(const ElfImage& image);

}  // namespace kernelgen::tool
