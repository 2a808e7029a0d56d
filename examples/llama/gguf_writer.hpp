#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "kernelgen/gguf.hpp"

/// Makes the head of a GGUF file: everything in front of the tensors' bytes.
class GgufWriter {
 public:
  explicit GgufWriter(std::uint32_t alignment = 32, std::uint32_t version = 3)
      : alignment_(alignment), version_(version) {
    if (alignment != 32) add("general.alignment", alignment);
  }

  /// A bool, a number of a type that the format has, a text, or a vector of one of these.
  template <class T>
  void add(std::string_view key, const T& value) {
    put(metadata_, key);
    put(metadata_, static_cast<std::uint32_t>(type_of(value)));
    put_value(value);
    ++entries_;
  }

  /// Declares the next tensor. `format` is GGML's number, `bytes` what its elements take.
  void add_tensor(std::string_view name, const kernelgen::Shape& shape, std::uint32_t format,
                  std::uint64_t bytes) {
    put(tensors_, name);
    put(tensors_, static_cast<std::uint32_t>(shape.size()));
    for (std::size_t d = shape.size(); d-- > 0;) put(tensors_, static_cast<std::uint64_t>(shape[d]));
    put(tensors_, format);
    put(tensors_, data_bytes_);
    data_bytes_ += padded(bytes);
    ++count_;
  }

  /// What stands in front of the first tensor. The tensors' bytes follow in the order of add_tensor, each with
  /// padding() after it.
  std::string head() const {
    std::string text = "GGUF";
    put(text, version_);
    put(text, count_);
    put(text, entries_);
    text += metadata_ + tensors_;
    return text + padding(text.size());
  }

  /// Zeros that make so many bytes a multiple of the alignment.
  std::string padding(std::uint64_t bytes) const { return std::string(padded(bytes) - bytes, '\0'); }

 private:
  using Type = kernelgen::GgufType;

  static Type type_of(bool) { return Type::boolean; }
  static Type type_of(std::uint8_t) { return Type::u8; }
  static Type type_of(std::int8_t) { return Type::i8; }
  static Type type_of(std::uint16_t) { return Type::u16; }
  static Type type_of(std::int16_t) { return Type::i16; }
  static Type type_of(std::uint32_t) { return Type::u32; }
  static Type type_of(std::int32_t) { return Type::i32; }
  static Type type_of(std::uint64_t) { return Type::u64; }
  static Type type_of(std::int64_t) { return Type::i64; }
  static Type type_of(float) { return Type::f32; }
  static Type type_of(double) { return Type::f64; }
  static Type type_of(std::string_view) { return Type::text; }
  template <class T>
  static Type type_of(const std::vector<T>&) {
    return Type::array;
  }

  template <class T>
    requires std::is_arithmetic_v<T>
  static void put(std::string& text, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    text.append(bytes, sizeof value);
  }
  static void put(std::string& text, std::string_view value) {
    put(text, static_cast<std::uint64_t>(value.size()));
    text += value;
  }

  void put_value(std::string_view value) { put(metadata_, value); }
  template <class T>
    requires std::is_arithmetic_v<T>
  void put_value(T value) {
    put(metadata_, value);
  }
  template <class T>
  void put_value(const std::vector<T>& values) {
    put(metadata_, static_cast<std::uint32_t>(type_of(T())));
    put(metadata_, static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) put_value(value);
  }

  std::uint64_t padded(std::uint64_t bytes) const {
    return (bytes + alignment_ - 1) / alignment_ * alignment_;
  }

  std::uint32_t alignment_, version_;
  std::string metadata_, tensors_;
  std::uint64_t entries_ = 0, count_ = 0, data_bytes_ = 0;
};
