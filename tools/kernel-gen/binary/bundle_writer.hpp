#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// An entry of a bundle to write.
struct NewEntry {
  std::string_view id;
  std::string_view bytes;
};

/// The offload bundle that clang would write of these: AMD's loader maps code objects where they are, so entries begin at
/// pages.
std::string write_bundle(const std::vector<NewEntry>& entries, std::size_t alignment = 4096);

/// Compresses a bundle by zstd, in version 2, which ROCm's loaders read from 6.1 on; version 3 where 32 bits cannot hold the
/// sizes. The same bytes for the same bundle and release of zstd.
std::string compress_bundle(std::string_view bundle);

}  // namespace kernelgen::tool
