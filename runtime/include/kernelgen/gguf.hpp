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

/// Type of a metadata value. The numbers are those of the format.
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

/// A metadata value, stored in the file: valid as long as a copy of its GgufFile exists. Each function throws
/// Error(invalid_argument) with the file, the key and the value's type if the value has another type.
class GgufValue {
 public:
  GgufType type() const { return type_; }

  /// Any integer type, but u64 only up to 2^63 - 1.
  std::int64_t integer() const;
  /// Any number type, including integers.
  double real() const;
  bool boolean() const;
  /// The bytes as stored, without a terminating NUL. The format requires UTF-8, but files also hold other
  /// bytes.
  std::string_view text() const;

  // For arrays. All elements have the same type; arrays of arrays are allowed.
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
  /// An array's bytes include its element type and count; a text's exclude its length.
  std::span<const std::byte> bytes_;
  GgufType element_type_ = GgufType::u8;
  std::uint64_t size_ = 0;
};

/// An entry of a file's metadata.
struct GgufEntry {
  std::string_view key;  ///< UTF-8
  GgufValue value;
};

/// A file's description of a tensor; all of it is checked.
struct GgufTensor {
  std::string_view name;  ///< UTF-8
  Shape shape;            ///< slowest dim first; files store dims in reverse order
  std::uint32_t format;   ///< GGML's number of the element type
  /// GGML's name of the format, spelled like our dtypes ("q4_K", "iq2_xxs"); "" if unknown.
  std::string_view format_name;
  /// Empty if the runtime has no dtype for the format; such a tensor is listed but cannot be loaded.
  std::optional<DType> dtype;
  std::uint64_t offset;  ///< of the first byte in the file
  std::uint64_t bytes;   ///< 0 if the format is unknown
};

/// GGML's number of a dtype. Throws Error(unsupported) for a dtype that files cannot have.
std::uint32_t gguf_format(DType dtype);

/// The dtype with that number, if the runtime has one.
std::optional<DType> gguf_dtype(std::uint32_t format);

/// A GGUF file in memory. Everything is checked when it is opened (counts, lengths, types, names, and that
/// every tensor is inside the file), so no file causes reads outside of it; the meaning of sizes and texts is
/// not checked. Copies share it. Thread-safe. The file must not be modified until the last copy, and the last
/// tensor loaded on the CPU, is destroyed: if it is truncated, access to a missing page terminates the
/// process (SIGBUS). Replacing or removing the file is safe.
class GgufFile {
 public:
  /// Maps a regular file. Throws Error(io) with the system's reason, and Error(bad_package) with the file,
  /// the offset in it and what is wrong there.
  static GgufFile open(const std::filesystem::path& file);
  /// Reads a file from memory, without copying; the caller keeps the bytes alive. `name` appears in messages.
  /// Throws Error(bad_package).
  static GgufFile from_memory(std::span<const std::byte> bytes, std::string_view name = "memory");

  const std::string& name() const;
  std::uint32_t version() const;
  /// Alignment of tensors in the file, in bytes: "general.alignment", or 32 by default.
  std::uint32_t alignment() const;

  /// In the file's order.
  std::span<const GgufEntry> metadata() const;
  /// Null if there is no such key.
  const GgufValue* find_value(std::string_view key) const;
  /// Throws Error(not_found) with the nearest key.
  const GgufValue& value(std::string_view key) const;

  // The value of a key, by type. If the key is missing, returns `absent` if given. Throw as value() and
  // GgufValue do.
  std::int64_t integer(std::string_view key, std::optional<std::int64_t> absent = std::nullopt) const;
  double real(std::string_view key, std::optional<double> absent = std::nullopt) const;
  bool boolean(std::string_view key, std::optional<bool> absent = std::nullopt) const;
  std::string_view text(std::string_view key, std::optional<std::string_view> absent = std::nullopt) const;

  /// In the file's order.
  std::span<const GgufTensor> tensors() const;
  /// Null if there is no such tensor.
  const GgufTensor* find(std::string_view name) const;
  /// Throws Error(not_found) with the nearest name.
  const GgufTensor& tensor(std::string_view name) const;
  /// A tensor's bytes in the mapping. Throws Error(unsupported) if the format is unknown, Error(io) if the
  /// file was truncated since it was opened.
  std::span<const std::byte> bytes(const GgufTensor& tensor) const;

  /// Loads a tensor to a device, directly from the mapping. On the CPU nothing is copied if the alignment
  /// permits: the tensor is the mapping, whose pages are read at first use. Writing to such a tensor changes
  /// what this object returns afterwards, never the file. Throws Error(not_found), Error(unsupported) for a
  /// format without a dtype, Error(io) if the file was truncated since it was opened, Error(out_of_memory).
  Tensor load(const Device& device, std::string_view name, const Stream& stream = {}) const;

 private:
  struct Data;
  explicit GgufFile(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace kernelgen
