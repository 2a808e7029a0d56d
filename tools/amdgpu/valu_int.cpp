#include <algorithm>
#include <bit>

#include "lanes.hpp"

// Integers of 32 and 64 bits, and bits.
namespace kernelgen::amdgpu {
namespace {

using U = std::uint32_t;
using I = std::int32_t;
using UL = std::uint64_t;
using IL = std::int64_t;

WithMask<U> carried(UL sum) { return {static_cast<U>(sum), (sum >> 32) != 0}; }
U u24(U a) { return a & 0xffffff; }
I i24(U a) { return static_cast<I>(a << 8) >> 8; }
I saturated(IL a) { return static_cast<I>(std::clamp<IL>(a, INT32_MIN, INT32_MAX)); }
U usaturated(IL a) { return static_cast<U>(std::clamp<IL>(a, 0, UINT32_MAX)); }
U absolute_difference(U a, U b) { return a > b ? a - b : b - a; }

U extracted(U a, U first, U bits) {
  first &= 31, bits &= 31;
  return a >> first & ((U{1} << bits) - 1);
}
I extracted_signed(U a, U first, U bits) {
  first &= 31, bits &= 31;
  if (bits == 0) return 0;
  if (first + bits >= 32) return static_cast<I>(a) >> first;
  return static_cast<I>(a << (32 - first - bits)) >> (32 - bits);
}
U reversed(U a) {
  a = (a & 0x55555555) << 1 | (a >> 1 & 0x55555555);
  a = (a & 0x33333333) << 2 | (a >> 2 & 0x33333333);
  a = (a & 0x0f0f0f0f) << 4 | (a >> 4 & 0x0f0f0f0f);
  return a << 24 | (a & 0xff00) << 8 | (a >> 8 & 0xff00) | a >> 24;
}
/// v_perm_b32: each byte of `selector` picks one of `b`'s (0 to 3) and `a`'s (4 to 7), a sign or a constant.
U permuted(U a, U b, U selector) {
  const UL bytes = UL{a} << 32 | b;
  U result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const U s = selector >> (8 * i) & 0xff;
    U byte = 0;
    if (s < 8)
      byte = static_cast<U>(bytes >> (8 * s)) & 0xff;
    else if (s < 12)
      byte = (bytes >> (16 * (s - 8) + 15) & 1) != 0 ? 0xff : 0;
    else if (s >= 13)
      byte = 0xff;
    result |= byte << (8 * i);
  }
  return result;
}
U sum_of_absolute_differences(U a, U b, int bits) {
  U sum = 0;
  for (int at = 0; at < 32; at += bits) {
    const U mask = (1u << bits) - 1;
    sum += absolute_difference(a >> at & mask, b >> at & mask);
  }
  return sum;
}
/// Of the bytes that are not 0 in `b`.
U masked_differences(U a, U b) {
  U sum = 0;
  for (unsigned at = 0; at < 32; at += 8)
    if ((b >> at & 0xff) != 0) sum += absolute_difference(a >> at & 0xff, b >> at & 0xff);
  return sum;
}
/// v_mqsad_u32_u8: four sums of 32 bits, of the bytes from each of the first four on.
void masked_quad_differences(Wave& wave, const Instruction& in) {  // vdst, a, b, c
  alignas(64) Words low, high, b, unused;
  std::array<Words, 4> sums;
  prepare_raw(wave, in.source[1], 2, low, high);
  prepare_raw(wave, in.source[2], 1, b, unused);
  for (unsigned i = 0; i < 4; ++i) {
    const Words c = wave.vgprs[in.source[3].index + i];
    wave.each_lane([&](std::size_t lane) {
      const UL bytes = low[lane] | UL{high[lane]} << 32;
      sums[i][lane] = masked_differences(static_cast<U>(bytes >> 8 * i), b[lane]) + c[lane];
    });
  }
  for (unsigned i = 0; i < 4; ++i) write_word(wave, in.source[0].index + i, sums[i]);
}
I first_sign_change(I a) {  // v_ffbh_i32: bits before the first that differs from the sign
  const U flipped = static_cast<U>(a ^ (a >> 31));
  return flipped == 0 ? -1 : std::countl_zero(flipped);
}

void add_sums(Opcodes& t) {
  const Opcode plain_add =
      saturable<[](U a, U b) { return a + b; }, [](U a, U b) { return usaturated(IL{a} + b); }>();
  const Opcode plain_sub =
      saturable<[](U a, U b) { return a - b; }, [](U a, U b) { return usaturated(IL{a} - b); }>();
  const Opcode plain_subrev =
      saturable<[](U a, U b) { return b - a; }, [](U a, U b) { return usaturated(IL{b} - a); }>();
  add(t, plain_add, "v_add_u32", "v_add_nc_u32");
  add(t, plain_sub, "v_sub_u32", "v_sub_nc_u32");
  add(t, plain_subrev, "v_subrev_u32", "v_subrev_nc_u32");
  add(t, saturable<[](U a, U b) { return a + b; }, [](I a, I b) { return saturated(IL{a} + b); }>(),
      "v_add_i32", "v_add_nc_i32");
  add(t, saturable<[](U a, U b) { return a - b; }, [](I a, I b) { return saturated(IL{a} - b); }>(),
      "v_sub_i32", "v_sub_nc_i32");
  t["v_add_co_u32"] = lanes<[](U a, U b) { return WithMask<U>{a + b, a + b < a}; }>();
  t["v_sub_co_u32"] = lanes<[](U a, U b) { return (WithMask<U>{a - b, (b > a)}); }>();
  t["v_subrev_co_u32"] = lanes<[](U a, U b) { return (WithMask<U>{b - a, (a > b)}); }>();
  add(t, lanes<[](U a, U b, MaskBit c) { return carried(UL{a} + b + c.set); }>(), "v_addc_co_u32",
      "v_add_co_ci_u32");
  add(t, lanes<[](U a, U b, MaskBit c) { return (WithMask<U>{a - b - c.set, (UL{b} + c.set > a)}); }>(),
      "v_subb_co_u32", "v_sub_co_ci_u32");
  add(t, lanes<[](U a, U b, MaskBit c) { return (WithMask<U>{b - a - c.set, (UL{a} + c.set > b)}); }>(),
      "v_subbrev_co_u32", "v_subrev_co_ci_u32");
  t["v_add3_u32"] = lanes<[](U a, U b, U c) { return a + b + c; }>();
  t["v_lshl_add_u32"] = lanes<[](U a, U n, U b) { return (a << (n & 31)) + b; }>();
  t["v_add_lshl_u32"] = lanes<[](U a, U b, U n) { return (a + b) << (n & 31); }>();
  t["v_lshl_add_u64"] = lanes<[](UL a, U n, UL b) { return (a << (n & 7)) + b; }>();
  t["v_add_u64"] = lanes<[](UL a, UL b) { return a + b; }>();
  t["v_sub_u64"] = lanes<[](UL a, UL b) { return a - b; }>();
}

void add_products(Opcodes& t) {
  t["v_mul_lo_u32"] = lanes<[](U a, U b) { return a * b; }>();
  t["v_mul_lo_i32"] = t["v_mul_lo_u32"];
  t["v_mul_hi_u32"] = lanes<[](U a, U b) { return (static_cast<U>(UL{a} * b >> 32)); }>();
  t["v_mul_hi_i32"] = lanes<[](I a, I b) { return (static_cast<I>(IL{a} * b >> 32)); }>();
  t["v_mul_u32_u24"] = lanes<[](U a, U b) { return u24(a) * u24(b); }>();
  t["v_mul_i32_i24"] = lanes<[](U a, U b) { return static_cast<U>(i24(a)) * static_cast<U>(i24(b)); }>();
  t["v_mul_hi_u32_u24"] = lanes<[](U a, U b) { return (static_cast<U>(UL{u24(a)} * u24(b) >> 32)); }>();
  t["v_mul_hi_i32_i24"] = lanes<[](U a, U b) { return (static_cast<I>(IL{i24(a)} * i24(b) >> 32)); }>();
  t["v_mad_u32_u24"] =
      saturable<[](U a, U b, U c) { return u24(a) * u24(b) + c; },
                [](U a, U b, U c) { return usaturated(static_cast<IL>(UL{u24(a)} * u24(b) + c)); }>();
  t["v_mad_i32_i24"] =
      saturable<[](U a, U b, U c) { return static_cast<U>(i24(a)) * static_cast<U>(i24(b)) + c; },
                [](U a, U b, I c) { return saturated(IL{i24(a)} * i24(b) + c); }>();
  add(t, lanes<[](U a, U b, UL c) {
        const UL r = UL{a} * b + c;
        return WithMask<UL>{r, r < c};
      }>(),
      "v_mad_u64_u32", "v_mad_co_u64_u32");
  add(t, lanes<[](I a, I b, IL c) {
        IL r = 0;
        const bool over = __builtin_add_overflow(IL{a} * b, c, &r);
        return WithMask<IL>{r, over};
      }>(),
      "v_mad_i64_i32", "v_mad_co_i64_i32");
  t["v_mad_u32_u16"] =
      saturable<[](std::uint16_t a, std::uint16_t b, U c) { return U{a} * b + c; },
                [](std::uint16_t a, std::uint16_t b, U c) { return usaturated(IL{U{a} * b} + c); }>();
  t["v_mad_i32_i16"] =
      saturable<[](std::int16_t a, std::int16_t b, U c) { return static_cast<U>(I{a} * b) + c; },
                [](std::int16_t a, std::int16_t b, I c) { return saturated(IL{a} * b + c); }>();
}

void add_logic(Opcodes& t) {
  t["v_and_b32"] = lanes<[](U a, U b) { return a & b; }>();
  t["v_or_b32"] = lanes<[](U a, U b) { return a | b; }>();
  t["v_xor_b32"] = lanes<[](U a, U b) { return a ^ b; }>();
  t["v_xnor_b32"] = lanes<[](U a, U b) { return ~(a ^ b); }>();
  t["v_not_b32"] = lanes<[](U a) { return ~a; }>();
  t["v_and_or_b32"] = lanes<[](U a, U b, U c) { return (a & b) | c; }>();
  t["v_or3_b32"] = lanes<[](U a, U b, U c) { return a | b | c; }>();
  t["v_xor3_b32"] = lanes<[](U a, U b, U c) { return a ^ b ^ c; }>();
  t["v_xad_u32"] = lanes<[](U a, U b, U c) { return (a ^ b) + c; }>();
  t["v_lshl_or_b32"] = lanes<[](U a, U n, U b) { return a << (n & 31) | b; }>();
  t["v_bfi_b32"] = lanes<[](U mask, U a, U b) { return (mask & a) | (~mask & b); }>();
  t["v_bfe_u32"] = lanes<[](U a, U first, U bits) { return extracted(a, first, bits); }>();
  t["v_bfe_i32"] = lanes<[](U a, U first, U bits) { return extracted_signed(a, first, bits); }>();
  t["v_bfm_b32"] = lanes<[](U bits, U first) { return ((U{1} << (bits & 31)) - 1) << (first & 31); }>();
  t["v_bfrev_b32"] = lanes<[](U a) { return reversed(a); }>();
  t["v_bcnt_u32_b32"] = lanes<[](U a, U b) { return static_cast<U>(std::popcount(a)) + b; }>();
  add(t, lanes<[](U a) { return a == 0 ? -1 : std::countl_zero(a); }>(), "v_ffbh_u32", "v_clz_i32_u32");
  add(t, lanes<[](U a) { return a == 0 ? -1 : std::countr_zero(a); }>(), "v_ffbl_b32", "v_ctz_i32_b32");
  add(t, lanes<[](I a) { return first_sign_change(a); }>(), "v_ffbh_i32", "v_cls_i32");
  t["v_lshlrev_b32"] = lanes<[](U n, U a) { return a << (n & 31); }>();
  t["v_lshrrev_b32"] = lanes<[](U n, U a) { return (a >> (n & 31)); }>();
  t["v_ashrrev_i32"] = lanes<[](U n, I a) { return (a >> (n & 31)); }>();
  t["v_lshlrev_b64"] = lanes<[](U n, UL a) { return a << (n & 63); }>();
  t["v_lshrrev_b64"] = lanes<[](U n, UL a) { return (a >> (n & 63)); }>();
  t["v_ashrrev_i64"] = lanes<[](U n, IL a) { return (a >> (n & 63)); }>();
  t["v_alignbit_b32"] =
      lanes<[](U a, U b, std::uint16_t n) { return (static_cast<U>((UL{a} << 32 | b) >> (n & 31))); }>();
  t["v_alignbyte_b32"] =
      lanes<[](U a, U b, std::uint16_t n) { return (static_cast<U>((UL{a} << 32 | b) >> (8 * (n & 3)))); }>();
  t["v_perm_b32"] = lanes<[](U a, U b, U selector) { return permuted(a, b, selector); }>();
  t["v_mov_b32"] = lanes<[](U a) { return a; }>();
  add(t, lanes<[](UL a) { return a; }>(), "v_mov_b64");
  t["v_accvgpr_read_b32"] = t["v_accvgpr_write_b32"] = t["v_accvgpr_mov_b32"] = t["v_mov_b32"];
  t["v_accvgpr_read"] = t["v_accvgpr_write"] = t["v_mov_b32"];
  t["v_cndmask_b32"] = lanes<[](U a, U b, MaskBit c) { return c.set ? b : a; }>();
}

void add_order(Opcodes& t) {
  t["v_min_u32"] = lanes<[](U a, U b) { return std::min(a, b); }>();
  t["v_max_u32"] = lanes<[](U a, U b) { return std::max(a, b); }>();
  t["v_min_i32"] = lanes<[](I a, I b) { return std::min(a, b); }>();
  t["v_max_i32"] = lanes<[](I a, I b) { return std::max(a, b); }>();
  t["v_min3_u32"] = lanes<[](U a, U b, U c) { return std::min(std::min(a, b), c); }>();
  t["v_max3_u32"] = lanes<[](U a, U b, U c) { return std::max(std::max(a, b), c); }>();
  t["v_min3_i32"] = lanes<[](I a, I b, I c) { return std::min(std::min(a, b), c); }>();
  t["v_max3_i32"] = lanes<[](I a, I b, I c) { return std::max(std::max(a, b), c); }>();
  t["v_med3_u32"] =
      lanes<[](U a, U b, U c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }>();
  t["v_med3_i32"] =
      lanes<[](I a, I b, I c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }>();
  t["v_maxmin_u32"] = lanes<[](U a, U b, U c) { return std::min(std::max(a, b), c); }>();
  t["v_minmax_u32"] = lanes<[](U a, U b, U c) { return std::max(std::min(a, b), c); }>();
  t["v_maxmin_i32"] = lanes<[](I a, I b, I c) { return std::min(std::max(a, b), c); }>();
  t["v_minmax_i32"] = lanes<[](I a, I b, I c) { return std::max(std::min(a, b), c); }>();
  t["v_sad_u8"] = lanes<[](U a, U b, U c) { return sum_of_absolute_differences(a, b, 8) + c; }>();
  t["v_sad_hi_u8"] = lanes<[](U a, U b, U c) { return (sum_of_absolute_differences(a, b, 8) << 16) + c; }>();
  t["v_sad_u16"] = lanes<[](U a, U b, U c) { return sum_of_absolute_differences(a, b, 16) + c; }>();
  t["v_msad_u8"] = lanes<[](U a, U b, U c) { return masked_differences(a, b) + c; }>();
  // Four sums, of the bytes from each of the first four on.
  t["v_qsad_pk_u16_u8"] = lanes<[](UL a, U b, UL c) {
    UL sums = 0;
    for (unsigned i = 0; i < 4; ++i)
      sums |= ((sum_of_absolute_differences(static_cast<U>(a >> 8 * i), b, 8) + (c >> 16 * i)) & 0xffff)
              << 16 * i;
    return sums;
  }>();
  t["v_mqsad_pk_u16_u8"] = lanes<[](UL a, U b, UL c) {
    UL sums = 0;
    for (unsigned i = 0; i < 4; ++i)
      sums |= ((masked_differences(static_cast<U>(a >> 8 * i), b) + (c >> 16 * i)) & 0xffff) << 16 * i;
    return sums;
  }>();
  // Averages of bytes; the lowest bit of each of the third source's says which way they are rounded.
  t["v_lerp_u8"] = lanes<[](U a, U b, U c) {
    U bytes = 0;
    for (unsigned at = 0; at < 32; at += 8)
      bytes |= ((a >> at & 0xff) + (b >> at & 0xff) + (c >> at & 1)) / 2 << at;
    return bytes;
  }>();
  t["v_mqsad_u32_u8"] = raw(masked_quad_differences, Pipe::valu);
  t["v_sad_u32"] = lanes<[](U a, U b, U c) { return absolute_difference(a, b) + c; }>();
}

}  // namespace

void add_integer(Opcodes& table) {
  add_sums(table);
  add_products(table);
  add_logic(table);
  add_order(table);
}

}  // namespace kernelgen::amdgpu
