#pragma once
#include <cstddef>
#include <cstdint>

#include "kernelgen/dtype.hpp"

namespace kernelgen::reference {

/// GGML's formats. A block holds 32 elements or, of the K formats, 256.
inline constexpr DType block_formats[] = {DType::q4_0, DType::q4_1, DType::q5_0,   DType::q5_1, DType::q8_0,
                                          DType::q8_1, DType::q2_K, DType::q3_K,   DType::q4_K, DType::q5_K,
                                          DType::q6_K, DType::q8_K, DType::iq4_nl, DType::mxfp4};

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
  int group;  ///< elements that share a scale: all of the block, unless it has scales of its own
  int step;  ///< of an f16: what codes, or the scales of groups, are multiplied by (q8_K: an f32; mxfp4: an exponent)
  int second;  ///< of an f16: the least value (q4_1, q5_1), the step of minima (q2_K, q4_K, q5_K), the sum (q8_1)
  int levels;  ///< codes are below
  int zero;    ///< the code of zero
};
BlockLayout layout_of(DType format);

/// Where the code of element i stands, and the scale and the minimum of group g.
Number code_at(DType format, int i);
Number scale_at(DType format, int g);
Number minimum_at(DType format, int g);

/// The f16 at `byte`, widened; and one written, rounded to nearest even. NaN stays NaN.
float read_f16(const std::byte* block, int byte);
void write_f16(std::byte* block, int byte, float value);

}  // namespace kernelgen::reference
