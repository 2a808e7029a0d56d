#include "common/content_hash.hpp"

// The whole of xxHash is in its header; inlined, it adds no library to link.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace kernelgen {

ContentHash content_hash(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.low64, hash.high64};
}

std::uint64_t checksum(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace kernelgen
