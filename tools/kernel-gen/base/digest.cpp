#include "base/digest.hpp"

#include <fmt/format.h>

#include <new>

namespace kernelgen::tool {

std::string Hash128::hex() const { return fmt::format("{:016x}{:016x}", high, low); }

Hash128 hash128(std::string_view bytes) { return {content_hash(std::as_bytes(std::span(bytes)))}; }

Digest::Digest() : state_(XXH3_createState(), XXH3_freeState) {
  if (!state_) throw std::bad_alloc();
  XXH3_128bits_reset(state_.get());
}

Digest& Digest::add(std::string_view text) {
  const std::uint64_t size = text.size();
  XXH3_128bits_update(state_.get(), &size, sizeof size);
  XXH3_128bits_update(state_.get(), text.data(), text.size());
  return *this;
}

Hash128 Digest::finish() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_.get());
  return {{hash.low64, hash.high64}};
}

}  // namespace kernelgen::tool
