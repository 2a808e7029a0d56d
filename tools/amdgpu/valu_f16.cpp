#include <cmath>
#include <numbers>

#include "float_math.hpp"

// f16 in a half of a register. Sums, products, quotients and roots of halves round once, though the host computes them in
// f32: 24 bits are at least 2 * 11 + 2.
namespace kernelgen::amdgpu {
namespace {

using H = Half;

template <auto Function>
Opcode transcendental() {
  return lanes<[](H x) { return static_cast<H>(Function(static_cast<double>(x))); }>(Pipe::transcendental);
}
double turns(double x, double (*function)(double)) {
  if (std::isinf(x)) return std::numeric_limits<double>::quiet_NaN();
  return function(2 * std::numbers::pi * (x - std::floor(x)));
}
H in_float(H x, float (*function)(float)) { return static_cast<H>(function(static_cast<float>(x))); }

Opcode keeping_high(Opcode opcode) {
  opcode.keeps_high = true;
  return opcode;
}

}  // namespace

void add_half(Opcodes& t) {
  t["v_add_f16"] = lanes<[](H a, H b) { return static_cast<H>(a + b); }>();
  t["v_sub_f16"] = lanes<[](H a, H b) { return static_cast<H>(a - b); }>();
  t["v_subrev_f16"] = lanes<[](H a, H b) { return static_cast<H>(b - a); }>();
  t["v_mul_f16"] = lanes<[](H a, H b) { return static_cast<H>(a * b); }>();
  add(t, lanes<[](H a, H b) { return minimum_number(a, b); }>(), "v_min_f16", "v_min_num_f16");
  add(t, lanes<[](H a, H b) { return maximum_number(a, b); }>(), "v_max_f16", "v_max_num_f16");
  t["v_minimum_f16"] = lanes<[](H a, H b) { return minimum(a, b); }>();
  t["v_maximum_f16"] = lanes<[](H a, H b) { return maximum(a, b); }>();
  // gfx9's VOP3 forms with op_sel leave the half that they do not write.
  t["v_fma_f16"] = keeping_high(lanes<[](H a, H b, H c) { return fused(a, b, c); }>());
  t["v_fmac_f16"] = accumulating<[](H a, H b, H c) { return fused(a, b, c); }>();
  t["v_fmamk_f16"] = lanes<[](H a, H k, H b) { return fused(a, k, b); }>();
  t["v_fmaak_f16"] = lanes<[](H a, H b, H k) { return fused(a, b, k); }>();
  t["v_mad_f16"] =
      keeping_high(lanes<[](H a, H b, H c) { return static_cast<H>(static_cast<H>(a * b) + c); }>());
  t["v_mac_f16"] = accumulating<[](H a, H b, H c) { return static_cast<H>(static_cast<H>(a * b) + c); }>();
  t["v_madmk_f16"] = t["v_madak_f16"] =
      lanes<[](H a, H b, H c) { return static_cast<H>(static_cast<H>(a * b) + c); }>();
  const auto three = [&](auto opcode, auto... names) { add(t, keeping_high(opcode), names...); };
  three(lanes<[](H a, H b, H c) { return minimum_number(minimum_number(a, b), c); }>(), "v_min3_f16",
        "v_min3_num_f16");
  three(lanes<[](H a, H b, H c) { return maximum_number(maximum_number(a, b), c); }>(), "v_max3_f16",
        "v_max3_num_f16");
  three(lanes<[](H a, H b, H c) { return median(a, b, c); }>(), "v_med3_f16", "v_med3_num_f16");
  three(lanes<[](H a, H b, H c) { return minimum_number(maximum_number(a, b), c); }>(), "v_maxmin_f16",
        "v_maxmin_num_f16");
  three(lanes<[](H a, H b, H c) { return maximum_number(minimum_number(a, b), c); }>(), "v_minmax_f16",
        "v_minmax_num_f16");
  three(lanes<[](H a, H b, H c) { return minimum(minimum(a, b), c); }>(), "v_minimum3_f16");
  three(lanes<[](H a, H b, H c) { return maximum(maximum(a, b), c); }>(), "v_maximum3_f16");
  three(lanes<[](H a, H b, H c) { return minimum(maximum(a, b), c); }>(), "v_maximumminimum_f16");
  three(lanes<[](H a, H b, H c) { return maximum(minimum(a, b), c); }>(), "v_minimummaximum_f16");
  three(lanes<[](H a, H b, H c) { return division_fixed(a, b, c); }>(), "v_div_fixup_f16");

  t["v_floor_f16"] = lanes<[](H a) { return in_float(a, std::floor); }>();
  t["v_ceil_f16"] = lanes<[](H a) { return in_float(a, std::ceil); }>();
  t["v_trunc_f16"] = lanes<[](H a) { return in_float(a, std::trunc); }>();
  t["v_rndne_f16"] = lanes<[](H a) { return rounded_even(a); }>();
  t["v_fract_f16"] = lanes<[](H a) {
    return static_cast<H>(fraction_of(static_cast<float>(a))) == H(1)
               ? of_bits<H>(0x3bff)
               : static_cast<H>(fraction_of(static_cast<float>(a)));
  }>();
  t["v_frexp_mant_f16"] = lanes<[](H a) { return mantissa_of(a); }>();
  t["v_frexp_exp_i16_f16"] = lanes<[](H a) { return static_cast<std::int16_t>(exponent_of(a)); }>();
  t["v_ldexp_f16"] = lanes<[](H a, std::int16_t n) { return scaled(a, n); }>();

  t["v_rcp_f16"] = transcendental<[](double x) { return 1 / x; }>();
  t["v_rsq_f16"] = transcendental<[](double x) { return 1 / std::sqrt(x); }>();
  t["v_sqrt_f16"] = transcendental<[](double x) { return std::sqrt(x); }>();
  t["v_exp_f16"] = transcendental<[](double x) { return std::exp2(x); }>();
  t["v_log_f16"] = transcendental<[](double x) { return std::log2(x); }>();
  t["v_sin_f16"] = transcendental<[](double x) { return turns(x, std::sin); }>();
  t["v_cos_f16"] = transcendental<[](double x) { return turns(x, std::cos); }>();
}

}  // namespace kernelgen::amdgpu
