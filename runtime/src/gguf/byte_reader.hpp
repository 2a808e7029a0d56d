#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {

static_assert(std::endian::native == std::endian::little, "GGUF files are read without byte swapping");

/// Takes values off the front of untrusted bytes, at any alignment. Bytes after the end are never read: that is
/// Error(bad_package) with the file, the offset and what should be there.
class ByteReader {
 public:
  /// `start` is the offset of the first byte in the file.
  ByteReader(std::string_view file, std::span<const std::byte> bytes, std::uint64_t start = 0)
      : file_(file), bytes_(bytes), start_(start) {}

  std::uint64_t offset() const { return start_ + at_; }
  std::uint64_t left() const { return bytes_.size() - at_; }
  std::string_view file() const { return file_; }

  template <class... Args>
  [[noreturn]] void fail(std::uint64_t offset, fmt::format_string<Args...> format, Args&&... args) const {
    throw Error(Code::bad_package, formatted("{}: offset {}: {}", file_, offset,
                                             formatted(format, std::forward<Args>(args)...)));
  }

  std::span<const std::byte> take(std::uint64_t count, std::string_view what) {
    if (count > left())
      fail(offset(), "{} takes {} bytes, {} are left; the file is damaged or not whole", what, count, left());
    const std::span<const std::byte> taken = bytes_.subspan(at_, count);
    at_ += count;
    return taken;
  }

  template <class T>
  T number(std::string_view what) {
    T value;
    std::memcpy(&value, take(sizeof value, what).data(), sizeof value);
    return value;
  }

  /// How many things follow, each of `least` bytes or more; so a count never costs more memory than the file has.
  template <class T>
  T count(std::string_view things, std::uint64_t least) {
    const std::uint64_t position = offset();
    const T value = number<T>(things);
    if (value > left() / least)
      fail(position, "{} {} cannot be in the {} bytes that follow; the file is damaged or not whole", value,
           things, left());
    return value;
  }

  /// 64 bits of length, then the characters.
  std::string_view text(std::string_view what) {
    const std::span<const std::byte> bytes = take(count<std::uint64_t>("bytes of text", 1), what);
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }

 private:
  std::string_view file_;
  std::span<const std::byte> bytes_;
  std::uint64_t start_;
  std::uint64_t at_ = 0;
};

}  // namespace kernelgen
