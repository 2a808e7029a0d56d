#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "offload/bundle.hpp"

namespace kernelgen::offload {

inline constexpr std::string_view compressed_magic = "CCOB";
/// How many times the compressed bytes a bundle may be.
inline constexpr std::uint64_t most_compression = 1024;

/// The header of a compressed bundle ("CCOB"), versions 1 to 3, as clang writes it before the compressed bytes.
struct CompressedHeader {
  enum class Method : std::uint16_t { zlib = 0, zstd = 1 };

  std::uint16_t version = 0;
  Method method = Method::zstd;
  std::uint32_t bytes = 0;  ///< of this header
  std::uint64_t file_bytes =
      0;  ///< of header and compressed bytes; by zlib in version 1, which does not say, all
  std::uint64_t plain_bytes = 0;  ///< of the bundle after decompression
  std::uint64_t hash = 0;         ///< of the bundle after decompression: the first 8 bytes of its MD5
};

/// Whether the bytes begin as a compressed bundle does.
bool is_compressed_bundle(std::string_view bytes);

/// Throws BadBundle for an unknown version or method, where sizes contradict the bytes, and where the header claims more than
/// 4 GiB or `most_compression` times the compressed bytes.
CompressedHeader read_compressed_header(std::string_view bytes);

/// The bundle as it was before compression; its hash is compared. Bytes after the compressed ones are ignored. Throws BadBundle.
std::string decompress_bundle(std::string_view bytes);

/// What a header records of a bundle before compression.
std::uint64_t bundle_hash(std::string_view bundle);

/// The compressed bundle at an address of this process, as far as its header says, which is trusted. Throws BadBundle.
std::string_view compressed_bundle_in_memory(const void* image);

}  // namespace kernelgen::offload
