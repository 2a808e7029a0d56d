#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kernelgen {

bool is_elf(std::span<const std::byte> code);

/// True for PTX: bytes that begin with printable text.
bool is_text(std::span<const std::byte> code);

/// Version (3, 4, 5, 6) of an AMD code object as its ELF header says it; 0 when it is none.
int code_object_version(std::span<const std::byte> code);

/// What is wrong with the image, judged by its first bytes and the sizes they give; empty when nothing is.
/// Drivers are given a pointer without a size and read whatever the image's header says.
std::string image_defect(std::span<const std::byte> code);

}  // namespace kernelgen
