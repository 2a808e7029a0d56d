#include "gguf/block_types.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "common/format.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/gguf.hpp"

namespace kernelgen {
namespace {

/// `enum ggml_type` of ggml.h, and the sizes of the structs of ggml-common.h. Numbers left out were withdrawn.
constexpr GgmlType types[] = {
    {0, "f32", 1, 4},         {1, "f16", 1, 2},         {2, "q4_0", 32, 18},      {3, "q4_1", 32, 20},
    {6, "q5_0", 32, 22},      {7, "q5_1", 32, 24},      {8, "q8_0", 32, 34},      {9, "q8_1", 32, 36},
    {10, "q2_K", 256, 84},    {11, "q3_K", 256, 110},   {12, "q4_K", 256, 144},   {13, "q5_K", 256, 176},
    {14, "q6_K", 256, 210},   {15, "q8_K", 256, 292},   {16, "iq2_xxs", 256, 66}, {17, "iq2_xs", 256, 74},
    {18, "iq3_xxs", 256, 98}, {19, "iq1_s", 256, 50},   {20, "iq4_nl", 32, 18},   {21, "iq3_s", 256, 110},
    {22, "iq2_s", 256, 82},   {23, "iq4_xs", 256, 136}, {24, "i8", 1, 1},         {25, "i16", 1, 2},
    {26, "i32", 1, 4},        {27, "i64", 1, 8},        {28, "f64", 1, 8},        {29, "iq1_m", 256, 56},
    {30, "bf16", 1, 2},       {34, "tq1_0", 256, 54},   {35, "tq2_0", 256, 66},   {39, "mxfp4", 32, 17},
    {40, "nvfp4", 64, 36},    {41, "q1_0", 128, 18},    {42, "q2_0", 64, 18},
};

/// Every quantized dtype is a type of ggml's, and all blocks that both have are alike.
constexpr bool agrees_with_dtypes() {
  std::size_t quantized = 0;
  for (const GgmlType& type : types)
    if (const auto dtype = parse_dtype(type.name)) {
      if (type.block_elements != block_elements(*dtype) || type.block_bytes != size_of(*dtype)) return false;
      quantized += is_quantized(*dtype) ? 1 : 0;
    }
  return quantized == dtype_count - plain_dtype_count;
}
static_assert(agrees_with_dtypes());

/// The dtype of each number. Back ends ask for those of every operand, so names are compared here.
constexpr auto dtypes = [] {
  std::array<std::optional<DType>, std::end(types)[-1].number + 1> all{};
  for (const GgmlType& type : types) all[type.number] = parse_dtype(type.name);
  return all;
}();

}  // namespace

const GgmlType* find_ggml_type(std::uint32_t number) {
  const auto* const at =
      std::lower_bound(std::begin(types), std::end(types), number,
                       [](const GgmlType& type, std::uint32_t n) { return type.number < n; });
  return at != std::end(types) && at->number == number ? at : nullptr;
}

std::uint32_t gguf_format(DType dtype) {
  for (const GgmlType& type : types)
    if (type.name == name_of(dtype)) return type.number;
  throw Error(Code::unsupported, formatted("GGUF files have no number for {}", name_of(dtype)));
}

std::optional<DType> gguf_dtype(std::uint32_t format) {
  return format < dtypes.size() ? dtypes[format] : std::nullopt;
}

}  // namespace kernelgen
