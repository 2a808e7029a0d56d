#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "kernelgen/dtype.hpp"

namespace kernelgen::reference {

/// GGML's formats: all quantized dtypes.
inline constexpr auto block_formats = [] {
  std::array<DType, dtype_count - plain_dtype_count> formats{};
  auto next = formats.begin();
  for (std::size_t i = 0; i < dtype_count; ++i)
    if (const auto dtype = static_cast<DType>(i); is_quantized(dtype)) *next++ = dtype;
  return formats;
}();

/// Those that values are quantized to.
inline std::vector<DType> quantizable_formats() {
  std::vector<DType> formats;
  std::copy_if(block_formats.begin(), block_formats.end(), std::back_inserter(formats), is_quantizable);
  return formats;
}

/// Bits of one byte of a block.
struct Bits {
  int byte = 0, shift = 0, width = 0;
};

/// A whole number in a block: bits of one byte and, where those do not hold it, higher ones of another.
struct Number {
  Bits low, high;
  bool is_signed = false;  ///< a byte in two's complement
};

int read(const std::byte* block, Number number);
/// The low bits of `value`; other bits stay.
void write(std::byte* block, Number number, int value);

/// What a block consists of. Bytes are places in the block, -1 where there is no such thing.
struct BlockLayout {
  int elements, bytes;
  int group;  ///< elements that share a scale: all of the block, unless it has group scales
  int step;  ///< of an f16: what codes, or the scales of groups, are multiplied by; -1 if that is no f16 in one place
  int second;  ///< of an f16: the least value (q4_1, q5_1), the step of minima (q2_K, q4_K, q5_K), the sum (q8_1)
  int levels;  ///< codes are below; 0 if elements have no separate codes
  int zero;    ///< the code of zero
};
BlockLayout layout_of(DType format);

/// Where the code of element i stands, and the scale and the minimum of group g.
Number code_at(DType format, int i);
Number scale_at(DType format, int g);
Number minimum_at(DType format, int g);

/// The block's step, of a format that has it in f16 or f32; and one written, rounded to what the format holds: the next
/// power of two below in mxfp4, and in nvfp4, where each of four scales gets that exponent and keeps its mantissa.
float read_step(DType format, const std::byte* block);
void write_step(DType format, std::byte* block, float step);

/// The f16 at `byte`, widened; and one written, rounded to nearest even. NaN stays NaN.
float read_f16(const std::byte* block, int byte);
void write_f16(std::byte* block, int byte, float value);

}  // namespace kernelgen::reference
