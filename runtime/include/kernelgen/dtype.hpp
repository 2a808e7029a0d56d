#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "kernelgen/package_format.h"

namespace kernelgen {

/// Element type of a tensor. The numbers are part of the C ABI and of the package format.
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
  f8e4m3 = 9,  ///< OCP e4m3fn: no infinity, NaN is 0x7f or 0xff, largest finite value 448.
};

inline constexpr std::size_t dtype_count = 10;
static_assert(dtype_count <= KERNELGEN_MAX_DTYPES && KERNELGEN_MAX_DTYPES <= KERNELGEN_FIRST_RAW_CODE &&
                  KERNELGEN_FIRST_RAW_CODE + 4 == KERNELGEN_ELEMENT_CODES,
              "element codes: dtypes, then raw types of 1, 2, 4 and 8 bytes");

namespace detail {
struct DTypeRow {
  std::string_view name;
  std::uint8_t size;
  bool is_float;
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
}};
}  // namespace detail

/// Bytes of one element.
constexpr std::size_t size_of(DType t) { return detail::dtype_rows[static_cast<std::size_t>(t)].size; }

/// Name as in manifests, kernel names and error messages.
constexpr std::string_view name_of(DType t) { return detail::dtype_rows[static_cast<std::size_t>(t)].name; }

constexpr bool is_float(DType t) { return detail::dtype_rows[static_cast<std::size_t>(t)].is_float; }

/// The dtype of that name, or nothing.
constexpr std::optional<DType> parse_dtype(std::string_view name) {
  for (std::size_t i = 0; i < dtype_count; ++i)
    if (detail::dtype_rows[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

/// Whether there is an element type of that code: a dtype, or a raw type (see width_code).
constexpr bool is_element_code(std::size_t code) {
  return code < dtype_count || (code >= KERNELGEN_FIRST_RAW_CODE && code < KERNELGEN_ELEMENT_CODES);
}

/// Bytes of an element of that code; is_element_code(code) holds.
constexpr std::size_t element_size(std::size_t code) {
  return code < dtype_count ? size_of(static_cast<DType>(code))
                            : std::size_t{1} << (code - KERNELGEN_FIRST_RAW_CODE);
}

/// Its name as in manifests: "f32", "b64". is_element_code(code) holds.
constexpr std::string_view element_name(std::size_t code) {
  constexpr std::array<std::string_view, 4> raw_names{"b8", "b16", "b32", "b64"};
  return code < dtype_count ? name_of(static_cast<DType>(code)) : raw_names[code - KERNELGEN_FIRST_RAW_CODE];
}

/// Element code of the raw type of that width (1, 2, 4 or 8 bytes): b8 = 64, b16 = 65, b32 = 66, b64 = 67.
/// Kernels that only move data are keyed by them.
constexpr std::uint32_t width_code(std::size_t bytes) {
  return KERNELGEN_FIRST_RAW_CODE + (bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3);
}

}  // namespace kernelgen
