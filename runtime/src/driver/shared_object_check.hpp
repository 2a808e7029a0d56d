#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace kernelgen {

/// What the system's loader would read or write outside of the file or of the memory it is mapped to; empty when it
/// would not. The loader trusts what it reads: a file that is cut off or damaged ends the process. Looks at headers,
/// segments, the dynamic table and what that points to; the code itself cannot be judged, and loading it may run it.
/// Files that are no 64-bit ELF files of this byte order are left to the loader, which refuses them.
std::string shared_object_defect(std::span<const std::byte> code);

}  // namespace kernelgen
