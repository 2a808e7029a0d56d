// .npy files are untrusted input: well-formed ones are read, all others are refused with a position, and nothing
// crashes.
#include "run/npy.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/fault.hpp"
#include "run/number.hpp"

namespace kernelgen::tool {
namespace {

/// A file of version `major` with that header text and data.
std::string file_of(const std::string& dict, const std::string& data, int major = 1) {
  std::string file = "\x93NUMPY";
  file += {static_cast<char>(major), '\0'};
  const std::string header = dict + "\n";
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) file += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return file + header + data;
}

std::string dict_of(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }";
}

/// The message a file is refused with; empty when it is read.
std::string refusal(const std::string& file, std::optional<DType> as = std::nullopt) {
  try {
    read_npy(file, "x.npy", as);
    return "";
  } catch (const BadInput& error) {
    return error.what();
  }
}

TEST(NpyRead, EveryTypeAndVersion) {
  const struct {
    const char* descr;
    DType dtype;
  } rows[] = {{"|u1", DType::u8},  {"<u1", DType::u8},  {"|b1", DType::u8},  {"<u4", DType::u32},
              {"<i2", DType::i16}, {"<i4", DType::i32}, {"<i8", DType::i64}, {"<f2", DType::f16},
              {"<f4", DType::f32}, {"<f8", DType::f64}};
  for (const auto& row : rows)
    for (const int major : {1, 2, 3}) {
      const std::string file =
          file_of(dict_of(row.descr, "(2,)"), std::string(2 * size_of(row.dtype), 'x'), major);
      const NpyArray array = read_npy(file, "x.npy");
      EXPECT_EQ(array.dtype, row.dtype) << row.descr;
      EXPECT_EQ(array.shape, Shape{2});
      EXPECT_FALSE(array.fortran_order);
      EXPECT_EQ(array.data, std::string(2 * size_of(row.dtype), 'x'));
    }
}

TEST(NpyRead, HeadersInOtherSpellings) {
  EXPECT_TRUE(
      read_npy(file_of("{\"shape\":(3,2),\"fortran_order\":True,\"descr\":\"|u1\"}   ", "abcdef"), "x")
          .fortran_order);
  EXPECT_EQ(read_npy(file_of(dict_of("|u1", "()"), "a"), "x").shape, Shape{});
  EXPECT_EQ(read_npy(file_of(dict_of("|u1", "(2L, 3L)"), "abcdef"), "x").shape, (Shape{2, 3}));
  EXPECT_EQ(read_npy(file_of(dict_of("|u1", "(0, 9223372036854775807)"), ""), "x").shape[0], 0);
}

TEST(NpyRead, VoidElementsTakeADtype) {
  const std::string file = file_of(dict_of("<V2", "(1,)"), "ab");
  EXPECT_EQ(read_npy(file, "x", DType::bf16).dtype, DType::bf16);
  EXPECT_EQ(read_npy(file_of(dict_of("|V1", "(1,)"), "a"), "x", DType::f8e4m3).dtype, DType::f8e4m3);
  EXPECT_EQ(read_npy(file_of(dict_of("<u2", "(1,)"), "ab"), "x", DType::f16).dtype, DType::f16);
  EXPECT_EQ(refusal(file),
            "kernel-gen: error: x.npy: descr: elements '<V2' do not say which dtype they are; name it with "
            "--dtype (of "
            "that width: i16, bf16, f16)");
  EXPECT_NE(refusal(file, DType::f32).find("have 2 bytes, f32 has 4"), std::string::npos);
}

TEST(NpyRead, Refusals) {
  const std::string good = dict_of("<f4", "(2,)");
  const struct {
    std::string file;
    const char* text;
  } rows[] = {
      {"", "not a .npy file"},
      {"PK\x03\x04 a zip file", "not a .npy file"},
      {std::string("\x93NUMPY\x04\x00\x00\x00", 10), "version 4.0"},
      {std::string("\x93NUMPY\x01\x00\x10", 9), "ends inside"},
      {std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12), "4294967295 bytes"},
      {file_of(good, "1234567"), "f32 [2] takes 8 bytes, the file has 7"},
      {file_of(good, "123456789"), "takes 8 bytes, the file has 9"},
      {file_of(dict_of(">f4", "(2,)"), "12345678"), "big-endian"},
      {file_of(dict_of("<f3", "(2,)"), "12345678"), "'<f3' are not supported"},
      {file_of(dict_of("|O8", "(1,)"), "12345678"), "'|O8' are not supported"},
      {file_of(dict_of("<M8[ns]", "(1,)"), "12345678"), "not supported"},
      {file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", "12345678"),
       "structured"},
      {file_of(dict_of("<f4", "(-1,)"), ""), "extent"},
      {file_of(dict_of("<f4", "(9223372036854775808,)"), ""), "extent"},
      {file_of(dict_of("<f8", "(4294967296, 4294967296)"), ""), "more than 2^64"},
      {file_of(dict_of("|u1", "(1,1,1,1,1,1,1,1,1)"), "a"), "more than 8 dims"},
      {file_of("{'descr': '<f4', 'fortran_order': False}", "12345678"), "lacks"},
      {file_of("{'descr': '<f4', 'descr': '<f4'}", ""), "twice"},
      {file_of("{'fortran_order': 0}", ""), "True or False"},
      {file_of("{'other': 1}", ""), "key other than"},
      {file_of("{'descr': '<f4", ""), "does not end"},
      {file_of(good + "x", "12345678"), "text after the .npy header"},
  };
  for (const auto& row : rows)
    EXPECT_NE(refusal(row.file).find(row.text), std::string::npos) << refusal(row.file);
}

TEST(NpyRead, TruncationsAreRefused) {
  const std::string file = npy_header(DType::f32, {2, 3}) + std::string(24, '\0');
  for (std::size_t size = 0; size < file.size(); ++size) EXPECT_NE(refusal(file.substr(0, size)), "") << size;
  EXPECT_EQ(refusal(file), "");
}

TEST(NpyRead, AnyByteMayBeAnything) {
  const std::string file = npy_header(DType::i16, {2, 3}) + std::string(12, '\0');
  std::size_t read = 0;
  for (std::size_t at = 0; at < file.size(); ++at)
    for (int value = 0; value < 256; ++value) {
      std::string changed = file;
      changed[at] = static_cast<char>(value);
      if (!refusal(changed).empty()) continue;
      const NpyArray array = read_npy(changed, "x");
      ASSERT_EQ(array.data.size(), 12u);
      ++read;
    }
  EXPECT_GT(read, 12u * 256);  // the elements themselves are free
}

TEST(NpyWrite, HeaderReadsBackAndIsAligned) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (is_quantized(dtype)) continue;
    const std::optional<DType> as =
        dtype == DType::bf16 || dtype == DType::f8e4m3 ? std::optional(dtype) : std::nullopt;
    for (const Shape& shape : {Shape{}, Shape{3}, Shape{2, 0}, Shape{1, 2, 3, 4, 5, 6, 7, 8}}) {
      std::size_t elements = 1;
      for (const std::int64_t extent : shape) elements *= static_cast<std::size_t>(extent);
      const std::string header = npy_header(dtype, shape);
      EXPECT_EQ(header.size() % 64, 0u);
      const std::string file = header + std::string(elements * size_of(dtype), 'x');
      const NpyArray array = read_npy(file, "x", as);
      EXPECT_EQ(array.dtype, dtype);
      EXPECT_EQ(array.shape, shape);
    }
  }
}

TEST(NpyWrite, BlocksAreBytesAlongTheLastDim) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!is_quantized(dtype)) continue;
    const Shape shape{3, 2 * block_elements(dtype)};
    const std::string file = npy_header(dtype, shape) + std::string(6 * size_of(dtype), 'x');
    EXPECT_EQ(read_npy(file, "x").shape, Shape({3, 2 * static_cast<std::int64_t>(size_of(dtype))}));
    const NpyArray array = read_npy(file, "x", dtype);
    EXPECT_EQ(array.dtype, dtype);
    EXPECT_EQ(array.shape, shape);
    EXPECT_EQ(array.data.size(), 6 * size_of(dtype));
  }
  const auto refusal_as = [](DType saved, const Shape& shape, std::size_t bytes) {
    try {
      read_npy(npy_header(saved, shape) + std::string(bytes, 'x'), "x", DType::q4_0);
    } catch (const BadInput& input) {
      return std::string(input.what());
    }
    return std::string();
  };
  EXPECT_NE(refusal_as(DType::u8, {2, 17}, 34).find("the last dim has to be a multiple of 18"),
            std::string::npos);
  EXPECT_NE(refusal_as(DType::u8, {}, 1).find("multiple of 18"), std::string::npos);
  EXPECT_NE(refusal_as(DType::f16, {18}, 36).find("single bytes, 18 a block"), std::string::npos);
}

TEST(NpyWrite, AsNumpyDoes) {
  const std::string header = npy_header(DType::f32, {3});
  const std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }";
  EXPECT_EQ(header,
            std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dict + std::string(117 - dict.size(), ' ') + "\n");
}

TEST(Number, ReadsAndSpellsEveryDtype) {
  const auto text = [](DType dtype, std::uint64_t bits) { return to_text(dtype, read_number(dtype, &bits)); };
  EXPECT_EQ(text(DType::u8, 0xff), "255");
  EXPECT_EQ(text(DType::u32, 0xffffffff), "4294967295");
  EXPECT_EQ(text(DType::i16, 0xffff), "-1");
  EXPECT_EQ(text(DType::i64, 1ull << 63), "-9223372036854775808");
  EXPECT_EQ(text(DType::f32, 0x3dcccccd), "0.1");
  EXPECT_EQ(text(DType::f64, 0x3fb999999999999a), "0.1");
  EXPECT_EQ(text(DType::f16, 0x3c00), "1");
  EXPECT_EQ(text(DType::f16, 0x0001), "5.9604645e-08");
  EXPECT_EQ(text(DType::f16, 0xfc00), "-inf");
  EXPECT_EQ(text(DType::bf16, 0xc040), "-3");
  EXPECT_EQ(text(DType::bf16, 0x7fc0), "nan");
  EXPECT_EQ(text(DType::f8e4m3, 0x7e), "448");
  EXPECT_EQ(text(DType::f8e4m3, 0x01), "0.001953125");
  EXPECT_EQ(text(DType::f8e4m3, 0xff), "nan");
}

}  // namespace
}  // namespace kernelgen::tool
