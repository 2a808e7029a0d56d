#pragma once
#include "code_object/code_object.hpp"
#include "code_object/elf_image.hpp"

namespace kernelgen::tool {

/// Reads an AMD GPU's code object, versions 4 to 6, from its NT_AMDGPU_METADATA note
/// (https://llvm.org/docs/AMDGPUUsage.html#code-object-metadata). Throws BadCodeObject.
CodeObject read_hsaco(const ElfImage& image);

}  // namespace kernelgen::tool
