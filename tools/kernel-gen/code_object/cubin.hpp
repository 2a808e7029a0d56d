#pragma once
#include "code_object/code_object.hpp"
#include "code_object/elf_image.hpp"

namespace kernelgen::tool {

/// Reads an NVIDIA ELF. Its .nv.info records are not documented; parameters, registers, stack and block size
/// are read as every ptxas since CUDA 8 writes them, and anything else is skipped. Throws BadCodeObject.
CodeObject read_cubin(const ElfImage& image);

/// Reads the kernels and parameters of PTX text. Throws BadCodeObject.
CodeObject read_ptx(std::string_view text);

/// The text of a kernel in PTX, from ".visible .entry" to its closing brace. Empty where it has none of that name.
std::string_view ptx_entry(std::string_view text, std::string_view kernel);

}  // namespace kernelgen::tool
