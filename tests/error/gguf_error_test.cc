// Every message about an invalid GGUF file.
#include <gtest/gtest.h>

#include "kernelgen/gguf.hpp"
#include "support/expect_error.hpp"
#include "support/sample_gguf.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen {
namespace {

using test::bytes_of_file;
using test::expect_error;

void expect_bad(const std::string& bytes, std::initializer_list<std::string_view> parts) {
  const std::string text = expect_error(Code::bad_package, parts,
                                        [&] { GgufFile::from_memory(bytes_of_file(bytes), "bad.gguf"); });
  EXPECT_TRUE(text.starts_with("bad.gguf: offset ")) << text;
}

/// The head of a file with its number at `at` changed.
template <class T>
std::string with(std::string bytes, std::size_t at, T number) {
  return bytes.replace(at, sizeof number, reinterpret_cast<const char*>(&number), sizeof number);
}

constexpr std::size_t version_at = 4, tensors_at = 8, entries_at = 16, first_at = 24;

TEST(GgufError, Header) {
  expect_bad("", {"offset 0: the header takes 4 bytes, 0 are left; the file is damaged or not whole"});
  expect_bad("GGML" + std::string(20, '\0'), {"not a GGUF file: it starts with 47 47 4d 4c"});
  const std::string head = GgufWriter().head();
  expect_bad(with(head, version_at, 1), {"offset 4: version 1 of the format; 2 and 3 are read"});
  expect_bad(with(head, version_at, 4), {"version 4 of the format"});
  expect_bad(with(head, version_at, 0x03000000),
             {"offset 4: version 0x3000000 was written for big-endian machines"});
  expect_bad(with(head, tensors_at, ~std::uint64_t{0}),
             {"offset 8: 18446744073709551615 tensors cannot be in"});
  expect_bad(with(head, entries_at, std::uint64_t{1}), {"offset 16: 1 metadata entries cannot be in"});
}

TEST(GgufError, EveryFileThatIsCutOff) {
  const std::string whole = test::sample_gguf();
  // The last tensor is of an unknown size.
  const std::size_t needed = whole.size() - 8;
  for (std::size_t size = 0; size < needed; ++size)
    expect_error(Code::bad_package, {"cut.gguf: offset ", "damaged or not whole"}, [&] {
      const std::string cut = whole.substr(0, size);
      GgufFile::from_memory(bytes_of_file(cut), "cut.gguf");
    });
}

/// A file with one entry, `value` being the bytes after its key "k".
std::string with_entry(std::uint32_t type, const std::string& value) {
  GgufWriter writer;
  writer.add("k", std::uint8_t{0});
  std::string head = writer.head().substr(0, first_at + 8 + 1);
  head.append(reinterpret_cast<const char*>(&type), sizeof type);
  return head + value;
}

std::string number(std::uint64_t value, std::size_t bytes) {
  return std::string(reinterpret_cast<const char*>(&value), bytes);
}

TEST(GgufError, Metadata) {
  expect_bad(with_entry(13, "\1"), {"offset 33: metadata 'k' has type 13, which is none of 0 to 12"});
  expect_bad(with_entry(7, "\2"), {"offset 37: metadata 'k' has a boolean of 2, which is neither 0 nor 1"});
  expect_bad(with_entry(8, number(100, 8)),
             {"offset 37: 100 bytes of text cannot be in the 0 bytes that follow"});
  expect_bad(with_entry(9, number(4, 4) + number(std::uint64_t{1} << 62, 8)),
             {"offset 41: 4611686018427387904 elements of an array cannot be in"});
  expect_bad(with_entry(9, number(7, 4) + number(3, 8) + std::string("\0\1\3", 3)),
             {"offset 51: metadata 'k' has a boolean of 3"});
  expect_bad(with_entry(9, number(99, 4) + number(0, 8)), {"metadata 'k' has type 99"});
  std::string deep;
  for (int i = 0; i < 9; ++i) deep += number(9, 4) + number(1, 8);
  expect_bad(with_entry(9, deep + number(0, 4) + number(0, 8)),
             {"metadata 'k' nests arrays more than 8 deep"});

  GgufWriter twice;
  twice.add("k", true);
  twice.add("k", false);
  expect_bad(twice.head(), {"offset 38: metadata key 'k' appears twice"});
  GgufWriter empty;
  empty.add("", true);
  expect_bad(empty.head(), {"offset 24: metadata key is empty"});
  GgufWriter bytes;
  bytes.add("\xff", true);
  expect_bad(bytes.head(), {"offset 24: metadata key is no UTF-8"});
}

TEST(GgufError, Alignment) {
  GgufWriter wrong;
  wrong.add("general.alignment", 32.0f);
  expect_bad(wrong.head(), {"metadata 'general.alignment' is of type f32; the format wants u32"});
  for (const std::uint32_t alignment : {0u, 24u}) {
    GgufWriter odd;
    odd.add("general.alignment", alignment);
    expect_bad(odd.head(),
               {"'general.alignment' is " + std::to_string(alignment) + ", which is not a power of two"});
  }
}

/// A file with one tensor "t" of that shape and format, and room for `bytes`.
std::string with_tensor(const Shape& shape, std::uint32_t format, std::uint64_t bytes) {
  GgufWriter writer;
  writer.add_tensor("t", shape, format, bytes);
  return writer.head() + std::string(bytes, '\0');
}

TEST(GgufError, Tensors) {
  constexpr std::size_t rank_at = first_at + 8 + 1, dim_at = rank_at + 4;
  const std::string right = with_tensor({2, 2}, 0, 16);
  constexpr std::size_t offset_at = dim_at + 2 * 8 + 4;
  expect_bad(with(right, rank_at, 9), {"offset 33: tensor 't' has 9 dims; up to 8 are read"});
  expect_bad(
      with(right, dim_at, ~std::uint64_t{0}),
      {"offset 37: tensor 't' has a dim of 18446744073709551615, and with it more than 2^63 - 1 elements"});
  expect_bad(with(right, dim_at + 8, std::uint64_t{1} << 62),
             {"offset 45: tensor 't' has a dim of 4611686018427387904"});
  expect_bad(with(with(right, dim_at, std::uint64_t{1} << 31), dim_at + 8, std::uint64_t{1} << 31),
             {"tensor 't' has 4611686018427387904 elements, more bytes than 64 bits count"});
  expect_bad(with(right, offset_at, std::uint64_t{8}),
             {"offset 24: tensor 't' has offset 8, which is not a multiple of the alignment, 32"});
  expect_bad(with(right, offset_at, std::uint64_t{32}),
             {"offset 24: tensor 't' has 16 bytes at offset 32 of the data, of which the file has 16"});
  expect_bad(with(right, offset_at, ~std::uint64_t{31}), {"at offset 18446744073709551584 of the data"});
  expect_bad(with_tensor({2, 33}, 2, 36),
             {"tensor 't' has rows of 33 elements, which q4_0's blocks of 32 do not fill"});
  expect_bad(with_tensor({}, 2, 18), {"tensor 't' has rows of 1 elements"});
  GgufWriter twice;
  twice.add_tensor("t", {1}, 0, 4);
  twice.add_tensor("t", {1}, 0, 4);
  expect_bad(twice.head() + std::string(64, '\0'), {"tensor name 't' appears twice"});
}

TEST(GgufError, Files) {
  expect_error(Code::io, {"cannot open a file whose name is empty; give a model's, *.gguf"},
               [] { GgufFile::open(""); });
  expect_error(Code::io, {"cannot open /nonexistent/model.gguf: No such file"},
               [] { GgufFile::open("/nonexistent/model.gguf"); });
  const test::TemporaryFile empty("empty.gguf", {});
  expect_error(Code::bad_package, {empty.path().string(), "the header takes 4 bytes"},
               [&] { GgufFile::open(empty.path()); });
}

}  // namespace
}  // namespace kernelgen
