#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kernelgen {

/// XXH3-128, the name of a blob, of a loaded custom module and of what the tool keeps.
struct ContentHash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  auto operator<=>(const ContentHash&) const = default;
};

ContentHash content_hash(std::span<const std::byte> bytes);

/// XXH3-64, the header's checksum of a package.
std::uint64_t checksum(std::span<const std::byte> bytes);

}  // namespace kernelgen
