#include "gguf/parse.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <unordered_set>

#include "common/quotient.hpp"
#include "common/utf8.hpp"
#include "gguf/block_types.hpp"

namespace kernelgen {
namespace {

constexpr std::string_view magic = "GGUF";
constexpr std::uint32_t least_version = 2, most_version = 3;
/// Arrays in arrays: files have none today, and each level is a call.
constexpr int most_depth = 8;

// The least bytes that each takes: the length of a name, and what follows it.
constexpr std::uint64_t least_entry = 8 + 4 + 1, least_tensor = 8 + 4 + 4 + 8;

/// A key or the name of a tensor, once in a file.
std::string_view read_name(ByteReader& reader, std::string_view what,
                           std::unordered_set<std::string_view>& taken) {
  const std::uint64_t position = reader.offset();
  const std::string_view name = reader.text(what);
  if (name.empty()) reader.fail(position, "{} is empty", what);
  if (!is_utf8(name)) reader.fail(position, "{} is no UTF-8", what);
  if (!taken.insert(name).second) reader.fail(position, "{} '{}' appears twice", what, name);
  return name;
}

GgufType read_type(ByteReader& reader, std::string_view key) {
  const std::uint64_t position = reader.offset();
  const auto number = reader.number<std::uint32_t>("the type of a value");
  if (number > static_cast<std::uint32_t>(GgufType::f64))
    reader.fail(position, "metadata '{}' has type {}, which is none of 0 to {}", key, number,
                static_cast<std::uint32_t>(GgufType::f64));
  return static_cast<GgufType>(number);
}

void check_booleans(const ByteReader& reader, std::string_view key, std::span<const std::byte> bytes) {
  for (const std::byte& one : bytes)
    if (std::to_integer<unsigned>(one) > 1)
      reader.fail(reader.offset() - bytes.size() + static_cast<std::uint64_t>(&one - bytes.data()),
                  "metadata '{}' has a boolean of {}, which is neither 0 nor 1", key,
                  std::to_integer<unsigned>(one));
}

}  // namespace

std::size_t size_of(GgufType type) {
  constexpr std::uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  return sizes[static_cast<std::size_t>(type)];
}

GgufValue GgufParser::value(ByteReader& reader, std::string_view key, GgufType type, int depth) {
  if (type == GgufType::text) {
    const std::string_view text = reader.text("a text");
    return GgufValue(reader.file(), key, type, std::as_bytes(std::span(text)));
  }
  if (type != GgufType::array) {
    GgufValue value(reader.file(), key, type, reader.take(size_of(type), "a value"));
    if (type == GgufType::boolean) check_booleans(reader, key, value.bytes_);
    return value;
  }
  if (depth == most_depth)
    reader.fail(reader.offset(), "metadata '{}' nests arrays more than {} deep", key, most_depth);
  ByteReader elements = reader;
  const GgufType element = read_type(elements, key);
  const std::size_t size = size_of(element);
  const std::uint64_t least = size != 0 ? size : element == GgufType::text ? 8 : 12;
  const auto count = elements.count<std::uint64_t>("elements of an array", least);
  if (size != 0) {
    const std::span<const std::byte> bytes = elements.take(count * size, "an array");
    if (element == GgufType::boolean) check_booleans(elements, key, bytes);
  } else {
    for (std::uint64_t i = 0; i < count; ++i) GgufParser::value(elements, key, element, depth + 1);
  }
  GgufValue value(reader.file(), key, type, reader.take(elements.offset() - reader.offset(), "an array"));
  value.element_type_ = element;
  value.size_ = count;
  return value;
}

void GgufParser::parse() {
  read_header();
  read_metadata();
  read_alignment();
  read_tensors();
}

void GgufParser::read_header() {
  const std::span<const std::byte> start = reader_.take(magic.size(), "the header");
  if (std::memcmp(start.data(), magic.data(), magic.size()) != 0)
    reader_.fail(0, "not a GGUF file: it starts with {:02x} {:02x} {:02x} {:02x}, not with \"GGUF\"",
                 std::to_integer<unsigned>(start[0]), std::to_integer<unsigned>(start[1]),
                 std::to_integer<unsigned>(start[2]), std::to_integer<unsigned>(start[3]));
  version = reader_.number<std::uint32_t>("the version");
  if (version != 0 && (version & 0xffff) == 0)
    reader_.fail(4, "version {:#x} was written for big-endian machines; convert the file", version);
  if (version < least_version || version > most_version)
    reader_.fail(4, "version {} of the format; {} and {} are read", version, least_version, most_version);
  // Tensors follow the metadata; the remaining bytes bound both.
  tensor_count_ = reader_.count<std::uint64_t>("tensors", least_tensor);
  entry_count_ = reader_.count<std::uint64_t>("metadata entries", least_entry);
}

void GgufParser::read_metadata() {
  std::unordered_set<std::string_view> taken;
  metadata.reserve(entry_count_);
  for (std::uint64_t i = 0; i < entry_count_; ++i) {
    const std::string_view key = read_name(reader_, "metadata key", taken);
    const GgufType type = read_type(reader_, key);
    metadata.push_back({key, value(reader_, key, type)});
  }
}

void GgufParser::read_alignment() {
  for (const GgufEntry& entry : metadata) {
    if (entry.key != "general.alignment") continue;
    const std::uint64_t position =
        static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(entry.key.data()) - bytes_.data());
    if (entry.value.type() != GgufType::u32)
      reader_.fail(position, "metadata 'general.alignment' is of type {}; the format wants u32",
                   name_of(entry.value.type()));
    alignment = static_cast<std::uint32_t>(entry.value.integer());
    if (!std::has_single_bit(alignment))
      reader_.fail(position, "metadata 'general.alignment' is {}, which is not a power of two", alignment);
  }
}

GgufTensor GgufParser::read_tensor(std::string_view name) {
  GgufTensor tensor{};
  tensor.name = name;
  const std::uint64_t position = reader_.offset();
  const auto rank = reader_.number<std::uint32_t>("the number of a tensor's dims");
  if (rank > max_rank)
    reader_.fail(position, "tensor '{}' has {} dims; up to {} are read", name, rank, max_rank);
  std::int64_t elements = 1;
  for (std::uint32_t d = 0; d < rank; ++d) {
    const std::uint64_t at = reader_.offset();
    const auto extent = reader_.number<std::uint64_t>("a dim of a tensor");
    if (extent > std::uint64_t{std::numeric_limits<std::int64_t>::max()} ||
        __builtin_mul_overflow(elements, static_cast<std::int64_t>(extent), &elements))
      reader_.fail(at, "tensor '{}' has a dim of {}, and with it more than 2^63 - 1 elements", name, extent);
    tensor.shape.insert(0, static_cast<std::int64_t>(extent));
  }
  const std::uint64_t format_offset = reader_.offset();
  tensor.format = reader_.number<std::uint32_t>("the type of a tensor");
  if (const GgmlType* type = find_ggml_type(tensor.format)) {
    tensor.format_name = type->name;
    tensor.dtype = gguf_dtype(tensor.format);
    // A scalar is a row of one.
    const std::int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
    if (row % type->block_elements != 0)
      reader_.fail(format_offset, "tensor '{}' has rows of {} elements, which {}'s blocks of {} do not fill",
                   name, row, type->name, type->block_elements);
    const auto blocks = static_cast<std::uint64_t>(elements) / type->block_elements;
    if (__builtin_mul_overflow(blocks, type->block_bytes, &tensor.bytes))
      reader_.fail(position, "tensor '{}' has {} elements, more bytes than 64 bits count", name, elements);
  }
  tensor.offset = reader_.number<std::uint64_t>("the offset of a tensor");
  return tensor;
}

void GgufParser::read_tensors() {
  std::unordered_set<std::string_view> taken;
  std::vector<std::uint64_t> positions;
  tensors.reserve(tensor_count_);
  positions.reserve(tensor_count_);
  for (std::uint64_t i = 0; i < tensor_count_; ++i) {
    positions.push_back(reader_.offset());
    const std::string_view name = read_name(reader_, "tensor name", taken);
    tensors.push_back(read_tensor(name));
  }
  // The data begins after the last description; offsets are relative to it.
  const std::uint64_t start = quotient_up(reader_.offset(), alignment) * alignment;
  for (std::uint64_t i = 0; i < tensor_count_; ++i) {
    GgufTensor& tensor = tensors[i];
    if (tensor.offset % alignment != 0)
      reader_.fail(positions[i], "tensor '{}' has offset {}, which is not a multiple of the alignment, {}",
                   tensor.name, tensor.offset, alignment);
    const std::uint64_t room = bytes_.size() - std::min<std::uint64_t>(start, bytes_.size());
    if (tensor.offset > room || tensor.bytes > room - tensor.offset)
      reader_.fail(
          positions[i],
          "tensor '{}' has {} bytes at offset {} of the data, of which the file has {}; it is damaged or "
          "not whole",
          tensor.name, tensor.bytes, tensor.offset, room);
    tensor.offset += start;
  }
}

}  // namespace kernelgen
