#include <cstring>
#include <limits>

#include "common/format.hpp"
#include "gguf/parse.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

template <class T>
T read(std::span<const std::byte> bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

std::string_view name_of(GgufType type) {
  constexpr std::string_view names[] = {"u8",      "i8",   "u16",   "i16", "u32", "i32", "f32",
                                        "boolean", "text", "array", "u64", "i64", "f64"};
  return names[static_cast<std::size_t>(type)];
}

void GgufValue::fail_type(std::string_view wanted) const {
  throw Error(Code::invalid_argument,
              formatted("{}: metadata '{}' is of type {}, wanted {}", file_, key_, name_of(type_), wanted));
}

std::int64_t GgufValue::integer() const {
  switch (type_) {
    case GgufType::u8:
      return read<std::uint8_t>(bytes_);
    case GgufType::i8:
      return read<std::int8_t>(bytes_);
    case GgufType::u16:
      return read<std::uint16_t>(bytes_);
    case GgufType::i16:
      return read<std::int16_t>(bytes_);
    case GgufType::u32:
      return read<std::uint32_t>(bytes_);
    case GgufType::i32:
      return read<std::int32_t>(bytes_);
    case GgufType::i64:
      return read<std::int64_t>(bytes_);
    case GgufType::u64: {
      const auto value = read<std::uint64_t>(bytes_);
      if (value > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
        throw Error(Code::invalid_argument,
                    formatted("{}: metadata '{}' is {}, wanted at most 2^63 - 1", file_, key_, value));
      return static_cast<std::int64_t>(value);
    }
    default:
      fail_type("an integer");
  }
}

double GgufValue::real() const {
  switch (type_) {
    case GgufType::f32:
      return read<float>(bytes_);
    case GgufType::f64:
      return read<double>(bytes_);
    case GgufType::u64:
      return static_cast<double>(read<std::uint64_t>(bytes_));
    case GgufType::boolean:
    case GgufType::text:
    case GgufType::array:
      fail_type("a number");
    default:
      return static_cast<double>(integer());
  }
}

bool GgufValue::boolean() const {
  if (type_ != GgufType::boolean) fail_type("a boolean");
  return bytes_[0] != std::byte{0};
}

std::string_view GgufValue::text() const {
  if (type_ != GgufType::text) fail_type("a text");
  return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
}

GgufType GgufValue::element_type() const {
  if (type_ != GgufType::array) fail_type("an array");
  return element_type_;
}

std::uint64_t GgufValue::size() const {
  if (type_ != GgufType::array) fail_type("an array");
  return size_;
}

std::vector<GgufValue> GgufValue::elements() const {
  std::vector<GgufValue> values;
  values.reserve(size());
  ByteReader reader(file_, bytes_);
  // What was checked before, type and count, stands in front.
  reader.take(sizeof(std::uint32_t) + sizeof(std::uint64_t), "an array");
  for (std::uint64_t i = 0; i < size_; ++i) values.push_back(GgufParser::value(reader, key_, element_type_));
  return values;
}

std::vector<std::int64_t> GgufValue::integers() const {
  std::vector<std::int64_t> values;
  for (const GgufValue& element : elements()) values.push_back(element.integer());
  return values;
}

std::vector<double> GgufValue::reals() const {
  std::vector<double> values;
  for (const GgufValue& element : elements()) values.push_back(element.real());
  return values;
}

std::vector<std::string_view> GgufValue::texts() const {
  std::vector<std::string_view> values;
  for (const GgufValue& element : elements()) values.push_back(element.text());
  return values;
}

}  // namespace kernelgen
