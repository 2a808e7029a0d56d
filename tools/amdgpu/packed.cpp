#include <algorithm>
#include <cmath>

#include "packed.hpp"
#include "small_floats.hpp"

// VOP3P: two numbers a register or register pair, mixed precision.
namespace kernelgen::amdgpu {
namespace {

using U = std::uint32_t;
using I = std::int32_t;
using U16 = std::uint16_t;
using I16 = std::int16_t;
using F = float;

/// Shift and sign of one half of each source.
struct HalfSelect {
  std::array<unsigned, 3> shift{};
  std::array<U, 3> flip{};

  HalfSelect(const Instruction& in, bool high) {
    for (unsigned i = 0; i < 3; ++i) {
      shift[i] = ((high ? in.op_sel_hi : in.op_sel) >> i & 1) != 0 ? 16 : 0;
      flip[i] = ((high ? in.neg_hi : in.neg_lo) >> i & 1) != 0 ? 0x8000 : 0;
    }
  }
};

template <auto Op, class T, std::size_t N>
void execute_pair(Wave& wave, const Instruction& in) {
  const SourceWords a(wave, in.source[0], 1), b(wave, in.source[N > 1 ? 1 : 0], 1),
      c(wave, in.source[N > 2 ? 2 : 0], 1);
  alignas(64) Words result{};
  for (const bool high : {false, true}) {
    const HalfSelect select(in, high);
    const auto half = [&](const SourceWords& words, unsigned i, std::size_t lane) {
      return std::bit_cast<T>(static_cast<U16>((words.low[lane] >> select.shift[i]) ^ select.flip[i]));
    };
    for (std::size_t lane = 0; lane < result.size(); ++lane) {
      T value;
      if constexpr (N == 2)
        value = Op(half(a, 0, lane), half(b, 1, lane));
      else
        value = Op(half(a, 0, lane), half(b, 1, lane), half(c, 2, lane));
      if constexpr (std::is_same_v<T, Half>) {
        if (in.clamp) value = clamped(value);
      }
      result[lane] |= U{std::bit_cast<U16>(value)} << (high ? 16 : 0);
    }
  }
  write_word(wave, in.destination[0].index, result);
}

template <auto Op, class T, std::size_t N>
Opcode pair_of() {
  Opcode opcode;
  opcode.execute = execute_pair<Op, T, N>;
  const Type type = std::is_same_v<T, Half> ? Type::packed_f16 : Type::packed_u16;
  opcode.destination[0] = type;
  opcode.source = {type, type, type};
  opcode.destinations = 1;
  opcode.sources = N;
  opcode.packed = true;
  return opcode;
}
template <auto Op, auto Saturating, class T, std::size_t N>
Opcode saturable_pair() {
  Opcode opcode = pair_of<Op, T, N>();
  opcode.saturating = execute_pair<Saturating, T, N>;
  return opcode;
}

/// Two f32: op_sel picks the word for the low result, op_sel_hi for the high one.
template <auto Op, std::size_t N>
void execute_float_pair(Wave& wave, const Instruction& in) {
  const SourceWords a(wave, in.source[0], 2), b(wave, in.source[1], 2), c(wave, in.source[N > 2 ? 2 : 0], 2);
  alignas(64) std::array<Words, 2> results;
  for (std::size_t high = 0; high < 2; ++high) {
    const auto pick = [&](const SourceWords& words, unsigned i) {
      return ((high != 0 ? in.op_sel_hi : in.op_sel) >> i & 1) != 0 ? words.high : words.low;
    };
    const auto sign = [&](unsigned i) {
      return ((high != 0 ? in.neg_hi : in.neg_lo) >> i & 1) != 0 ? 0x80000000u : 0u;
    };
    const U *const x = pick(a, 0), *const y = pick(b, 1), *const z = pick(c, 2);
    const U sx = sign(0), sy = sign(1), sz = sign(2);
    for (std::size_t lane = 0; lane < Wave::most_lanes; ++lane) {
      F value =
          Op(std::bit_cast<F>(x[lane] ^ sx), std::bit_cast<F>(y[lane] ^ sy), std::bit_cast<F>(z[lane] ^ sz));
      if (in.clamp) value = clamped(value);
      results[high][lane] = std::bit_cast<U>(value);
    }
  }
  write_word(wave, in.destination[0].index, results[0]);
  write_word(wave, in.destination[0].index + 1u, results[1]);
}
template <auto Op, std::size_t N>
Opcode float_pair() {
  Opcode opcode;
  opcode.execute = execute_float_pair<Op, N>;
  opcode.destination[0] = Type::packed_f32;
  opcode.source = {Type::packed_f32, Type::packed_f32, Type::packed_f32};
  opcode.destinations = 1;
  opcode.sources = N;
  opcode.packed = true;
  return opcode;
}
void move_pair(Wave& wave, const Instruction& in) {
  const SourceWords a(wave, in.source[0], 2), b(wave, in.source[1], 2);
  Words low, high;
  std::copy_n((in.op_sel & 1) != 0 ? a.high : a.low, low.size(), low.begin());
  std::copy_n((in.op_sel & 2) != 0 ? b.high : b.low, high.size(), high.begin());
  write_word(wave, in.destination[0].index, low);
  write_word(wave, in.destination[0].index + 1u, high);
}

/// v_fma_mix: op_sel_hi says which sources are f16, op_sel which half they are in.
enum class MixResult { f32, low_f16, high_f16 };
template <MixResult Result, bool Fused>
void execute_mix(Wave& wave, const Instruction& in) {
  std::array<Words, 3> values;
  for (unsigned i = 0; i < 3; ++i) {
    const Operand& operand = in.source[i];
    const SourceWords words(wave, operand, 1);
    const bool is_half = (in.op_sel_hi >> i & 1) != 0;
    const unsigned shift = (in.op_sel >> i & 1) != 0 ? 16 : 0;
    for (std::size_t lane = 0; lane < Wave::most_lanes; ++lane) {
      U word = words.low[lane];
      if (is_half && operand.spelling != Operand::Spelling::real)
        word = std::bit_cast<U>(static_cast<F>(std::bit_cast<Half>(static_cast<U16>(word >> shift))));
      if (operand.absolute) word &= 0x7fffffff;
      if (operand.negate) word ^= 0x80000000;
      values[i][lane] = word;
    }
  }
  const unsigned index = in.destination[0].index;
  const Words before = wave.vgprs[index];
  Words result;
  for (std::size_t lane = 0; lane < Wave::most_lanes; ++lane) {
    const F a = std::bit_cast<F>(values[0][lane]), b = std::bit_cast<F>(values[1][lane]),
            c = std::bit_cast<F>(values[2][lane]);
    F value = Fused ? std::fma(a, b, c) : a * b + c;
    if (in.clamp) value = clamped(value);
    const U half = std::bit_cast<U16>(static_cast<Half>(value));
    if constexpr (Result == MixResult::f32)
      result[lane] = std::bit_cast<U>(value);
    else if constexpr (Result == MixResult::low_f16)
      result[lane] = half | (before[lane] & 0xffff0000);
    else
      result[lane] = half << 16 | (before[lane] & 0xffff);
  }
  write_word(wave, index, result);
}
template <MixResult Result, bool Fused>
Opcode mix() {
  Opcode opcode;
  opcode.execute = execute_mix<Result, Fused>;
  opcode.destination[0] = Type::f32;
  opcode.source = {Type::f32, Type::f32, Type::f32};
  opcode.destinations = 1;
  opcode.sources = 3;
  opcode.packed = true;
  opcode.mixed = true;
  return opcode;
}

U16 u(I value) { return static_cast<U16>(value); }
I16 i(I value) { return static_cast<I16>(value); }
U16 usat(I value) { return u(std::clamp(value, 0, 0xffff)); }
I16 sat(I value) { return i(std::clamp(value, -0x8000, 0x7fff)); }
U16 low_product(U16 a, U16 b, U16 c) { return static_cast<U16>(U{a} * b + c); }

void add_pairs(Opcodes& t) {
  using H = Half;
  t["v_pk_add_f16"] = pair_of<[](H a, H b) { return static_cast<H>(a + b); }, H, 2>();
  t["v_pk_mul_f16"] = pair_of<[](H a, H b) { return static_cast<H>(a * b); }, H, 2>();
  t["v_pk_fma_f16"] = pair_of<[](H a, H b, H c) { return fused(a, b, c); }, H, 3>();
  Opcode fmac = t["v_pk_fma_f16"];
  t["v_pk_fmac_f16"] = accumulated(fmac);
  add(t, pair_of<[](H a, H b) { return minimum_number(a, b); }, H, 2>(), "v_pk_min_f16", "v_pk_min_num_f16");
  add(t, pair_of<[](H a, H b) { return maximum_number(a, b); }, H, 2>(), "v_pk_max_f16", "v_pk_max_num_f16");
  t["v_pk_minimum_f16"] = pair_of<[](H a, H b) { return minimum(a, b); }, H, 2>();
  t["v_pk_maximum_f16"] = pair_of<[](H a, H b) { return maximum(a, b); }, H, 2>();
  t["v_pk_add_u16"] = saturable_pair<[](U16 a, U16 b) { return u(a + b); },
                                     [](U16 a, U16 b) { return usat(a + b); }, U16, 2>();
  t["v_pk_sub_u16"] = saturable_pair<[](U16 a, U16 b) { return u(a - b); },
                                     [](U16 a, U16 b) { return usat(a - b); }, U16, 2>();
  t["v_pk_add_i16"] = saturable_pair<[](I16 a, I16 b) { return i(a + b); },
                                     [](I16 a, I16 b) { return sat(a + b); }, I16, 2>();
  t["v_pk_sub_i16"] = saturable_pair<[](I16 a, I16 b) { return i(a - b); },
                                     [](I16 a, I16 b) { return sat(a - b); }, I16, 2>();
  t["v_pk_mul_lo_u16"] = pair_of<[](U16 a, U16 b) { return low_product(a, b, 0); }, U16, 2>();
  t["v_pk_mad_u16"] =
      saturable_pair<[](U16 a, U16 b, U16 c) { return low_product(a, b, c); },
                     [](U16 a, U16 b, U16 c) { return static_cast<U16>(std::min(U{a} * b + c, U{0xffff})); },
                     U16, 3>();
  t["v_pk_mad_i16"] = saturable_pair<[](I16 a, I16 b, I16 c) { return i(a * b + c); },
                                     [](I16 a, I16 b, I16 c) { return sat(a * b + c); }, I16, 3>();
  t["v_pk_min_u16"] = pair_of<[](U16 a, U16 b) { return std::min(a, b); }, U16, 2>();
  t["v_pk_max_u16"] = pair_of<[](U16 a, U16 b) { return std::max(a, b); }, U16, 2>();
  t["v_pk_min_i16"] = pair_of<[](I16 a, I16 b) { return std::min(a, b); }, I16, 2>();
  t["v_pk_max_i16"] = pair_of<[](I16 a, I16 b) { return std::max(a, b); }, I16, 2>();
  t["v_pk_lshlrev_b16"] = pair_of<[](U16 n, U16 a) { return u(a << (n & 15)); }, U16, 2>();
  t["v_pk_lshrrev_b16"] = pair_of<[](U16 n, U16 a) { return (u(a >> (n & 15))); }, U16, 2>();
  t["v_pk_ashrrev_i16"] = pair_of<[](I16 n, I16 a) { return (i(a >> (n & 15))); }, I16, 2>();
  t["v_pk_add_f32"] = float_pair<[](F a, F b, F) { return a + b; }, 2>();
  t["v_pk_mul_f32"] = float_pair<[](F a, F b, F) { return a * b; }, 2>();
  t["v_pk_fma_f32"] = float_pair<[](F a, F b, F c) { return std::fma(a, b, c); }, 3>();
  Opcode move = t["v_pk_add_f32"];
  move.execute = move_pair;
  t["v_pk_mov_b32"] = move;
}

/// v_cvt_pk_fp8_f32 and its kin: two results in a half of the destination that op_sel[3] picks.
template <bool Bf8>
void pack_float8(Wave& wave, const Instruction& in) {  // vdst, a, b
  alignas(64) Words a, b, unused;
  prepare(wave, in.source[1], a, unused);
  prepare(wave, in.source[2], b, unused);
  const Float8Format format = fp8_format(wave.isa(), Bf8);
  const unsigned shift = (in.op_sel & 4) != 0 || (in.op_sel & 8) != 0 ? 16 : 0;
  const Words before = wave.vgprs[in.source[0].index];
  Words result;
  for (std::size_t lane = 0; lane < result.size(); ++lane) {
    const U both = to_float8(std::bit_cast<F>(a[lane]), format) | to_float8(std::bit_cast<F>(b[lane]), format)
                                                                      << 8;
    result[lane] = (before[lane] & ~(0xffffu << shift)) | both << shift;
  }
  write_word(wave, in.source[0].index, result);
}
/// v_cvt_sr_fp8_f32: rounds with the bits of a second source, into the byte that op_sel[3:2] picks.
template <bool Bf8>
void round_float8(Wave& wave, const Instruction& in) {
  alignas(64) Words a, random, unused;
  prepare(wave, in.source[1], a, unused);
  prepare_raw(wave, in.source[2], 1, random, unused);
  const Float8Format format = fp8_format(wave.isa(), Bf8);
  const unsigned shift = 8 * (in.op_sel >> 2 & 3u);
  const Words before = wave.vgprs[in.source[0].index];
  Words result;
  for (std::size_t lane = 0; lane < result.size(); ++lane)
    result[lane] = (before[lane] & ~(0xffu << shift)) |
                   to_float8(std::bit_cast<F>(a[lane]), format, &random[lane]) << shift;
  write_word(wave, in.source[0].index, result);
}
/// v_cvt_f32_fp8 (SDWA picked the byte, or op_sel does) and v_cvt_pk_f32_fp8 (two bytes of a half).
template <bool Bf8>
void unpack_one(Wave& wave, const Instruction& in) {
  const Float8Format format = fp8_format(wave.isa(), Bf8);
  const SourceWords a(wave, in.source[0], 1);
  Words result;
  for (std::size_t lane = 0; lane < result.size(); ++lane)
    result[lane] = std::bit_cast<U>(of_float8(a.low[lane] >> (8 * (in.op_sel & 3)), format));
  write_word(wave, in.destination[0].index, result);
}
template <bool Bf8>
void unpack_two(Wave& wave, const Instruction& in) {
  const Float8Format format = fp8_format(wave.isa(), Bf8);
  const SourceWords a(wave, in.source[0], 1);
  Words low, high;
  for (std::size_t lane = 0; lane < low.size(); ++lane) {
    const U word = a.low[lane] >> ((in.op_sel & 1) != 0 ? 16 : 0);
    low[lane] = std::bit_cast<U>(of_float8(word, format));
    high[lane] = std::bit_cast<U>(of_float8(word >> 8, format));
  }
  write_word(wave, in.destination[0].index, low);
  write_word(wave, in.destination[0].index + 1u, high);
}
Opcode one_source(Execute execute, Type result) {
  Opcode opcode;
  opcode.execute = execute;
  opcode.destination[0] = result;
  opcode.source[0] = Type::u32;
  opcode.destinations = opcode.sources = 1;
  return opcode;
}

}  // namespace

void add_packed(Opcodes& t) {
  add_pairs(t);
  t["v_fma_mix_f32"] = mix<MixResult::f32, true>();
  t["v_fma_mixlo_f16"] = mix<MixResult::low_f16, true>();
  t["v_fma_mixhi_f16"] = mix<MixResult::high_f16, true>();
  t["v_mad_mix_f32"] = mix<MixResult::f32, false>();
  t["v_mad_mixlo_f16"] = mix<MixResult::low_f16, false>();
  t["v_mad_mixhi_f16"] = mix<MixResult::high_f16, false>();
  t["v_cvt_pk_fp8_f32"] = raw(pack_float8<false>, Pipe::valu);
  t["v_cvt_pk_bf8_f32"] = raw(pack_float8<true>, Pipe::valu);
  t["v_cvt_sr_fp8_f32"] = raw(round_float8<false>, Pipe::valu);
  t["v_cvt_sr_bf8_f32"] = raw(round_float8<true>, Pipe::valu);
  t["v_cvt_f32_fp8"] = one_source(unpack_one<false>, Type::f32);
  t["v_cvt_f32_bf8"] = one_source(unpack_one<true>, Type::f32);
  t["v_cvt_pk_f32_fp8"] = one_source(unpack_two<false>, Type::packed_f32);
  t["v_cvt_pk_f32_bf8"] = one_source(unpack_two<true>, Type::packed_f32);
}

}  // namespace kernelgen::amdgpu
