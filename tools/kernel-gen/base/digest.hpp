#pragma once
#include <xxhash.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kernelgen::tool {

/// XXH3-128 of some bytes.
struct Hash128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  auto operator<=>(const Hash128&) const = default;
  /// 32 hexadecimal digits, the high half first.
  std::string hex() const;
};

Hash128 hash128(std::string_view bytes);

/// Hashes a list of texts: "ab", "c" and "a", "bc" give different hashes.
class Digest {
 public:
  Digest();
  Digest& add(std::string_view text);
  Hash128 finish() const;

 private:
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state_;
};

}  // namespace kernelgen::tool
