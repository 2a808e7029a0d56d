#include <algorithm>

#include "lanes.hpp"

// Integers of 16 bits in a half of a register.
namespace kernelgen::amdgpu {
namespace {

using U = std::uint16_t;
using I = std::int16_t;

U u(int value) { return static_cast<U>(value); }
I i(int value) { return static_cast<I>(value); }
U usaturated(int value) { return u(std::clamp(value, 0, 0xffff)); }
I saturated(int value) { return i(std::clamp(value, -0x8000, 0x7fff)); }

/// gfx9's VOP3-only forms leave the half that they do not write.
Opcode keeping_high(Opcode opcode) {
  opcode.keeps_high = true;
  return opcode;
}

}  // namespace

void add_integer_16(Opcodes& t) {
  add(t, saturable<[](U a, U b) { return u(a + b); }, [](U a, U b) { return usaturated(a + b); }>(),
      "v_add_u16", "v_add_nc_u16");
  add(t, saturable<[](U a, U b) { return u(a - b); }, [](U a, U b) { return usaturated(a - b); }>(),
      "v_sub_u16", "v_sub_nc_u16");
  t["v_subrev_u16"] =
      saturable<[](U a, U b) { return u(b - a); }, [](U a, U b) { return usaturated(b - a); }>();
  add(t,
      keeping_high(saturable<[](I a, I b) { return i(a + b); }, [](I a, I b) { return saturated(a + b); }>()),
      "v_add_i16", "v_add_nc_i16");
  add(t,
      keeping_high(saturable<[](I a, I b) { return i(a - b); }, [](I a, I b) { return saturated(a - b); }>()),
      "v_sub_i16", "v_sub_nc_i16");
  t["v_mul_lo_u16"] = lanes<[](U a, U b) { return u(static_cast<int>(unsigned{a} * b)); }>();
  t["v_mad_u16"] = keeping_high(
      saturable<[](U a, U b, U c) { return static_cast<U>(unsigned{a} * b + c); },
                [](U a, U b, U c) { return static_cast<U>(std::min(unsigned{a} * b + c, 0xffffu)); }>());
  t["v_mad_i16"] = keeping_high(saturable<[](I a, I b, I c) { return i(a * b + c); },
                                          [](I a, I b, I c) { return saturated(a * b + c); }>());
  t["v_mad_legacy_u16"] = lanes<[](U a, U b, U c) { return static_cast<U>(unsigned{a} * b + c); }>();
  t["v_mad_legacy_i16"] = lanes<[](I a, I b, I c) { return i(a * b + c); }>();
  t["v_lshlrev_b16"] = lanes<[](U n, U a) { return u(a << (n & 15)); }>();
  t["v_lshrrev_b16"] = lanes<[](U n, U a) { return (u(a >> (n & 15))); }>();
  t["v_ashrrev_i16"] = lanes<[](U n, I a) { return (i(a >> (n & 15))); }>();
  t["v_min_u16"] = lanes<[](U a, U b) { return std::min(a, b); }>();
  t["v_max_u16"] = lanes<[](U a, U b) { return std::max(a, b); }>();
  t["v_min_i16"] = lanes<[](I a, I b) { return std::min(a, b); }>();
  t["v_max_i16"] = lanes<[](I a, I b) { return std::max(a, b); }>();
  t["v_min3_u16"] = keeping_high(lanes<[](U a, U b, U c) { return std::min(std::min(a, b), c); }>());
  t["v_max3_u16"] = keeping_high(lanes<[](U a, U b, U c) { return std::max(std::max(a, b), c); }>());
  t["v_min3_i16"] = keeping_high(lanes<[](I a, I b, I c) { return std::min(std::min(a, b), c); }>());
  t["v_max3_i16"] = keeping_high(lanes<[](I a, I b, I c) { return std::max(std::max(a, b), c); }>());
  t["v_med3_u16"] = keeping_high(
      lanes<[](U a, U b, U c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }>());
  t["v_med3_i16"] = keeping_high(
      lanes<[](I a, I b, I c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }>());
  t["v_and_b16"] = lanes<[](U a, U b) { return u(a & b); }>();
  t["v_or_b16"] = lanes<[](U a, U b) { return u(a | b); }>();
  t["v_xor_b16"] = lanes<[](U a, U b) { return u(a ^ b); }>();
  t["v_not_b16"] = lanes<[](U a) { return u(~a); }>();
  t["v_mov_b16"] = lanes<[](U a) { return a; }>();
  t["v_cndmask_b16"] = lanes<[](U a, U b, MaskBit c) { return c.set ? b : a; }>();
}

}  // namespace kernelgen::amdgpu
