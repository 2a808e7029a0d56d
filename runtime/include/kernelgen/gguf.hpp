#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernelgen/tensor.hpp"

/// GGUF, the file format of language models in GGML's formats, versions 2 and 3 (little-endian).
namespace kernelgen {

/// What a metadata value is; the format's numbers.
enum class GgufType : std::uint32_t {
  u8 = 0,
  i8 = 1,
  u16 = 2,
  i16 = 3,
  u32 = 4,
  i32 = 5,
  f32 = 6,
  boolean = 7,
  text = 8,
  array = 9,
  u64 = 10,
  i64 = 11,
  f64 = 12,
};

/// "u32", "text", "array", …
std::string_view name_of(GgufType type);

/// A metadata value where it lies in the file: valid as long as a copy of its GgufFile. Each function throws
/// Error(invalid_argument) with the file, the key and the value's type where the value is of another kind.
class GgufValue {
 public:
  GgufType type() const { return type_; }

  /// Any integer type. Not for u64 values over 2^63 - 1.
  std::int64_t integer() const;
  /// Any number, integers too.
  double real() const;
  bool boolean() const;
  /// The bytes as they are, without a NUL behind them: the format wants UTF-8, files also hold other things.
  std::string_view text() const;

  // Of arrays. Elements have one type; arrays of arrays are allowed.
  GgufType element_type() const;
  std::uint64_t size() const;
  std::vector<GgufValue> elements() const;
  std::vector<std::int64_t> integers() const;
  std::vector<double> reals() const;
  std::vector<std::string_view> texts() const;

 private:
  friend class GgufParser;
  GgufValue(std::string_view file, std::string_view key, GgufType type, std::span<const std::byte> bytes)
      : file_(file), key_(key), type_(type), bytes_(bytes) {}
  [[noreturn]] void fail_type(std::string_view wanted) const;

  std::string_view file_, key_;
  GgufType type_;
  std::span<const std::byte>
      bytes_;  ///< of an array with its element type and count, of a text without its length
  GgufType element_type_ = GgufType::u8;
  std::uint64_t size_ = 0;
};

/// An entry of a file's metadata.
struct GgufEntry {
  std::string_view key;  ///< UTF-8
  GgufValue value;
};

/// What a file says of a tensor, all of it checked.
struct GgufTensor {
  std::string_view name;  ///< UTF-8
  Shape shape;            ///< slowest dim first: the file has the dims the other way round
  std::uint32_t format;   ///< GGML's number of the element type
  /// GGML's name of it, spelled as our dtypes ("q4_K", "iq2_xxs"); "" for a number that is not known.
  std::string_view format_name;
  /// None for a format that the runtime has no dtype for: listed, not loaded.
  std::optional<DType> dtype;
  std::uint64_t offset;  ///< of the first byte in the file
  std::uint64_t bytes;   ///< 0 where the format is not known
};

/// GGML's number of a dtype. Throws Error(unsupported) for one that files cannot have.
std::uint32_t gguf_format(DType dtype);

/// A file in memory. Everything is checked when it is opened (counts, lengths, types, names, and that every tensor
/// lies inside), so that no file makes a reader look outside of it; sizes and texts mean what they say. Copies share
/// it. Thread-safe. Whoever opens a file leaves it unchanged until the last copy, and the last tensor loaded on the
/// CPU, is gone.
class GgufFile {
 public:
  /// Maps the file. Throws Error(io) with the system's reason, and Error(bad_package) with the file, the offset in it
  /// and what is wrong there.
  static GgufFile open(const std::filesystem::path& file);
  /// Reads one where it lies; the caller keeps the bytes. `name` is for messages. Throws Error(bad_package).
  static GgufFile from_memory(std::span<const std::byte> bytes, std::string_view name = "memory");

  const std::string& name() const;
  std::uint32_t version() const;
  /// Of tensors in the file, in bytes: "general.alignment", else 32.
  std::uint32_t alignment() const;

  /// In the file's order.
  std::span<const GgufEntry> metadata() const;
  /// Null where there is no such key.
  const GgufValue* find_value(std::string_view key) const;
  /// Throws Error(not_found) with the nearest key.
  const GgufValue& value(std::string_view key) const;

  // The value of a key by kind, else `absent` where one is given and the key is not there. Throw as value() and
  // GgufValue do.
  std::int64_t integer(std::string_view key, std::optional<std::int64_t> absent = std::nullopt) const;
  double real(std::string_view key, std::optional<double> absent = std::nullopt) const;
  bool boolean(std::string_view key, std::optional<bool> absent = std::nullopt) const;
  std::string_view text(std::string_view key, std::optional<std::string_view> absent = std::nullopt) const;

  /// In the file's order.
  std::span<const GgufTensor> tensors() const;
  /// Null where there is no such tensor.
  const GgufTensor* find(std::string_view name) const;
  /// Throws Error(not_found) with the nearest name.
  const GgufTensor& tensor(std::string_view name) const;
  /// A tensor's bytes in the mapping. Throws Error(unsupported) where the format's size is not known.
  std::span<const std::byte> bytes(const GgufTensor& tensor) const;

  /// The tensor on a device, straight from the mapping. On the CPU nothing is copied where the alignment allows it:
  /// the tensor is the mapping, pages of which come with their first use, and writing to it changes what this file
  /// object gives from then on, never the file. Throws Error(not_found), Error(unsupported) for a format without a
  /// dtype, Error(out_of_memory).
  Tensor load(const Device& device, std::string_view name, const Stream& stream = {}) const;

 private:
  struct Data;
  explicit GgufFile(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace kernelgen
