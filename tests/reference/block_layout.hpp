#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "kernelgen/dtype.hpp"

namespace kernelgen::reference {

/// GGML's formats. A block holds 32 elements or, of the K formats, 256.
enum class Format { q4_0, q4_1, q5_0, q5_1, q8_0, q8_1, q2_K, q3_K, q4_K, q5_K, q6_K, q8_K, iq4_nl, mxfp4 };
inline constexpr Format block_formats[] = {
    Format::q4_0, Format::q4_1, Format::q5_0, Format::q5_1, Format::q8_0, Format::q8_1,   Format::q2_K,
    Format::q3_K, Format::q4_K, Format::q5_K, Format::q6_K, Format::q8_K, Format::iq4_nl, Format::mxfp4};
std::string_view name_of(Format format);

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
BlockLayout layout_of(Format format);

/// Where the code of element i stands, and the scale and the minimum of group g.
Number code_at(Format format, int i);
Number scale_at(Format format, int g);
Number minimum_at(Format format, int g);

/// The f16 at `byte`, widened; and one written, rounded to nearest even. NaN stays NaN.
float read_f16(const std::byte* block, int byte);
void write_f16(std::byte* block, int byte, float value);

}  // namespace kernelgen::reference
