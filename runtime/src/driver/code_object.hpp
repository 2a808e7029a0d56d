#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace kernelgen {

bool is_elf(std::span<const std::byte> code);

/// True for PTX: bytes that begin with printable text.
bool is_text(std::span<const std::byte> code);

/// Version (3, 4, 5, 6) of an AMD code object from its ELF header; 0 if it is not one.
int code_object_version(std::span<const std::byte> code);

/// Describes what is wrong with the image, from its first bytes and header sizes; empty if valid. Drivers
/// take a pointer without a size and trust the header.
std::string image_defect(std::span<const std::byte> code);

}  // namespace kernelgen
