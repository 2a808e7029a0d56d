#pragma once
#include <span>
#include <vector>

#include "block_layout.hpp"

/// GGML's formats of blocks, as its reference functions in C round: in f32, one operation after the other in the order
/// given here, nothing contracted. What those leave to the compiler or to memory is said so:
/// - A float that becomes an integer is truncated as x86 does it: NaN and what no i32 holds become the least i32, whose
///   low byte is 0 (`truncated`); where rounding is by an added constant, NaN becomes 0 (`nearest`).
/// - A block of iq4_nl whose elements are all below 1e-15 has codes 0, and one of q8_K without any but zeros sums 0; ggml
///   leaves there what memory held.
/// - NaN: q4_0, q5_0, q8_K, iq4_nl and mxfp4 skip it when they look for the largest magnitude, q4_1 and q5_1 when they
///   look for both ends; in q8_0 and q8_1 the magnitudes before it are forgotten. Its code is what the integer 0 becomes,
///   15 in iq4_nl. In q3_K and q6_K it makes its group's scale 0, in q2_K, q4_K and q5_K where it is the group's first;
///   elsewhere those keep their first try. Infinities make steps infinite.
/// - The exponent of mxfp4 is that of the magnitude's logarithm in f32, which is a whole number closely below a power of
///   two too: from 11 numbers before 2^20 on. It is of eight bits and wraps: blocks below 2^-125 have a large one, and
///   codes 0.
namespace kernelgen::reference {

/// The values of blocks that follow one another. q8_1 is what q8_0 is; its sum is not looked at.
std::vector<float> dequantize(DType format, std::span<const std::byte> blocks);

/// The blocks for values, whose number is a multiple of the format's. The format is_quantizable().
std::vector<std::byte> quantize(DType format, std::span<const float> values);

/// Toward zero; what no i32 holds gives the least, as on x86.
int truncated(float value);
/// To nearest even by adding 1.5 * 2^23 and taking bits of the sum, which wraps where |value| is over 2^22; NaN gives 0.
int nearest(float value);

/// The value of element i of a format whose elements have no separate codes: the iq formats with entries, and tq1_0.
float codebook_value(DType format, const std::byte* block, int i);

/// One block of a format of that kind.
void quantize_simple(DType format, const float* x, std::byte* block);
void quantize_low_bits(DType format, const float* x, std::byte* block);
void quantize_grouped(DType format, const float* x, std::byte* block);
void quantize_table(DType format, const float* x, std::byte* block);

/// What a code of iq4_nl and iq4_xs stands for, and twice what one of mxfp4 and nvfp4 does, which is e2m1.
int table_value(DType format, int code);
/// What those doubled values are multiplied by: half of 2^(exponent - 127).
float mxfp4_step(int exponent);
/// The same of nvfp4: half of an e4m3 float whose sign is ignored, and 0 for 0x7f.
float nvfp4_step(int e4m3);

}  // namespace kernelgen::reference
