#pragma once
#include <string>
#include <string_view>

namespace kernelgen::tool {

/// Collision-resistant hashes for published files (except SHA-1, which SPDX requires in addition); as lower
/// case hexadecimal digits. Names and keys of our own are XXH3's (digest.hpp), which is twenty times as fast.
std::string sha256(std::string_view bytes);
std::string sha1(std::string_view bytes);

}  // namespace kernelgen::tool
