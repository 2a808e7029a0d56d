#pragma once
#include <xxhash.h>

#include <memory>
#include <string>
#include <string_view>

#include "common/content_hash.hpp"

namespace kernelgen::tool {

/// A hash as it is written into names and records.
struct Hash128 : ContentHash {
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
