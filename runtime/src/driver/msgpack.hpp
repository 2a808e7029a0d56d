#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kernelgen {

/// Reads MessagePack (github.com/msgpack/msgpack/blob/master/spec.md) from front to back, as far as the metadata of code
/// objects goes: maps, arrays, texts and numbers. Where the bytes end, or have another kind than requested, it reads nothing more
/// and is_good() becomes false.
class MsgpackReader {
 public:
  explicit MsgpackReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool is_good() const { return is_good_; }
  /// Entries of the map, each a key and a value, that begins here.
  std::uint32_t map();
  std::uint32_t array();
  std::string_view text();
  std::uint64_t number();
  /// Whatever comes next, with all that is in it.
  void skip();

 private:
  std::uint8_t byte();
  std::uint64_t big_endian(std::size_t bytes);
  std::span<const std::byte> take(std::uint64_t bytes);
  std::uint32_t fail();
  void skip(int depth);

  std::span<const std::byte> bytes_;
  bool is_good_ = true;
};

}  // namespace kernelgen
