#include <algorithm>
#include <cmath>

#include "packed.hpp"
#include "small_floats.hpp"

// Dot products of the numbers in a register.
namespace kernelgen::amdgpu {
namespace {

using U = std::uint32_t;
using I = std::int32_t;
using U16 = std::uint16_t;
using F = float;

/// A dot product of packed numbers plus an accumulator; `Op` gets the instruction for its signs.
template <auto Op>
void execute_dot(Wave& wave, const Instruction& in) {
  const SourceWords a(wave, in.source[0], 1), b(wave, in.source[1], 1), c(wave, in.source[2], 1);
  Words result;
  for (std::size_t lane = 0; lane < Wave::most_lanes; ++lane)
    result[lane] = Op(a.low[lane], b.low[lane], c.low[lane], in);
  write_word(wave, in.destination[0].index, result);
}
template <auto Op>
Opcode dot(Type type, Type sum) {
  Opcode opcode;
  opcode.execute = execute_dot<Op>;
  opcode.destination[0] = sum;
  opcode.source = {type, type, sum};
  opcode.destinations = 1;
  opcode.sources = 3;
  opcode.packed = true;
  return opcode;
}
std::int64_t element(U word, int bits, int i, bool is_signed) {
  const U field = word >> (bits * i) & ((1u << bits) - 1u);
  const auto value = static_cast<std::int64_t>(field);
  return is_signed && (field >> (bits - 1)) != 0 ? value - (std::int64_t{1} << bits) : value;
}
template <int Bits>
U integer_dot(U a, U b, U c, bool a_signed, bool b_signed, bool c_signed, bool clamp) {
  std::int64_t sum = c_signed ? std::int64_t{static_cast<I>(c)} : std::int64_t{c};
  for (int i = 0; i < 32 / Bits; ++i) sum += element(a, Bits, i, a_signed) * element(b, Bits, i, b_signed);
  if (clamp)
    sum = c_signed ? std::clamp<std::int64_t>(sum, INT32_MIN, INT32_MAX)
                   : std::clamp<std::int64_t>(sum, 0, UINT32_MAX);
  return static_cast<U>(sum);
}
template <int Bits, bool Signed>
U same_signs(U a, U b, U c, const Instruction& in) {
  return integer_dot<Bits>(a, b, c, Signed, Signed, Signed, in.clamp);
}
template <int Bits>
U chosen_signs(U a, U b, U c, const Instruction& in) {
  return integer_dot<Bits>(a, b, c, (in.neg_lo & 1) != 0, (in.neg_lo & 2) != 0, true, in.clamp);
}
/// Products are exact; the sums round one after the other, from the accumulator and the low half on.
U half_dot(U a, U b, U c, const Instruction& in) {
  const auto part = [&](U word, unsigned i, bool high) {
    const bool upper = ((high ? in.op_sel_hi : in.op_sel) >> i & 1) != 0;
    const auto bits = static_cast<U16>(word >> (upper ? 16 : 0));
    const F value = static_cast<F>(std::bit_cast<Half>(bits));
    return ((high ? in.neg_hi : in.neg_lo) >> i & 1) != 0 ? -value : value;
  };
  F sum = std::fma(part(a, 0, false), part(b, 1, false), std::bit_cast<F>(c));
  sum = std::fma(part(a, 0, true), part(b, 1, true), sum);
  return std::bit_cast<U>(in.clamp ? clamped(sum) : sum);
}
U bf16_dot(U a, U b, U c, const Instruction& in) {
  F sum = std::fma(of_bf16(static_cast<U16>(a)), of_bf16(static_cast<U16>(b)), std::bit_cast<F>(c));
  sum = std::fma(of_bf16(static_cast<U16>(a >> 16)), of_bf16(static_cast<U16>(b >> 16)), sum);
  return std::bit_cast<U>(in.clamp ? clamped(sum) : sum);
}

/// Of four floats of 8 bits.
template <Float8Format A, Float8Format B>
U float8_dot(U a, U b, U c, const Instruction& in) {
  F sum = std::bit_cast<F>(c ^ ((in.neg_lo & 4) != 0 ? 0x80000000u : 0u));
  for (unsigned i = 0; i < 4; ++i) sum = std::fma(of_float8(a >> 8 * i, A), of_float8(b >> 8 * i, B), sum);
  return std::bit_cast<U>(sum);
}
/// Summed in floats and rounded once.
F short_sum(F a, F b, F c, F d, F sum) { return std::fma(c, d, std::fma(a, b, sum)); }
Half half_sum(U a, U b, Half c) {
  const auto part = [](U word, unsigned i) {
    return static_cast<F>(std::bit_cast<Half>(static_cast<U16>(word >> 16 * i)));
  };
  return static_cast<Half>(short_sum(part(a, 0), part(b, 0), part(a, 1), part(b, 1), static_cast<F>(c)));
}
BFloat16 bf16_sum(U a, U b, BFloat16 c) {
  const auto part = [](U word, unsigned i) { return of_bf16(static_cast<U16>(word >> 16 * i)); };
  return {to_bf16(short_sum(part(a, 0), part(b, 0), part(a, 1), part(b, 1), of_bf16(c.bits)))};
}
/// v_bitop3: a table of eight bits instead of a function of three.
U looked_up(U a, U b, U c, const Instruction& in) {
  U result = 0;
  for (unsigned i = 0; i < 8; ++i)
    if ((in.immediate >> i & 1) != 0)
      result |= ((i & 4) != 0 ? a : ~a) & ((i & 2) != 0 ? b : ~b) & ((i & 1) != 0 ? c : ~c);
  return result;
}

}  // namespace

void add_dot(Opcodes& t) {
  t["v_dot2_f32_f16"] = dot<half_dot>(Type::packed_f16, Type::f32);
  t["v_dot2_f32_bf16"] = dot<bf16_dot>(Type::u32, Type::f32);
  t["v_dot2_i32_i16"] = dot<same_signs<16, true>>(Type::u32, Type::i32);
  t["v_dot2_u32_u16"] = dot<same_signs<16, false>>(Type::u32, Type::u32);
  t["v_dot4_i32_i8"] = dot<same_signs<8, true>>(Type::u32, Type::i32);
  t["v_dot4_u32_u8"] = dot<same_signs<8, false>>(Type::u32, Type::u32);
  t["v_dot8_i32_i4"] = dot<same_signs<4, true>>(Type::u32, Type::i32);
  t["v_dot8_u32_u4"] = dot<same_signs<4, false>>(Type::u32, Type::u32);
  t["v_dot4_i32_iu8"] = dot<chosen_signs<8>>(Type::u32, Type::i32);
  t["v_dot8_i32_iu4"] = dot<chosen_signs<4>>(Type::u32, Type::i32);
  add(t, accumulated(t["v_dot2_f32_f16"]), "v_dot2c_f32_f16", "v_dot2acc_f32_f16");
  add(t, accumulated(t["v_dot2_f32_bf16"]), "v_dot2c_f32_bf16", "v_dot2acc_f32_bf16");
  t["v_dot2c_i32_i16"] = accumulated(t["v_dot2_i32_i16"]);
  t["v_dot4c_i32_i8"] = accumulated(t["v_dot4_i32_i8"]);
  t["v_dot8c_i32_i4"] = accumulated(t["v_dot8_i32_i4"]);
  t["v_dot2_f16_f16"] = lanes<[](U a, U b, Half c) { return half_sum(a, b, c); }>();
  t["v_dot2_bf16_bf16"] = lanes<[](U a, U b, BFloat16 c) { return bf16_sum(a, b, c); }>();
  t["v_dot4_f32_fp8_fp8"] = dot<float8_dot<fp8_ocp, fp8_ocp>>(Type::u32, Type::f32);
  t["v_dot4_f32_fp8_bf8"] = dot<float8_dot<fp8_ocp, bf8_ocp>>(Type::u32, Type::f32);
  t["v_dot4_f32_bf8_fp8"] = dot<float8_dot<bf8_ocp, fp8_ocp>>(Type::u32, Type::f32);
  t["v_dot4_f32_bf8_bf8"] = dot<float8_dot<bf8_ocp, bf8_ocp>>(Type::u32, Type::f32);
  t["v_bitop3_b32"] = dot<looked_up>(Type::u32, Type::u32);
}

}  // namespace kernelgen::amdgpu
