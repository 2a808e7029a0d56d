#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

#include "kernelgen/package_format.h"

namespace kernelgen {

/// Element type of a tensor. The numbers are part of the C ABI and of the package format. Types with blocks are
/// quantized: elements are stored as codes of a few bits and the scales of their block, laid out as in ggml's files.
/// From this list bindings/generate.py makes those of C, Python, Rust and the manifests' schema.
enum class DType : std::uint8_t {
  u8 = 0,
  u32 = 1,
  i16 = 2,
  i32 = 3,
  i64 = 4,
  bf16 = 5,
  f16 = 6,
  f32 = 7,
  f64 = 8,
  f8e4m3 = 9,    ///< OCP e4m3fn: no infinity, NaN is 0x7f or 0xff, largest finite value 448
  q4_0 = 10,     ///< blocks of 32: f16 scale, codes of 4 bits
  q4_1 = 11,     ///< blocks of 32: f16 scale and offset, codes of 4 bits
  q5_0 = 12,     ///< blocks of 32: f16 scale, codes of 5 bits
  q5_1 = 13,     ///< blocks of 32: f16 scale and offset, codes of 5 bits
  q8_0 = 14,     ///< blocks of 32: f16 scale, codes of 8 bits
  q8_1 = 15,     ///< blocks of 32: f16 scale and scaled sum, codes of 8 bits
  q2_K = 16,     ///< blocks of 256: 16 scales and offsets of 4 bits, codes of 2 bits
  q3_K = 17,     ///< blocks of 256: 16 scales of 6 bits, codes of 3 bits
  q4_K = 18,     ///< blocks of 256: 8 scales and offsets of 6 bits, codes of 4 bits
  q5_K = 19,     ///< blocks of 256: 8 scales and offsets of 6 bits, codes of 5 bits
  q6_K = 20,     ///< blocks of 256: 16 scales of 8 bits, codes of 6 bits
  q8_K = 21,     ///< blocks of 256: f32 scale, codes of 8 bits and their sums
  iq4_nl = 22,   ///< blocks of 32: f16 scale, codes of 4 bits that index a table of 16 values
  mxfp4 = 23,    ///< blocks of 32: scale as a power of two, e2m1 floats (OCP Microscaling v1.0)
  iq4_xs = 24,   ///< blocks of 256: 8 scales of 6 bits, codes as in iq4_nl
  nvfp4 = 25,    ///< blocks of 64: 4 scales in e4m3, e2m1 floats
  q1_0 = 26,     ///< blocks of 128: f16 scale, signs
  q2_0 = 27,     ///< blocks of 64: f16 scale, codes of 2 bits for -1 to 2
  tq1_0 = 28,    ///< blocks of 256: f16 scale, base-3 digits for -1 to 1, five in a byte
  tq2_0 = 29,    ///< blocks of 256: f16 scale, codes of 2 bits for -1 to 1
  iq2_xxs = 30,  ///< blocks of 256: 8 scales of 4 bits, 8-bit indices of eight values, signs
  iq2_xs = 31,   ///< blocks of 256: 16 scales of 4 bits, 9-bit indices of eight values, signs
  iq2_s = 32,    ///< blocks of 256: 16 scales of 4 bits, 10-bit indices of eight values, signs
  iq3_xxs = 33,  ///< blocks of 256: 8 scales of 4 bits, 8-bit indices of four values, signs
  iq3_s = 34,    ///< blocks of 256: 8 scales of 4 bits, 9-bit indices of four values, signs
  iq1_s = 35,    ///< blocks of 256: 8 scales of 3 bits, 11-bit indices of eight values, ±1/8
  iq1_m = 36,    ///< blocks of 256: 16 scales of 3 bits, 11-bit indices of eight values, ±1/8
};

/// Number of dtypes.
inline constexpr std::size_t dtype_count = 37;
static_assert(dtype_count <= KERNELGEN_MAX_DTYPES && KERNELGEN_MAX_DTYPES <= KERNELGEN_FIRST_RAW_CODE &&
                  KERNELGEN_FIRST_RAW_CODE + 4 == KERNELGEN_ELEMENT_CODES,
              "element codes: dtypes, then raw types of 1, 2, 4 and 8 bytes");

namespace detail {
struct DTypeRow {
  std::string_view name;
  std::uint16_t size;  ///< bytes of an element, or of a block
  bool is_float;
  std::uint16_t block = 1;  ///< elements per block; 1 for a plain dtype
  bool is_quantizable = false;
};
inline constexpr std::array<DTypeRow, dtype_count> dtype_rows{{
    {"u8", 1, false},
    {"u32", 4, false},
    {"i16", 2, false},
    {"i32", 4, false},
    {"i64", 8, false},
    {"bf16", 2, true},
    {"f16", 2, true},
    {"f32", 4, true},
    {"f64", 8, true},
    {"f8e4m3", 1, true},
    {"q4_0", 18, false, 32, true},
    {"q4_1", 20, false, 32, true},
    {"q5_0", 22, false, 32, true},
    {"q5_1", 24, false, 32, true},
    {"q8_0", 34, false, 32, true},
    {"q8_1", 36, false, 32, true},
    {"q2_K", 84, false, 256, true},
    {"q3_K", 110, false, 256, true},
    {"q4_K", 144, false, 256, true},
    {"q5_K", 176, false, 256, true},
    {"q6_K", 210, false, 256, true},
    {"q8_K", 292, false, 256, true},
    {"iq4_nl", 18, false, 32, true},
    {"mxfp4", 17, false, 32, true},
    {"iq4_xs", 136, false, 256, true},
    {"nvfp4", 36, false, 64, true},
    {"q1_0", 18, false, 128, true},
    {"q2_0", 18, false, 64, true},
    {"tq1_0", 54, false, 256, true},
    {"tq2_0", 66, false, 256, true},
    {"iq2_xxs", 66, false, 256},
    {"iq2_xs", 74, false, 256},
    {"iq2_s", 82, false, 256},
    {"iq3_xxs", 98, false, 256},
    {"iq3_s", 110, false, 256},
    {"iq1_s", 50, false, 256},
    {"iq1_m", 56, false, 256},
}};
}  // namespace detail

/// Bytes of one element; of one block for a quantized dtype.
constexpr std::size_t size_of(DType t) { return detail::dtype_rows[static_cast<std::size_t>(t)].size; }

/// Whether quantize() makes such blocks. ggml itself quantizes to most of the others with an importance matrix only.
constexpr bool is_quantizable(DType t) {
  return detail::dtype_rows[static_cast<std::size_t>(t)].is_quantizable;
}

/// Elements per block; 1 for a plain dtype.
constexpr std::int64_t block_elements(DType t) {
  return detail::dtype_rows[static_cast<std::size_t>(t)].block;
}

/// Whether elements are stored in blocks.
constexpr bool is_quantized(DType t) { return block_elements(t) > 1; }

/// Number of dtypes that are not quantized.
inline constexpr auto plain_dtype_count = [] {
  std::size_t count = 0;
  for (const detail::DTypeRow& row : detail::dtype_rows) count += row.block == 1 ? 1 : 0;
  return count;
}();

/// Alignment in bytes of elements, or of blocks.
constexpr std::size_t alignment_of(DType t) {
  const std::size_t size = size_of(t), alignment = size & (~size + 1);
  return is_quantized(t) && alignment > 4 ? 4 : alignment;
}

/// Bytes of that many contiguous elements, which must be whole blocks. The product must fit 64 bits.
constexpr std::int64_t bytes_of(DType t, std::int64_t elements) {
  return elements / block_elements(t) * static_cast<std::int64_t>(size_of(t));
}

/// Name as in manifests, kernel names and error messages.
constexpr std::string_view name_of(DType t) { return detail::dtype_rows[static_cast<std::size_t>(t)].name; }

/// Whether the dtype is a plain floating-point type.
constexpr bool is_float(DType t) { return detail::dtype_rows[static_cast<std::size_t>(t)].is_float; }

/// The dtype with this name, or nothing.
constexpr std::optional<DType> parse_dtype(std::string_view name) {
  for (std::size_t i = 0; i < dtype_count; ++i)
    if (detail::dtype_rows[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

namespace detail {
template <class T>
struct DTypeOf;  // not defined: T is no element type of the host
template <>
struct DTypeOf<std::uint8_t> : std::integral_constant<DType, DType::u8> {};
template <>
struct DTypeOf<std::uint32_t> : std::integral_constant<DType, DType::u32> {};
template <>
struct DTypeOf<std::int16_t> : std::integral_constant<DType, DType::i16> {};
template <>
struct DTypeOf<std::int32_t> : std::integral_constant<DType, DType::i32> {};
template <>
struct DTypeOf<std::int64_t> : std::integral_constant<DType, DType::i64> {};
template <>
struct DTypeOf<float> : std::integral_constant<DType, DType::f32> {};
template <>
struct DTypeOf<double> : std::integral_constant<DType, DType::f64> {};
}  // namespace detail

/// The dtype of a C++ type: std::uint8_t, std::uint32_t, std::int16_t, std::int32_t, std::int64_t, float or double.
template <class T>
inline constexpr DType dtype_of = detail::DTypeOf<T>::value;

/// Whether the code is an element type: a dtype, or a raw type (see width_code).
constexpr bool is_element_code(std::size_t code) {
  return code < dtype_count || (code >= KERNELGEN_FIRST_RAW_CODE && code < KERNELGEN_ELEMENT_CODES);
}

/// Bytes of an element (or a block, see size_of) with that code. Requires is_element_code(code).
constexpr std::size_t element_size(std::size_t code) {
  return code < dtype_count ? size_of(static_cast<DType>(code))
                            : std::size_t{1} << (code - KERNELGEN_FIRST_RAW_CODE);
}

/// Name as in manifests: "f32", "b64". Requires is_element_code(code).
constexpr std::string_view element_name(std::size_t code) {
  constexpr std::array<std::string_view, 4> raw_names{"b8", "b16", "b32", "b64"};
  return code < dtype_count ? name_of(static_cast<DType>(code)) : raw_names[code - KERNELGEN_FIRST_RAW_CODE];
}

/// Element code of the raw type of that width (1, 2, 4 or 8 bytes): b8 = 64, b16 = 65, b32 = 66, b64 = 67.
/// Kernels that only move data use these instead of dtypes.
constexpr std::uint32_t width_code(std::size_t bytes) {
  return KERNELGEN_FIRST_RAW_CODE + (bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3);
}

}  // namespace kernelgen
