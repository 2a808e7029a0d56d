#pragma once
#include <cstdio>
#include <filesystem>

namespace kernelgen::tool {

/// Prints what a GGUF file holds: metadata, then tensors with dtype, shape and bytes. Throws Error(io) and
/// Error(bad_package).
void list_gguf(const std::filesystem::path& file, bool json, std::FILE* out);

}  // namespace kernelgen::tool
