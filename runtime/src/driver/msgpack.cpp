#include "driver/msgpack.hpp"

namespace kernelgen {
namespace {

constexpr int most_depth = 32;

}  // namespace

std::span<const std::byte> MsgpackReader::take(std::uint64_t bytes) {
  if (!is_good_ || bytes > bytes_.size()) {
    is_good_ = false;
    return {};
  }
  const auto taken = bytes_.first(static_cast<std::size_t>(bytes));
  bytes_ = bytes_.subspan(static_cast<std::size_t>(bytes));
  return taken;
}

std::uint32_t MsgpackReader::fail() {
  is_good_ = false;
  return 0;
}

std::uint8_t MsgpackReader::byte() {
  const auto taken = take(1);
  return taken.empty() ? std::uint8_t{0xc1} : static_cast<std::uint8_t>(taken[0]);  // 0xc1 is not a format
}

std::uint64_t MsgpackReader::big_endian(std::size_t bytes) {
  std::uint64_t value = 0;
  for (const std::byte b : take(bytes)) value = value << 8 | static_cast<std::uint8_t>(b);
  return value;
}

std::uint32_t MsgpackReader::map() {
  const std::uint8_t format = byte();
  if (format >> 4 == 0x8) return format & 0xf;
  if (format == 0xde) return static_cast<std::uint32_t>(big_endian(2));
  return format == 0xdf ? static_cast<std::uint32_t>(big_endian(4)) : fail();
}

std::uint32_t MsgpackReader::array() {
  const std::uint8_t format = byte();
  if (format >> 4 == 0x9) return format & 0xf;
  if (format == 0xdc) return static_cast<std::uint32_t>(big_endian(2));
  return format == 0xdd ? static_cast<std::uint32_t>(big_endian(4)) : fail();
}

std::string_view MsgpackReader::text() {
  const std::uint8_t format = byte();
  std::uint64_t bytes = 0;
  if (format >> 5 == 0x5)
    bytes = format & 0x1f;
  else if (format >= 0xd9 && format <= 0xdb)
    bytes = big_endian(std::size_t{1} << (format - 0xd9));
  else
    fail();
  const auto taken = take(bytes);
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

std::uint64_t MsgpackReader::number() {
  const std::uint8_t format = byte();
  if (format < 0x80) return format;
  return format >= 0xcc && format <= 0xcf ? big_endian(std::size_t{1} << (format - 0xcc)) : fail();
}

void MsgpackReader::skip() { skip(0); }

void MsgpackReader::skip(int depth) {
  if (bytes_.empty() || depth > most_depth) {
    fail();
    return;
  }
  const auto format = static_cast<std::uint8_t>(bytes_[0]);
  if (format >> 4 == 0x8 || format == 0xde || format == 0xdf) {
    for (std::uint64_t left = std::uint64_t{2} * map(); left > 0 && is_good_; --left) skip(depth + 1);
  } else if (format >> 4 == 0x9 || format == 0xdc || format == 0xdd) {
    for (std::uint32_t left = array(); left > 0 && is_good_; --left) skip(depth + 1);
  } else if (format >> 5 == 0x5 || (format >= 0xd9 && format <= 0xdb)) {
    text();
  } else if (format < 0x80 || (format >= 0xcc && format <= 0xcf)) {
    number();
  } else {
    byte();
    if (format == 0xca || format == 0xcb) {  // reals
      big_endian(format == 0xca ? 4 : 8);
    } else if (format >= 0xd0 && format <= 0xd3) {  // negative numbers
      big_endian(std::size_t{1} << (format - 0xd0));
    } else if (format != 0xc0 && format != 0xc2 && format != 0xc3 && format < 0xe0) {
      fail();  // nil, false, true and small negative numbers have no payload
    }
  }
}

}  // namespace kernelgen
