#pragma once
#include <cstdio>
#include <filesystem>

namespace kernelgen::tool {

/// Lists the code objects of a file or folder of others. Gives exit_failure where a part of it cannot be read, after the list. Throws
/// BadInput, Error(io).
int list_binary(const std::filesystem::path& path, bool json, std::FILE* out);

}  // namespace kernelgen::tool
