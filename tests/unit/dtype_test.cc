#include "kernelgen/dtype.hpp"

#include <gtest/gtest.h>

namespace kernelgen {
namespace {

TEST(DType, NamesParseBack) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    EXPECT_EQ(parse_dtype(name_of(dtype)), dtype);
  }
  EXPECT_EQ(parse_dtype("f8"), std::nullopt);
  EXPECT_EQ(parse_dtype(""), std::nullopt);
  EXPECT_EQ(parse_dtype("F32"), std::nullopt);
}

TEST(DType, SizesAndKinds) {
  EXPECT_EQ(size_of(DType::u8), 1u);
  EXPECT_EQ(size_of(DType::f8e4m3), 1u);
  EXPECT_EQ(size_of(DType::i16), 2u);
  EXPECT_EQ(size_of(DType::bf16), 2u);
  EXPECT_EQ(size_of(DType::f16), 2u);
  EXPECT_EQ(size_of(DType::u32), 4u);
  EXPECT_EQ(size_of(DType::f32), 4u);
  EXPECT_EQ(size_of(DType::i64), 8u);
  EXPECT_EQ(size_of(DType::f64), 8u);
  EXPECT_TRUE(is_float(DType::f8e4m3));
  EXPECT_TRUE(is_float(DType::bf16));
  EXPECT_FALSE(is_float(DType::i64));
}

/// Their bytes and elements are compared with ggml's in gguf/block_types.cpp, by the compiler.
TEST(DType, BlocksHoldElements) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    if (!is_quantized(dtype)) continue;
    EXPECT_FALSE(is_float(dtype));
    EXPECT_EQ(bytes_of(dtype, 512), 512 / block_elements(dtype) * static_cast<std::int64_t>(size_of(dtype)));
  }
  EXPECT_EQ(size_of(DType::q6_K), 210u);
  EXPECT_EQ(block_elements(DType::q6_K), 256);
  EXPECT_EQ(block_elements(DType::mxfp4), 32);
  EXPECT_EQ(alignment_of(DType::q4_0), 2u);
  EXPECT_EQ(alignment_of(DType::q4_K), 4u);
  EXPECT_EQ(alignment_of(DType::mxfp4), 1u);
  EXPECT_EQ(alignment_of(DType::f64), 8u);
  EXPECT_EQ(block_elements(DType::f32), 1);
  EXPECT_EQ(bytes_of(DType::f16, -3), -6);
  EXPECT_FALSE(is_quantized(DType::f8e4m3));
}

/// The numbers are in packages and in the C ABI.
TEST(DType, NumbersStay) {
  EXPECT_EQ(static_cast<int>(DType::u8), 0);
  EXPECT_EQ(static_cast<int>(DType::i64), 4);
  EXPECT_EQ(static_cast<int>(DType::bf16), 5);
  EXPECT_EQ(static_cast<int>(DType::f8e4m3), 9);
  EXPECT_EQ(static_cast<int>(DType::q4_0), 10);
  EXPECT_EQ(static_cast<int>(DType::q8_1), 15);
  EXPECT_EQ(static_cast<int>(DType::q8_K), 21);
  EXPECT_EQ(static_cast<int>(DType::mxfp4), 23);
  EXPECT_EQ(width_code(1), 64u);
  EXPECT_EQ(width_code(2), 65u);
  EXPECT_EQ(width_code(4), 66u);
  EXPECT_EQ(width_code(8), 67u);
}

TEST(DType, ElementCodesAreDtypesAndWidths) {
  for (std::size_t code = 0; code < 256; ++code)
    EXPECT_EQ(is_element_code(code), code < dtype_count || (code >= 64 && code < 68)) << code;
  EXPECT_EQ(element_name(7), "f32");
  EXPECT_EQ(element_name(width_code(8)), "b64");
  EXPECT_EQ(element_size(8), 8u);
  for (const std::size_t bytes : {1u, 2u, 4u, 8u}) EXPECT_EQ(element_size(width_code(bytes)), bytes);
}

}  // namespace
}  // namespace kernelgen
