#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace kernelgen::tool {

/// How a container stores what is in it.
enum class PackedAs : std::uint8_t {
  none,
  bundle,  ///< a compressed offload bundle
  zstd,    ///< a frame of Zstandard
  lz4,     ///< a block of LZ4, without a frame
};

/// The bytes before they were packed; `plain_bytes` is their number, which a bundle says itself. Throws BadCodeObject, also where
/// they would be more than 4 GiB or more than 1024 times the packed bytes.
std::string unpack(PackedAs packing, std::string_view bytes, std::uint64_t plain_bytes);

}  // namespace kernelgen::tool
