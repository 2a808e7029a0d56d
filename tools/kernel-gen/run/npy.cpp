#include "run/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>

#include "base/fault.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
/// NumPy's own headers of eight dims are below 300 bytes.
constexpr std::size_t max_header = 10'000;
/// NumPy aligns the elements so, for memory mapping.
constexpr std::size_t alignment = 64;

struct TypeRow {
  DType dtype;
  std::string_view code;  ///< kind and bytes, as in 'descr' after the byte order
};
constexpr TypeRow type_rows[] = {
    {DType::u8, "u1"},   {DType::u32, "u4"}, {DType::i16, "i2"}, {DType::i32, "i4"}, {DType::i64, "i8"},
    {DType::bf16, "V2"}, {DType::f16, "f2"}, {DType::f32, "f4"}, {DType::f64, "f8"}, {DType::f8e4m3, "V1"},
};
static_assert(std::size(type_rows) == plain_dtype_count);

[[noreturn]] void refuse(const std::string& file, std::string location, std::string what) {
  throw BadInput(Fault{file, std::move(location), std::move(what), std::nullopt});
}

/// Reads the header's text: a Python dict literal of three known keys.
class HeaderReader {
 public:
  HeaderReader(std::string_view text, std::size_t start, const std::string& file)
      : text_(text), start_(start), file_(file) {}

  [[noreturn]] void fail(const std::string& what) const {
    refuse(file_, fmt::format("byte {}", start_ + at_), what);
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("expected '{}' in the .npy header", c));
  }
  std::string_view string() {
    skip_space();
    const char quote = at_ == text_.size() ? '\0' : text_[at_];
    if (quote == '[') fail("structured elements are not supported; save one plain array a file");
    if (quote != '\'' && quote != '"') fail("expected a quoted string in the .npy header");
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) fail("a string in the .npy header does not end");
    const std::string_view value = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return value;
  }
  bool boolean() {
    skip_space();
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {"False", false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return value;
    }
    fail("expected True or False in the .npy header");
  }
  Shape tuple() {
    expect('(');
    Shape shape;
    while (!accept(')')) {
      if (shape.size() == max_rank) fail(fmt::format("more than {} dims", max_rank));
      shape.push_back(extent());
      if (accept(',')) continue;
      expect(')');
      break;
    }
    return shape;
  }
  bool at_end() {
    skip_space();
    return at_ == text_.size();
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  std::int64_t extent() {
    skip_space();
    std::int64_t value = 0;
    const char* const first = text_.data() + at_;
    const auto [last, error] = std::from_chars(first, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) fail("expected an extent, a whole number from 0 to 2^63 - 1");
    at_ += static_cast<std::size_t>(last - first);
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2 wrote its long integers so
    return value;
  }

  std::string_view text_;
  std::size_t start_;
  std::size_t at_ = 0;
  const std::string& file_;
};

struct Header {
  std::string_view descr;
  bool fortran_order = false;
  Shape shape;
};

Header read_header(HeaderReader& reader) {
  Header header;
  bool has_descr = false;
  bool has_order = false;
  bool has_shape = false;
  const auto once = [&](bool& seen, std::string_view key) {
    if (seen) reader.fail(fmt::format("the .npy header has '{}' twice", key));
    seen = true;
  };
  reader.expect('{');
  while (!reader.accept('}')) {
    const std::string_view key = reader.string();
    reader.expect(':');
    if (key == "descr") {
      once(has_descr, key);
      header.descr = reader.string();
    } else if (key == "fortran_order") {
      once(has_order, key);
      header.fortran_order = reader.boolean();
    } else if (key == "shape") {
      once(has_shape, key);
      header.shape = reader.tuple();
    } else {
      reader.fail("the .npy header has a key other than descr, fortran_order and shape");
    }
    if (reader.accept(',')) continue;
    reader.expect('}');
    break;
  }
  if (!reader.at_end()) reader.fail("text after the .npy header's dict");
  if (!has_descr || !has_order || !has_shape)
    reader.fail("the .npy header lacks descr, fortran_order or shape");
  return header;
}

/// Printable form of text from a file.
std::string quoted(std::string_view text) {
  std::string shown;
  for (const char c : text.substr(0, 20)) shown += c >= ' ' && c <= '~' ? c : '?';
  return "'" + shown + "'";
}

/// The dtype of a 'descr' such as "<f4".
DType element_type(std::string_view descr, std::optional<DType> as, const std::string& file) {
  if (descr.starts_with('>'))
    refuse(file, "descr",
           fmt::format("big-endian elements {}; save with array.astype(array.dtype.newbyteorder('<'))",
                       quoted(descr)));
  const auto is_one_of = [](char c, std::string_view set) { return set.find(c) != std::string_view::npos; };
  const std::string_view code = descr.substr(std::min<std::size_t>(1, descr.size()));
  if (code.size() != 2 || !is_one_of(descr[0], "<|=") || !is_one_of(code[0], "uifbV") ||
      !is_one_of(code[1], "1248"))
    refuse(file, "descr", fmt::format("elements of NumPy type {} are not supported", quoted(descr)));
  const auto width = static_cast<std::size_t>(code[1] - '0');
  if (as && is_quantized(*as)) {
    if (width != 1)
      refuse(file, "descr",
             fmt::format("elements {} have {} bytes; blocks of {} are saved as single bytes, {} a block "
                         "along the last dim",
                         quoted(descr), width, name_of(*as), size_of(*as)));
    return *as;
  }
  if (as) {
    if (size_of(*as) != width)
      refuse(file, "descr",
             fmt::format("elements {} have {} bytes, {} has {}", quoted(descr), width, name_of(*as),
                         size_of(*as)));
    return *as;
  }
  if (code == "b1") return DType::u8;
  for (const TypeRow& row : type_rows)
    if (row.code == code && code[0] != 'V') return row.dtype;
  std::string names;
  for (const TypeRow& row : type_rows)
    if (size_of(row.dtype) == width) names.append(names.empty() ? "" : ", ").append(name_of(row.dtype));
  refuse(file, "descr",
         fmt::format("elements {} do not say which dtype they are; name it with --dtype (of that width: {})",
                     quoted(descr), names));
}

/// Bytes of all elements of that many bytes each; nothing when they do not fit 64 bits.
std::optional<std::uint64_t> total_bytes(const Shape& shape, std::size_t size) {
  std::uint64_t bytes = size;
  bool empty = false;
  for (const std::int64_t extent : shape) empty = empty || extent == 0;
  if (empty) return 0;
  for (const std::int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes)) return std::nullopt;
  return bytes;
}

/// The elements' shape, where the file has the bytes of their blocks.
Shape shape_of_blocks(const Header& header, DType dtype, const std::string& file) {
  const auto size = static_cast<std::int64_t>(size_of(dtype));
  Shape shape = header.shape;
  if (header.fortran_order)
    refuse(file, "fortran_order", fmt::format("blocks of {} have to be saved in C order", name_of(dtype)));
  std::int64_t elements = 0;
  if (shape.empty() || shape.back() % size != 0 ||
      __builtin_mul_overflow(shape.back() / size, block_elements(dtype), &elements))
    refuse(file, "shape",
           fmt::format("bytes {} are no blocks of {}: the last dim has to be a multiple of {}",
                       shape.to_string(), name_of(dtype), size));
  shape[shape.size() - 1] = elements;
  return shape;
}

}  // namespace

NpyArray read_npy(std::string_view bytes, const std::string& file, std::optional<DType> as) {
  const auto fail = [&](std::size_t at, const std::string& what) {
    refuse(file, fmt::format("byte {}", at), what);
  };
  if (!bytes.starts_with(magic)) fail(0, "not a .npy file: it does not start with \\x93NUMPY");
  const auto byte = [&](std::size_t at) -> std::uint32_t {
    if (at >= bytes.size()) fail(bytes.size(), "the file ends inside the .npy header");
    return static_cast<unsigned char>(bytes[at]);
  };
  const std::uint32_t major = byte(6);
  if (major < 1 || major > 3 || byte(7) != 0)
    fail(6, fmt::format(".npy version {}.{} is not supported; 1.0, 2.0 and 3.0 are", major, byte(7)));
  std::size_t start = 10;
  std::size_t length = byte(8) | byte(9) << 8;
  if (major > 1) {
    length |= byte(10) << 16 | byte(11) << 24;
    start = 12;
  }
  if (length > max_header)
    fail(8, fmt::format("a .npy header of {} bytes; at most {} are read", length, max_header));
  if (bytes.size() - start < length) fail(bytes.size(), "the file ends inside the .npy header");

  HeaderReader reader(bytes.substr(start, length), start, file);
  const Header header = read_header(reader);
  const DType dtype = element_type(header.descr, as, file);
  const DType saved_as = is_quantized(dtype) ? DType::u8 : dtype;
  const std::string_view data = bytes.substr(start + length);
  const auto wanted = total_bytes(header.shape, size_of(saved_as));
  if (!wanted || *wanted != data.size())
    fail(start + length,
         fmt::format("{} {} takes {} bytes, the file has {}", name_of(saved_as), header.shape.to_string(),
                     wanted ? std::to_string(*wanted) : "more than 2^64", data.size()));
  if (is_quantized(dtype)) return {dtype, shape_of_blocks(header, dtype, file), false, data};
  return {dtype, header.shape, header.fortran_order, data};
}

std::string npy_header(DType dtype, const Shape& shape) {
  if (is_quantized(dtype)) {
    Shape bytes = shape;
    bytes[shape.size() - 1] = bytes_of(dtype, shape.back());
    return npy_header(DType::u8, bytes);
  }
  std::string code;
  for (const TypeRow& row : type_rows)
    if (row.dtype == dtype) code = row.code;
  std::string extents;
  for (const std::int64_t extent : shape) extents += fmt::format("{}{}", extents.empty() ? "" : ", ", extent);
  if (shape.size() == 1) extents += ',';  // Python's tuple of one
  std::string text = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
                                 size_of(dtype) == 1 ? '|' : '<', code, extents);
  constexpr std::size_t start = 10;
  text.append(alignment - 1 - (start + text.size()) % alignment, ' ').append("\n");
  std::string header(magic);
  header.append({'\x01', '\x00', static_cast<char>(text.size() & 0xff), static_cast<char>(text.size() >> 8)});
  return header + text;
}

}  // namespace kernelgen::tool
