#include "binary/packed_bytes.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include "code_object/code_object.hpp"
#include "offload/compressed_bundle.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30, most_ratio = 1024;

void unpack_zstd(std::string_view bytes, std::string& plain) {
  const std::size_t size = ZSTD_decompress(plain.data(), plain.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size)) throw BadCodeObject(fmt::format("zstd frame: {}", ZSTD_getErrorName(size)));
  if (size != plain.size())
    throw BadCodeObject(fmt::format("zstd frame: holds {} bytes, {} are recorded", size, plain.size()));
}

/// Takes numbers and bytes off an LZ4 block (lz4's documentation, "LZ4 Block Format Description").
class Lz4Block {
 public:
  explicit Lz4Block(std::string_view bytes) : bytes_(bytes) {}

  bool is_empty() const { return bytes_.empty(); }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw BadCodeObject("LZ4 block: ends in the middle of a sequence");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  std::size_t byte() { return static_cast<unsigned char>(take(1).front()); }
  /// A length of four bits, continued in further bytes where all four are set.
  std::size_t length(std::size_t bits) {
    std::size_t length = bits;
    if (bits == 15)
      for (std::size_t more = 255; more == 255;) length += more = byte();
    return length;
  }

 private:
  std::string_view bytes_;
};

void unpack_lz4(std::string_view bytes, std::string& plain) {
  constexpr std::size_t least_match = 4;
  Lz4Block block(bytes);
  std::size_t at = 0;
  const auto need = [&](std::size_t count) {
    if (count > plain.size() - at)
      throw BadCodeObject(
          fmt::format("LZ4 block: holds more than the {} bytes that are recorded", plain.size()));
  };
  while (!block.is_empty()) {
    const std::size_t token = block.byte();
    const std::string_view literals = block.take(block.length(token >> 4));
    need(literals.size());
    literals.copy(plain.data() + at, literals.size());
    at += literals.size();
    if (block.is_empty()) break;  // the last sequence has literals only
    const std::size_t low = block.byte(), distance = low | block.byte() << 8;
    const std::size_t count = block.length(token & 15) + least_match;
    if (distance == 0 || distance > at)
      throw BadCodeObject("LZ4 block: a match begins before its first byte");
    need(count);
    // A match may overlap what it makes.
    for (std::size_t i = 0; i < count; ++i, ++at) plain[at] = plain[at - distance];
  }
  if (at != plain.size())
    throw BadCodeObject(fmt::format("LZ4 block: holds {} bytes, {} are recorded", at, plain.size()));
}

}  // namespace

std::string unpack(PackedAs packing, std::string_view bytes, std::uint64_t plain_bytes) {
  if (packing == PackedAs::none) return std::string(bytes);
  if (packing == PackedAs::bundle) try {
      return offload::decompress_bundle(bytes);
    } catch (const offload::BadBundle& error) {
      throw BadCodeObject(error.what());
    }
  if (plain_bytes > most_bytes || plain_bytes / most_ratio > bytes.size())
    throw BadCodeObject(
        fmt::format("{} compressed bytes cannot be {}: at most {} bytes, {} times as many, are accepted",
                    bytes.size(), plain_bytes, most_bytes, most_ratio));
  std::string plain(plain_bytes, '\0');
  packing == PackedAs::zstd ? unpack_zstd(bytes, plain) : unpack_lz4(bytes, plain);
  return plain;
}

}  // namespace kernelgen::tool
