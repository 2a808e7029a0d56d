#pragma once
#include <string>
#include <string_view>

namespace kernelgen::tool {

/// Hashes that nobody can forge, for what leaves the machine (SHA-1 aside, which SPDX asks for beside them); as lower
/// case hexadecimal digits. Names and keys of our own are XXH3's (digest.hpp), which is twenty times as fast.
std::string sha256(std::string_view bytes);
std::string sha1(std::string_view bytes);

}  // namespace kernelgen::tool
