#include "scalar.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

// SOP1, SOP2, SOPC and SOPK. "RDNA3 Instruction Set Architecture" and "AMD Instinct MI300 ISA", chapter "Instructions".
namespace kernelgen::amdgpu {

void add_scalar_float(Opcodes& table);  // scalar_float.cpp

namespace {

using U = std::uint32_t;
using I = std::int32_t;
using UL = std::uint64_t;
using IL = std::int64_t;

WithScc<U> carried(UL sum) { return {static_cast<U>(sum), (sum >> 32) != 0}; }
U u(I value) { return static_cast<U>(value); }
I i(U value) { return static_cast<I>(value); }

template <class T>
T bits_reversed(T value) {
  T result = 0;
  for (unsigned n = 0; n < 8 * sizeof(T); ++n) result = result << 1 | (value >> n & 1);
  return result;
}
template <class T>
T mask_of(U bits, U first) {
  constexpr U width = 8 * sizeof(T);
  return ((T{1} << (bits % width)) - 1) << (first % width);
}
template <class T>
T field(T value, U packed) {
  const U first = packed & (8 * sizeof(T) - 1), bits = packed >> 16 & 0x7f;
  if (bits == 0) return 0;
  const U width = std::min<U>(bits, 8 * sizeof(T) - first), unused = 8 * sizeof(T) - width;
  return static_cast<T>(value << (unused - first)) >> unused;  // signed T extends the sign
}
template <class T>
T quads_of(T value) {  // a bit a quad: whether any of its 4 is set
  T result = 0;
  for (unsigned n = 0; n < 2 * sizeof(T); ++n)
    if ((value >> 4 * n & 15) != 0) result |= T{1} << n;
  return result;
}
template <class T>
T whole_quads(T value) {  // all 4 bits of a quad, if any is set
  T result = 0;
  for (unsigned n = 0; n < 8 * sizeof(T); n += 4)
    if ((value >> n & 15) != 0) result |= T{15} << n;
  return result;
}
UL each_bit_twice(U a) {
  UL result = 0;
  for (unsigned n = 0; n < 32; ++n) result |= UL{a >> n & 1} * 3 << (2 * n);
  return result;
}
/// Bits before the first that differs from the sign; -1 if all are equal.
template <class T>
I sign_bits(T value) {
  const auto flipped = static_cast<std::make_unsigned_t<T>>(value ^ (value >> (8 * sizeof(T) - 1)));
  return flipped == 0 ? -1 : std::countl_zero(flipped);
}

/// s_and_saveexec_b64 and its kin: the old EXEC to a register, a new one from it and a source.
template <auto Op, bool Is64, bool Saves>
void execute_saveexec(Wave& wave, const Instruction& in) {
  const UL source = Is64 ? read_scalar<UL>(wave, in.source[1]) : read_scalar<U>(wave, in.source[1]);
  const UL before = wave.exec;
  const UL result = Op(source, before);
  const UL kept = Is64 ? UL{0} : before & ~UL{0xffffffff};
  wave.set_exec(Is64 ? result : kept | (result & 0xffffffff));
  const UL to = Saves ? before : wave.exec;
  if (Is64)
    write_scalar<UL>(wave, in.source[0], to);
  else
    write_scalar<U>(wave, in.source[0], static_cast<U>(to));
  wave.scc = wave.exec != 0;
}

template <auto Op>
void add_saveexec(Opcodes& t, std::string_view name_32, std::string_view name_64) {
  t[name_32] = raw(execute_saveexec<Op, false, true>, Pipe::salu);
  t[name_64] = raw(execute_saveexec<Op, true, true>, Pipe::salu);
}
template <auto Op>
void add_wrexec(Opcodes& t, std::string_view name_32, std::string_view name_64) {
  t[name_32] = raw(execute_saveexec<Op, false, false>, Pipe::salu);
  t[name_64] = raw(execute_saveexec<Op, true, false>, Pipe::salu);
}

template <class T>
void move_relative_source(Wave& wave, const Instruction& in) {
  Operand from = in.source[1];
  from.index = static_cast<std::uint16_t>(from.index + wave.read(sgpr::m0));
  write_scalar<T>(wave, in.source[0], read_scalar<T>(wave, from));
}
template <class T>
void move_relative_destination(Wave& wave, const Instruction& in) {
  Operand to = in.source[0];
  to.index = static_cast<std::uint16_t>(to.index + wave.read(sgpr::m0));
  write_scalar<T>(wave, to, read_scalar<T>(wave, in.source[1]));
}

void add_logic(Opcodes& t) {
  t["s_and_b32"] = scalar<[](U a, U b) { return nonzero(a & b); }>();
  t["s_and_b64"] = scalar<[](UL a, UL b) { return nonzero(a & b); }>();
  t["s_or_b32"] = scalar<[](U a, U b) { return nonzero(a | b); }>();
  t["s_or_b64"] = scalar<[](UL a, UL b) { return nonzero(a | b); }>();
  t["s_xor_b32"] = scalar<[](U a, U b) { return nonzero(a ^ b); }>();
  t["s_xor_b64"] = scalar<[](UL a, UL b) { return nonzero(a ^ b); }>();
  add(t, scalar<[](U a, U b) { return nonzero(a & ~b); }>(), "s_andn2_b32", "s_and_not1_b32");
  add(t, scalar<[](UL a, UL b) { return nonzero(a & ~b); }>(), "s_andn2_b64", "s_and_not1_b64");
  add(t, scalar<[](U a, U b) { return nonzero(a | ~b); }>(), "s_orn2_b32", "s_or_not1_b32");
  add(t, scalar<[](UL a, UL b) { return nonzero(a | ~b); }>(), "s_orn2_b64", "s_or_not1_b64");
  t["s_nand_b32"] = scalar<[](U a, U b) { return nonzero(~(a & b)); }>();
  t["s_nand_b64"] = scalar<[](UL a, UL b) { return nonzero(~(a & b)); }>();
  t["s_nor_b32"] = scalar<[](U a, U b) { return nonzero(~(a | b)); }>();
  t["s_nor_b64"] = scalar<[](UL a, UL b) { return nonzero(~(a | b)); }>();
  t["s_xnor_b32"] = scalar<[](U a, U b) { return nonzero(~(a ^ b)); }>();
  t["s_xnor_b64"] = scalar<[](UL a, UL b) { return nonzero(~(a ^ b)); }>();
  t["s_not_b32"] = scalar<[](U a) { return nonzero(~a); }>();
  t["s_not_b64"] = scalar<[](UL a) { return nonzero(~a); }>();
  t["s_wqm_b32"] = scalar<[](U a) { return nonzero(whole_quads(a)); }>();
  t["s_quadmask_b32"] = scalar<[](U a) { return nonzero(quads_of(a)); }>();
  t["s_quadmask_b64"] = scalar<[](UL a) { return nonzero(quads_of(a)); }>();
  t["s_wqm_b64"] = scalar<[](UL a) { return nonzero(whole_quads(a)); }>();
  add_saveexec<[](UL s, UL e) { return s & e; }>(t, "s_and_saveexec_b32", "s_and_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return s | e; }>(t, "s_or_saveexec_b32", "s_or_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return s ^ e; }>(t, "s_xor_saveexec_b32", "s_xor_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return ~(s & e); }>(t, "s_nand_saveexec_b32", "s_nand_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return ~(s | e); }>(t, "s_nor_saveexec_b32", "s_nor_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return ~(s ^ e); }>(t, "s_xnor_saveexec_b32", "s_xnor_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return s & ~e; }>(t, "s_andn2_saveexec_b32", "s_andn2_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return s & ~e; }>(t, "s_and_not1_saveexec_b32", "s_and_not1_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return s | ~e; }>(t, "s_orn2_saveexec_b32", "s_orn2_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return s | ~e; }>(t, "s_or_not1_saveexec_b32", "s_or_not1_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return ~s & e; }>(t, "s_andn1_saveexec_b32", "s_andn1_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return ~s & e; }>(t, "s_and_not0_saveexec_b32", "s_and_not0_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return ~s | e; }>(t, "s_orn1_saveexec_b32", "s_orn1_saveexec_b64");
  add_saveexec<[](UL s, UL e) { return ~s | e; }>(t, "s_or_not0_saveexec_b32", "s_or_not0_saveexec_b64");
  add_wrexec<[](UL s, UL e) { return s & ~e; }>(t, "s_andn2_wrexec_b32", "s_andn2_wrexec_b64");
  add_wrexec<[](UL s, UL e) { return s & ~e; }>(t, "s_and_not1_wrexec_b32", "s_and_not1_wrexec_b64");
  add_wrexec<[](UL s, UL e) { return ~s & e; }>(t, "s_andn1_wrexec_b32", "s_andn1_wrexec_b64");
  add_wrexec<[](UL s, UL e) { return ~s & e; }>(t, "s_and_not0_wrexec_b32", "s_and_not0_wrexec_b64");
}

void add_arithmetic(Opcodes& t) {
  add(t, scalar<[](U a, U b) { return WithScc<U>{a + b, a + b < a}; }>(), "s_add_u32", "s_add_co_u32");
  add(t, scalar<[](U a, U b) { return (WithScc<U>{a - b, (b > a)}); }>(), "s_sub_u32", "s_sub_co_u32");
  add(t, scalar<[](I a, I b) {
        I sum = 0;
        const bool over = __builtin_add_overflow(a, b, &sum);
        return WithScc<I>{sum, over};
      }>(),
      "s_add_i32", "s_add_co_i32");
  add(t, scalar<[](I a, I b) {
        I sum = 0;
        const bool over = __builtin_sub_overflow(a, b, &sum);
        return WithScc<I>{sum, over};
      }>(),
      "s_sub_i32", "s_sub_co_i32");
  add(t, scalar<[](U a, U b, SccBit c) { return carried(UL{a} + b + c.set); }>(), "s_addc_u32",
      "s_add_co_ci_u32");
  add(t, scalar<[](U a, U b, SccBit c) { return (WithScc<U>{a - b - c.set, (UL{b} + c.set > a)}); }>(),
      "s_subb_u32", "s_sub_co_ci_u32");
  add(t, scalar<[](UL a, UL b) { return a + b; }>(), "s_add_u64", "s_add_nc_u64");
  add(t, scalar<[](UL a, UL b) { return a - b; }>(), "s_sub_u64", "s_sub_nc_u64");
  t["s_mul_u64"] = scalar<[](UL a, UL b) { return a * b; }>();
  t["s_mul_i32"] = scalar<[](U a, U b) { return a * b; }>();
  t["s_mul_hi_u32"] = scalar<[](U a, U b) { return (static_cast<U>(UL{a} * b >> 32)); }>();
  t["s_mul_hi_i32"] = scalar<[](I a, I b) { return (static_cast<I>(IL{a} * b >> 32)); }>();
  t["s_min_i32"] = scalar<[](I a, I b) { return WithScc<I>{std::min(a, b), a < b}; }>();
  t["s_min_u32"] = scalar<[](U a, U b) { return WithScc<U>{std::min(a, b), a < b}; }>();
  t["s_max_i32"] = scalar<[](I a, I b) { return (WithScc<I>{std::max(a, b), (a > b)}); }>();
  t["s_max_u32"] = scalar<[](U a, U b) { return (WithScc<U>{std::max(a, b), (a > b)}); }>();
  t["s_abs_i32"] = scalar<[](I a) { return nonzero(a < 0 ? 0u - u(a) : u(a)); }>();
  t["s_absdiff_i32"] = scalar<[](I a, I b) {
    const U d = u(a) - u(b);
    return nonzero(i(d) < 0 ? 0u - d : d);
  }>();
  t["s_lshl1_add_u32"] = scalar<[](U a, U b) { return carried((UL{a} << 1) + b); }>();
  t["s_lshl2_add_u32"] = scalar<[](U a, U b) { return carried((UL{a} << 2) + b); }>();
  t["s_lshl3_add_u32"] = scalar<[](U a, U b) { return carried((UL{a} << 3) + b); }>();
  t["s_lshl4_add_u32"] = scalar<[](U a, U b) { return carried((UL{a} << 4) + b); }>();
}

void add_shifts_and_bits(Opcodes& t) {
  t["s_lshl_b32"] = scalar<[](U a, U n) { return nonzero(a << (n & 31)); }>();
  t["s_lshl_b64"] = scalar<[](UL a, U n) { return nonzero(a << (n & 63)); }>();
  t["s_lshr_b32"] = scalar<[](U a, U n) { return (nonzero(a >> (n & 31))); }>();
  t["s_lshr_b64"] = scalar<[](UL a, U n) { return (nonzero(a >> (n & 63))); }>();
  t["s_ashr_i32"] = scalar<[](I a, U n) { return (nonzero(a >> (n & 31))); }>();
  t["s_ashr_i64"] = scalar<[](IL a, U n) { return (nonzero(a >> (n & 63))); }>();
  t["s_bfm_b32"] = scalar<[](U bits, U first) { return mask_of<U>(bits, first); }>();
  t["s_bfm_b64"] = scalar<[](U bits, U first) { return mask_of<UL>(bits, first); }>();
  t["s_bfe_u32"] = scalar<[](U a, U packed) { return nonzero(field<U>(a, packed)); }>();
  t["s_bfe_i32"] = scalar<[](I a, U packed) { return nonzero(field<I>(a, packed)); }>();
  t["s_bfe_u64"] = scalar<[](UL a, U packed) { return nonzero(field<UL>(a, packed)); }>();
  t["s_bfe_i64"] = scalar<[](IL a, U packed) { return nonzero(field<IL>(a, packed)); }>();
  t["s_brev_b32"] = scalar<[](U a) { return bits_reversed(a); }>();
  t["s_brev_b64"] = scalar<[](UL a) { return bits_reversed(a); }>();
  t["s_bcnt0_i32_b32"] = scalar<[](U a) { return nonzero(std::popcount(~a)); }>();
  t["s_bcnt0_i32_b64"] = scalar<[](UL a) { return nonzero(std::popcount(~a)); }>();
  t["s_bcnt1_i32_b32"] = scalar<[](U a) { return nonzero(std::popcount(a)); }>();
  t["s_bcnt1_i32_b64"] = scalar<[](UL a) { return nonzero(std::popcount(a)); }>();
  add(t, scalar<[](U a) { return a == 0 ? -1 : std::countr_zero(a); }>(), "s_ff1_i32_b32", "s_ctz_i32_b32");
  add(t, scalar<[](UL a) { return a == 0 ? -1 : std::countr_zero(a); }>(), "s_ff1_i32_b64", "s_ctz_i32_b64");
  add(t, scalar<[](U a) { return a == ~U{0} ? -1 : std::countr_one(a); }>(), "s_ff0_i32_b32");
  add(t, scalar<[](UL a) { return a == ~UL{0} ? -1 : std::countr_one(a); }>(), "s_ff0_i32_b64");
  add(t, scalar<[](U a) { return a == 0 ? -1 : std::countl_zero(a); }>(), "s_flbit_i32_b32", "s_clz_i32_u32");
  add(t, scalar<[](UL a) { return a == 0 ? -1 : std::countl_zero(a); }>(), "s_flbit_i32_b64",
      "s_clz_i32_u64");
  add(t, scalar<[](I a) { return sign_bits(a); }>(), "s_flbit_i32", "s_cls_i32");
  add(t, scalar<[](IL a) { return sign_bits(a); }>(), "s_flbit_i32_i64", "s_cls_i32_i64");
  t["s_bitset0_b32"] = scalar_accumulating<[](U n, U d) { return d & ~(U{1} << (n & 31)); }>();
  t["s_bitset0_b64"] = scalar_accumulating<[](U n, UL d) { return d & ~(UL{1} << (n & 63)); }>();
  t["s_bitset1_b32"] = scalar_accumulating<[](U n, U d) { return d | U{1} << (n & 31); }>();
  t["s_bitset1_b64"] = scalar_accumulating<[](U n, UL d) { return d | UL{1} << (n & 63); }>();
  t["s_bitreplicate_b64_b32"] = scalar<[](U a) { return each_bit_twice(a); }>();
  t["s_sext_i32_i8"] = scalar<[](U a) { return I{static_cast<std::int8_t>(a)}; }>();
  t["s_sext_i32_i16"] = scalar<[](U a) { return I{static_cast<std::int16_t>(a)}; }>();
  t["s_pack_ll_b32_b16"] = scalar<[](U a, U b) { return (a & 0xffff) | b << 16; }>();
  t["s_pack_lh_b32_b16"] = scalar<[](U a, U b) { return (a & 0xffff) | (b & 0xffff0000); }>();
  t["s_pack_hh_b32_b16"] = scalar<[](U a, U b) { return (a >> 16 | (b & 0xffff0000)); }>();
  t["s_pack_hl_b32_b16"] = scalar<[](U a, U b) { return (a >> 16 | b << 16); }>();
}

void add_moves(Opcodes& t) {
  t["s_mov_b32"] = scalar<[](U a) { return a; }>();
  t["s_mov_b64"] = scalar<[](UL a) { return a; }>();
  t["s_cmov_b32"] = scalar_accumulating<[](U a, SccBit c, U d) { return c.set ? a : d; }>();
  t["s_cmov_b64"] = scalar_accumulating<[](UL a, SccBit c, UL d) { return c.set ? a : d; }>();
  t["s_cselect_b32"] = scalar<[](U a, U b, SccBit c) { return c.set ? a : b; }>();
  t["s_cselect_b64"] = scalar<[](UL a, UL b, SccBit c) { return c.set ? a : b; }>();
  t["s_movrels_b32"] = raw(move_relative_source<U>, Pipe::salu);
  t["s_movreld_b32"] = raw(move_relative_destination<U>, Pipe::salu);
  t["s_movrels_b64"] = raw(move_relative_source<UL>, Pipe::salu);
  t["s_movreld_b64"] = raw(move_relative_destination<UL>, Pipe::salu);
  t["s_movk_i32"] = scalar<[](U a) { return I{static_cast<std::int16_t>(a)}; }>();
  t["s_cmovk_i32"] =
      scalar_accumulating<[](U a, SccBit c, U d) { return c.set ? u(static_cast<std::int16_t>(a)) : d; }>();
  add(t, scalar_accumulating<[](U a, I d) {
        I sum = 0;
        const bool over = __builtin_add_overflow(I{static_cast<std::int16_t>(a)}, d, &sum);
        return WithScc<I>{sum, over};
      }>(),
      "s_addk_i32", "s_addk_co_i32");
  t["s_mulk_i32"] = scalar_accumulating<[](U a, U d) { return u(static_cast<std::int16_t>(a)) * d; }>();
}

void add_comparisons(Opcodes& t) {
  t["s_cmp_eq_i32"] = scalar<[](I a, I b) { return a == b; }>();
  t["s_cmp_lg_i32"] = scalar<[](I a, I b) { return a != b; }>();
  t["s_cmp_gt_i32"] = scalar<[](I a, I b) { return (a > b); }>();
  t["s_cmp_ge_i32"] = scalar<[](I a, I b) { return a >= b; }>();
  t["s_cmp_lt_i32"] = scalar<[](I a, I b) { return a < b; }>();
  t["s_cmp_le_i32"] = scalar<[](I a, I b) { return a <= b; }>();
  t["s_cmp_eq_u32"] = scalar<[](U a, U b) { return a == b; }>();
  t["s_cmp_lg_u32"] = scalar<[](U a, U b) { return a != b; }>();
  t["s_cmp_gt_u32"] = scalar<[](U a, U b) { return (a > b); }>();
  t["s_cmp_ge_u32"] = scalar<[](U a, U b) { return a >= b; }>();
  t["s_cmp_lt_u32"] = scalar<[](U a, U b) { return a < b; }>();
  t["s_cmp_le_u32"] = scalar<[](U a, U b) { return a <= b; }>();
  t["s_cmp_eq_u64"] = scalar<[](UL a, UL b) { return a == b; }>();
  t["s_cmp_lg_u64"] = scalar<[](UL a, UL b) { return a != b; }>();
  t["s_bitcmp0_b32"] = scalar<[](U a, U n) { return ((a >> (n & 31) & 1) == 0); }>();
  t["s_bitcmp1_b32"] = scalar<[](U a, U n) { return ((a >> (n & 31) & 1) == 1); }>();
  t["s_bitcmp0_b64"] = scalar<[](UL a, U n) { return ((a >> (n & 63) & 1) == 0); }>();
  t["s_bitcmp1_b64"] = scalar<[](UL a, U n) { return ((a >> (n & 63) & 1) == 1); }>();
  t["s_cmpk_eq_i32"] = scalar<[](I a, U k) { return a == static_cast<std::int16_t>(k); }>();
  t["s_cmpk_lg_i32"] = scalar<[](I a, U k) { return a != static_cast<std::int16_t>(k); }>();
  t["s_cmpk_gt_i32"] = scalar<[](I a, U k) { return (a > static_cast<std::int16_t>(k)); }>();
  t["s_cmpk_ge_i32"] = scalar<[](I a, U k) { return a >= static_cast<std::int16_t>(k); }>();
  t["s_cmpk_lt_i32"] = scalar<[](I a, U k) { return a < static_cast<std::int16_t>(k); }>();
  t["s_cmpk_le_i32"] = scalar<[](I a, U k) { return a <= static_cast<std::int16_t>(k); }>();
  t["s_cmpk_eq_u32"] = scalar<[](U a, U k) { return a == (k & 0xffff); }>();
  t["s_cmpk_lg_u32"] = scalar<[](U a, U k) { return a != (k & 0xffff); }>();
  t["s_cmpk_gt_u32"] = scalar<[](U a, U k) { return (a > (k & 0xffff)); }>();
  t["s_cmpk_ge_u32"] = scalar<[](U a, U k) { return a >= (k & 0xffff); }>();
  t["s_cmpk_lt_u32"] = scalar<[](U a, U k) { return a < (k & 0xffff); }>();
  t["s_cmpk_le_u32"] = scalar<[](U a, U k) { return a <= (k & 0xffff); }>();
}

}  // namespace

void add_scalar(Opcodes& table) {
  add_logic(table);
  add_arithmetic(table);
  add_shifts_and_bits(table);
  add_moves(table);
  add_comparisons(table);
  add_scalar_float(table);
}

}  // namespace kernelgen::amdgpu
