#include "quantized.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace kernelgen::reference {
namespace {

/// The value of element i.
float value_at(DType format, const std::byte* block, int i) {
  const BlockLayout layout = layout_of(format);
  const int code = layout.levels > 0 ? read(block, code_at(format, i)) - layout.zero : 0;
  switch (format) {
    case DType::q4_0:
    case DType::q5_0:
    case DType::q8_0:
    case DType::q8_1:
      return static_cast<float>(code) * read_f16(block, layout.step);
    case DType::q4_1:
    case DType::q5_1:
      return static_cast<float>(code) * read_f16(block, layout.step) + read_f16(block, layout.second);
    case DType::q2_K:
    case DType::q4_K:
    case DType::q5_K: {
      const int g = i / layout.group;
      const float step = read_f16(block, layout.step) * static_cast<float>(read(block, scale_at(format, g)));
      const float minimum =
          read_f16(block, layout.second) * static_cast<float>(read(block, minimum_at(format, g)));
      return step * static_cast<float>(code) - minimum;
    }
    case DType::q3_K:
    case DType::q6_K: {
      const int scale = read(block, scale_at(format, i / layout.group)) - (format == DType::q3_K ? 32 : 0);
      return read_f16(block, layout.step) * static_cast<float>(scale) * static_cast<float>(code);
    }
    case DType::q8_K:
      return read_step(format, block) * static_cast<float>(code);
    case DType::iq4_nl:
      return read_f16(block, layout.step) * static_cast<float>(table_value(format, code));
    case DType::mxfp4:
      return static_cast<float>(table_value(format, code)) * mxfp4_step(std::to_integer<int>(block[0]));
    case DType::nvfp4:
      return static_cast<float>(table_value(format, code)) *
             nvfp4_step(read(block, scale_at(format, i / 16)));
    case DType::iq4_xs: {
      const int scale = read(block, scale_at(format, i / 32)) - 32;
      return read_f16(block, layout.step) * static_cast<float>(scale) *
             static_cast<float>(table_value(format, code));
    }
    case DType::q1_0:
      return code != 0 ? read_f16(block, layout.step) : -read_f16(block, layout.step);
    case DType::q2_0:
    case DType::tq2_0:
      return static_cast<float>(code) * read_f16(block, layout.step);
    default:
      return codebook_value(format, block, i);
  }
}

void quantize_block(DType format, const float* x, std::byte* block) {
  switch (format) {
    case DType::q4_0:
    case DType::q4_1:
    case DType::q5_0:
    case DType::q5_1:
    case DType::q8_0:
    case DType::q8_1:
    case DType::q8_K:
      return quantize_simple(format, x, block);
    case DType::q2_K:
    case DType::q3_K:
    case DType::q4_K:
    case DType::q5_K:
    case DType::q6_K:
      return quantize_grouped(format, x, block);
    case DType::iq4_nl:
    case DType::iq4_xs:
    case DType::mxfp4:
    case DType::nvfp4:
      return quantize_table(format, x, block);
    case DType::q1_0:
    case DType::q2_0:
    case DType::tq1_0:
    case DType::tq2_0:
      return quantize_low_bits(format, x, block);
    default:
      throw std::logic_error("no format that values are quantized to");
  }
}

}  // namespace

std::vector<float> dequantize(DType format, std::span<const std::byte> blocks) {
  const BlockLayout layout = layout_of(format);
  std::vector<float> values;
  for (std::size_t at = 0; at < blocks.size(); at += static_cast<std::size_t>(layout.bytes))
    for (int i = 0; i < layout.elements; ++i) values.push_back(value_at(format, blocks.data() + at, i));
  return values;
}

std::vector<std::byte> quantize(DType format, std::span<const float> values) {
  const BlockLayout layout = layout_of(format);
  const std::size_t count = values.size() / static_cast<std::size_t>(layout.elements);
  std::vector<std::byte> blocks(count * static_cast<std::size_t>(layout.bytes));
  for (std::size_t b = 0; b < count; ++b)
    quantize_block(format, values.data() + b * static_cast<std::size_t>(layout.elements),
                   blocks.data() + b * static_cast<std::size_t>(layout.bytes));
  return blocks;
}

int truncated(float value) {
  return value >= -0x1p31f && value < 0x1p31f ? static_cast<int>(value) : std::numeric_limits<int>::min();
}

int nearest(float value) {
  if (std::isnan(value)) return 0;
  const auto bits = std::bit_cast<std::uint32_t>(value + 0x1.8p23f);
  return static_cast<int>(bits & 0x7fffff) - 0x400000;
}

}  // namespace kernelgen::reference
