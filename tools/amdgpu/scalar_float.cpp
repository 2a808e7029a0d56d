#include <cmath>

#include "float_math.hpp"
#include "scalar.hpp"

// Floats of the scalar unit: gfx11.5 and gfx12 (RDNA4 ISA, SOP1, SOP2 and SOPC; VOP3's v_s_).
namespace kernelgen::amdgpu {
namespace {

using F = float;
using H = Half;
using I = std::int32_t;
using U = std::uint32_t;

/// A half in the low bits of a register.
H half(U word) { return std::bit_cast<H>(static_cast<std::uint16_t>(word)); }
U word(H value) { return std::bit_cast<std::uint16_t>(value); }
H in_float(U x, float (*function)(float)) { return static_cast<H>(function(static_cast<F>(half(x)))); }

template <class To>
To truncated(F x) {
  if (is_nan(x)) return 0;
  const double value = std::trunc(static_cast<double>(x));
  constexpr double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  return value <= low    ? std::numeric_limits<To>::min()
         : value >= high ? std::numeric_limits<To>::max()
                         : static_cast<To>(value);
}
U pair_toward_zero(F a, F b) {
  const auto one = [](F x) {
    const H nearest = static_cast<H>(x);
    const U bits = word(nearest);
    return is_nan(x) || std::fabs(static_cast<F>(nearest)) <= std::fabs(x) ? bits : bits - 1;
  };
  return one(a) | one(b) << 16;
}

F normal_or_zero(F x) { return exponent_field(x) == 0 ? with_sign(0.0f, is_negative(x)) : x; }
template <auto Function>
Opcode transcendental() {
  Opcode opcode = scalar<[](F x) {
    return normal_or_zero(static_cast<F>(Function(static_cast<double>(normal_or_zero(x)))));
  }>();
  opcode.pipe = Pipe::transcendental;
  return opcode;
}
template <auto Function>
Opcode transcendental_half() {
  Opcode opcode = scalar<[](U x) { return word(static_cast<H>(Function(static_cast<double>(half(x))))); }>();
  opcode.pipe = Pipe::transcendental;
  return opcode;
}

/// Of floats and of halves, which are compared as floats.
template <auto Compare>
void add_comparison(Opcodes& t, std::string_view name_32, std::string_view name_16) {
  t[name_32] = scalar<[](F a, F b) { return Compare(a, b); }>();
  t[name_16] = scalar<[](U a, U b) { return Compare(static_cast<F>(half(a)), static_cast<F>(half(b))); }>();
}

void add_comparisons(Opcodes& t) {
  add_comparison<[](F a, F b) { return a < b; }>(t, "s_cmp_lt_f32", "s_cmp_lt_f16");
  add_comparison<[](F a, F b) { return a == b; }>(t, "s_cmp_eq_f32", "s_cmp_eq_f16");
  add_comparison<[](F a, F b) { return a <= b; }>(t, "s_cmp_le_f32", "s_cmp_le_f16");
  add_comparison<[](F a, F b) { return b < a; }>(t, "s_cmp_gt_f32", "s_cmp_gt_f16");
  add_comparison<[](F a, F b) { return a < b || b < a; }>(t, "s_cmp_lg_f32", "s_cmp_lg_f16");
  add_comparison<[](F a, F b) { return b <= a; }>(t, "s_cmp_ge_f32", "s_cmp_ge_f16");
  add_comparison<[](F a, F b) { return a == a && b == b; }>(t, "s_cmp_o_f32", "s_cmp_o_f16");
  add_comparison<[](F a, F b) { return a != a || b != b; }>(t, "s_cmp_u_f32", "s_cmp_u_f16");
  add_comparison<[](F a, F b) { return !(b <= a); }>(t, "s_cmp_nge_f32", "s_cmp_nge_f16");
  add_comparison<[](F a, F b) { return !(a < b || b < a); }>(t, "s_cmp_nlg_f32", "s_cmp_nlg_f16");
  add_comparison<[](F a, F b) { return !(b < a); }>(t, "s_cmp_ngt_f32", "s_cmp_ngt_f16");
  add_comparison<[](F a, F b) { return !(a <= b); }>(t, "s_cmp_nle_f32", "s_cmp_nle_f16");
  add_comparison<[](F a, F b) { return !(a == b); }>(t, "s_cmp_neq_f32", "s_cmp_neq_f16");
  add_comparison<[](F a, F b) { return !(a < b); }>(t, "s_cmp_nlt_f32", "s_cmp_nlt_f16");
}

}  // namespace

void add_scalar_float(Opcodes& t) {
  t["s_add_f32"] = scalar<[](F a, F b) { return a + b; }>();
  t["s_sub_f32"] = scalar<[](F a, F b) { return a - b; }>();
  t["s_mul_f32"] = scalar<[](F a, F b) { return a * b; }>();
  add(t, scalar<[](F a, F b) { return minimum_number(a, b); }>(), "s_min_f32", "s_min_num_f32");
  add(t, scalar<[](F a, F b) { return maximum_number(a, b); }>(), "s_max_f32", "s_max_num_f32");
  t["s_minimum_f32"] = scalar<[](F a, F b) { return minimum(a, b); }>();
  t["s_maximum_f32"] = scalar<[](F a, F b) { return maximum(a, b); }>();
  t["s_fmac_f32"] = scalar_accumulating<[](F a, F b, F c) { return std::fma(a, b, c); }>();
  t["s_fmamk_f32"] = scalar<[](F a, F k, F b) { return std::fma(a, k, b); }>();
  t["s_fmaak_f32"] = scalar<[](F a, F b, F k) { return std::fma(a, b, k); }>();
  t["s_floor_f32"] = scalar<[](F a) { return std::floor(a); }>();
  t["s_ceil_f32"] = scalar<[](F a) { return std::ceil(a); }>();
  t["s_trunc_f32"] = scalar<[](F a) { return std::trunc(a); }>();
  t["s_rndne_f32"] = scalar<[](F a) { return rounded_even(a); }>();
  t["s_cvt_f32_i32"] = scalar<[](I a) { return static_cast<F>(a); }>();
  t["s_cvt_f32_u32"] = scalar<[](U a) { return static_cast<F>(a); }>();
  t["s_cvt_i32_f32"] = scalar<[](F a) { return truncated<I>(a); }>();
  t["s_cvt_u32_f32"] = scalar<[](F a) { return truncated<U>(a); }>();
  t["s_cvt_f32_f16"] = scalar<[](U a) { return static_cast<F>(half(a)); }>();
  t["s_cvt_hi_f32_f16"] = scalar<[](U a) { return static_cast<F>(half(a / 65536)); }>();
  t["s_cvt_f16_f32"] = scalar<[](F a) { return word(static_cast<H>(a)); }>();
  t["s_cvt_pk_rtz_f16_f32"] = scalar<[](F a, F b) { return pair_toward_zero(a, b); }>();
  t["s_add_f16"] = scalar<[](U a, U b) { return word(static_cast<H>(half(a) + half(b))); }>();
  t["s_sub_f16"] = scalar<[](U a, U b) { return word(static_cast<H>(half(a) - half(b))); }>();
  t["s_mul_f16"] = scalar<[](U a, U b) { return word(static_cast<H>(half(a) * half(b))); }>();
  t["s_fmac_f16"] =
      scalar_accumulating<[](U a, U b, U c) { return word(fused(half(a), half(b), half(c))); }>();
  add(t, scalar<[](U a, U b) { return word(minimum_number(half(a), half(b))); }>(), "s_min_f16",
      "s_min_num_f16");
  add(t, scalar<[](U a, U b) { return word(maximum_number(half(a), half(b))); }>(), "s_max_f16",
      "s_max_num_f16");
  t["s_minimum_f16"] = scalar<[](U a, U b) { return word(minimum(half(a), half(b))); }>();
  t["s_maximum_f16"] = scalar<[](U a, U b) { return word(maximum(half(a), half(b))); }>();
  t["s_floor_f16"] = scalar<[](U a) { return word(in_float(a, std::floor)); }>();
  t["s_ceil_f16"] = scalar<[](U a) { return word(in_float(a, std::ceil)); }>();
  t["s_trunc_f16"] = scalar<[](U a) { return word(in_float(a, std::trunc)); }>();
  t["s_rndne_f16"] = scalar<[](U a) { return word(rounded_even(half(a))); }>();
  add_comparisons(t);
  t["v_s_exp_f32"] = transcendental<[](double x) { return std::exp2(x); }>();
  t["v_s_log_f32"] = transcendental<[](double x) { return std::log2(x); }>();
  t["v_s_rcp_f32"] = transcendental<[](double x) { return 1 / x; }>();
  t["v_s_rsq_f32"] = transcendental<[](double x) { return 1 / std::sqrt(x); }>();
  t["v_s_sqrt_f32"] = transcendental<[](double x) { return std::sqrt(x); }>();
  t["v_s_exp_f16"] = transcendental_half<[](double x) { return std::exp2(x); }>();
  t["v_s_log_f16"] = transcendental_half<[](double x) { return std::log2(x); }>();
  t["v_s_rcp_f16"] = transcendental_half<[](double x) { return 1 / x; }>();
  t["v_s_rsq_f16"] = transcendental_half<[](double x) { return 1 / std::sqrt(x); }>();
  t["v_s_sqrt_f16"] = transcendental_half<[](double x) { return std::sqrt(x); }>();
}

}  // namespace kernelgen::amdgpu
