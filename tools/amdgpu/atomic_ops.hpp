#pragma once
#include <initializer_list>

#include "float_math.hpp"
#include "lane_memory.hpp"

// What atomics do to a number, for global memory and LDS alike.
namespace kernelgen::amdgpu {

/// Two numbers of 16 bits that change together.
template <class T>
struct PairOf {
  T low, high;
};
template <class T>
PairOf<T> sum(PairOf<T> a, PairOf<T> b);
template <>
inline PairOf<Half> sum(PairOf<Half> a, PairOf<Half> b) {
  return {static_cast<Half>(a.low + b.low), static_cast<Half>(a.high + b.high)};
}
template <>
inline PairOf<BFloat16> sum(PairOf<BFloat16> a, PairOf<BFloat16> b) {
  const auto one = [](BFloat16 x, BFloat16 y) {
    const float r =
        std::bit_cast<float>(std::uint32_t{x.bits} << 16) + std::bit_cast<float>(std::uint32_t{y.bits} << 16);
    const auto bits = std::bit_cast<std::uint32_t>(r);
    if (r != r) return BFloat16{static_cast<std::uint16_t>(bits >> 16 | 0x40)};
    return BFloat16{static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
  };
  return {one(a.low, b.low), one(a.high, b.high)};
}

/// Names an atomic has, after the prefix of its memory.
using Names = std::initializer_list<std::string_view>;

/// Calls `add.operator()<T, [](T old, T value) { ... }>(names)` for each that LDS and global memory share.
/// Names are those of gfx9 and gfx10 (integers without their type in global memory), gfx11 and gfx12.
template <class Add>
void each_integer_atomic(Add add) {
  using U = std::uint32_t;
  using I = std::int32_t;
  using UL = std::uint64_t;
  using IL = std::int64_t;
  add.template operator()<U, [](U a, U b) { return a + b; }>({"add", "add_u32"});
  add.template operator()<U, [](U a, U b) { return a - b; }>({"sub", "sub_u32"});
  add.template operator()<U, [](U a, U b) { return b - a; }>({"rsub_u32"});
  add.template operator()<U, [](U a, U b) { return a >= b ? 0 : a + 1; }>({"inc", "inc_u32"});
  add.template operator()<U, [](U a, U b) { return (a == 0 || (a > b) ? b : a - 1); }>({"dec", "dec_u32"});
  add.template operator()<U, [](U a, U b) { return a < b ? 0 : a - b; }>(
      {"csub", "csub_u32", "sub_clamp_u32"});
  add.template operator()<U, [](U a, U b) { return a < b ? a : a - b; }>({"cond_sub_u32"});
  add.template operator()<I, [](I a, I b) { return a < b ? a : b; }>({"smin", "min_i32"});
  add.template operator()<U, [](U a, U b) { return a < b ? a : b; }>({"umin", "min_u32"});
  add.template operator()<I, [](I a, I b) { return ((a > b) ? a : b); }>({"smax", "max_i32"});
  add.template operator()<U, [](U a, U b) { return ((a > b) ? a : b); }>({"umax", "max_u32"});
  add.template operator()<U, [](U a, U b) { return a & b; }>({"and", "and_b32"});
  add.template operator()<U, [](U a, U b) { return a | b; }>({"or", "or_b32"});
  add.template operator()<U, [](U a, U b) { return a ^ b; }>({"xor", "xor_b32"});
  add.template operator()<U, [](U, U b) { return b; }>({"swap", "swap_b32", "wrxchg_b32", "storexchg_b32"});
  add.template operator()<UL, [](UL a, UL b) { return a + b; }>({"add_x2", "add_u64"});
  add.template operator()<UL, [](UL a, UL b) { return a - b; }>({"sub_x2", "sub_u64"});
  add.template operator()<UL, [](UL a, UL b) { return b - a; }>({"rsub_u64"});
  add.template operator()<UL, [](UL a, UL b) { return a >= b ? 0 : a + 1; }>({"inc_x2", "inc_u64"});
  add.template operator()<UL, [](UL a, UL b) { return (a == 0 || (a > b) ? b : a - 1); }>(
      {"dec_x2", "dec_u64"});
  add.template operator()<IL, [](IL a, IL b) { return a < b ? a : b; }>({"smin_x2", "min_i64"});
  add.template operator()<UL, [](UL a, UL b) { return a < b ? a : b; }>({"umin_x2", "min_u64"});
  add.template operator()<IL, [](IL a, IL b) { return ((a > b) ? a : b); }>({"smax_x2", "max_i64"});
  add.template operator()<UL, [](UL a, UL b) { return ((a > b) ? a : b); }>({"umax_x2", "max_u64"});
  add.template operator()<UL, [](UL a, UL b) { return a & b; }>({"and_x2", "and_b64"});
  add.template operator()<UL, [](UL a, UL b) { return a | b; }>({"or_x2", "or_b64"});
  add.template operator()<UL, [](UL a, UL b) { return a ^ b; }>({"xor_x2", "xor_b64"});
  add.template operator()<UL, [](UL, UL b) { return b; }>(
      {"swap_x2", "swap_b64", "wrxchg_b64", "storexchg_b64"});
}

template <class Add>
void each_float_atomic(Add add) {
  using F = float;
  using D = double;
  using HH = PairOf<Half>;
  using BB = PairOf<BFloat16>;
  add.template operator()<F, [](F a, F b) { return a + b; }>({"add_f32"});
  add.template operator()<F, [](F a, F b) { return minimum_number(a, b); }>(
      {"fmin", "min_f32", "min_num_f32"});
  add.template operator()<F, [](F a, F b) { return maximum_number(a, b); }>(
      {"fmax", "max_f32", "max_num_f32"});
  add.template operator()<D, [](D a, D b) { return a + b; }>({"add_f64"});
  add.template operator()<D, [](D a, D b) { return minimum_number(a, b); }>(
      {"fmin_x2", "min_f64", "min_num_f64"});
  add.template operator()<D, [](D a, D b) { return maximum_number(a, b); }>(
      {"fmax_x2", "max_f64", "max_num_f64"});
  add.template operator()<HH, [](HH a, HH b) { return sum(a, b); }>({"pk_add_f16"});
  add.template operator()<BB, [](BB a, BB b) { return sum(a, b); }>({"pk_add_bf16"});
}

}  // namespace kernelgen::amdgpu
