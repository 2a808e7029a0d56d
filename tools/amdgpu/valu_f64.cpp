#include <cmath>
#include <limits>
#include <numbers>

#include "float_math.hpp"

// f64 in two registers.
namespace kernelgen::amdgpu {
namespace {

using D = double;

/// v_trig_preop_f64: 53 bits of 2/pi from a bit on that follows from the exponent of `x` and `n`.
D trig_preop(D x, std::uint32_t n) {
  // The first 1201 bits of 2/pi (a = 0x0.A2F9836E4E44152...).
  static constexpr std::uint32_t two_over_pi[] = {
      0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561,
      0xB7246E3A, 0x424DD2E0, 0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484,
      0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4, 0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F,
      0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D, 0x7527BAC7, 0xEBE5F17B,
      0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B6BAB};
  const int exponent = exponent_field(x);
  int shift = static_cast<int>(n & 31) * 53;
  if (exponent > 1077) shift += exponent - 1077;
  std::uint64_t bits = 0;
  for (int i = 0; i < 53; ++i) {
    const int at = shift + i;
    const bool bit = at < 1201 && (two_over_pi[at / 32] >> (31 - at % 32) & 1) != 0;
    bits = bits << 1 | bit;
  }
  const int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
  return std::ldexp(static_cast<D>(bits), scale);
}

/// (a * b + c) / 2^exponent, rounded once if |a * b| <= |c|, as a division's last step has it.
D sum_scaled_down(D a, D b, D c, int exponent) {
  const D sum = std::fma(a, b, c), result = std::ldexp(sum, -exponent);
  // By how much each rounding fell short: the sum's by Dekker's fast two-sum, of which c - sum is exact; a subnormal result's
  // exactly. The second goes wrong where the sum is in the middle of two results and the exact sum is not.
  const D of_sum = std::fma(a, b, c - sum), of_result = sum - std::ldexp(result, exponent);
  const D half_unit = std::ldexp(std::numeric_limits<D>::denorm_min(), exponent - 1);
  const bool is_too_short =
      std::fabs(of_result) == half_unit && of_sum != 0 && std::signbit(of_sum) == std::signbit(of_result);
  return is_too_short ? std::nextafter(result, std::copysign(infinity<D>(), of_result)) : result;
}

}  // namespace

void add_double(Opcodes& t) {
  t["v_add_f64"] = lanes<[](D a, D b) { return a + b; }>();
  t["v_mul_f64"] = lanes<[](D a, D b) { return a * b; }>();
  t["v_fma_f64"] = lanes<[](D a, D b, D c) { return std::fma(a, b, c); }>();
  t["v_fmac_f64"] = accumulating<[](D a, D b, D c) { return std::fma(a, b, c); }>();
  add(t, lanes<[](D a, D b) { return minimum_number(a, b); }>(), "v_min_f64", "v_min_num_f64");
  add(t, lanes<[](D a, D b) { return maximum_number(a, b); }>(), "v_max_f64", "v_max_num_f64");
  t["v_minimum_f64"] = lanes<[](D a, D b) { return minimum(a, b); }>();
  t["v_maximum_f64"] = lanes<[](D a, D b) { return maximum(a, b); }>();
  t["v_floor_f64"] = lanes<[](D a) { return std::floor(a); }>();
  t["v_ceil_f64"] = lanes<[](D a) { return std::ceil(a); }>();
  t["v_trunc_f64"] = lanes<[](D a) { return std::trunc(a); }>();
  t["v_rndne_f64"] = lanes<[](D a) { return rounded_even(a); }>();
  t["v_fract_f64"] = lanes<[](D a) { return fraction_of(a); }>();
  t["v_frexp_mant_f64"] = lanes<[](D a) { return mantissa_of(a); }>();
  t["v_frexp_exp_i32_f64"] = lanes<[](D a) { return exponent_of(a); }>();
  t["v_ldexp_f64"] = lanes<[](D a, std::int32_t n) { return std::ldexp(a, n); }>();
  // The hardware's have some 14 bits less; LLVM refines them.
  t["v_rcp_f64"] = lanes<[](D a) { return 1 / a; }>(Pipe::transcendental);
  t["v_rsq_f64"] = lanes<[](D a) { return 1 / std::sqrt(a); }>(Pipe::transcendental);
  t["v_sqrt_f64"] = lanes<[](D a) { return std::sqrt(a); }>(Pipe::transcendental);
  t["v_div_scale_f64"] = lanes<[](D a, D b, D c) { return division_scaled(a, b, c); }>();
  t["v_div_fmas_f64"] = lanes<[](D a, D b, D c, VccBit scale) {
    if (!scale.set) return std::fma(a, b, c);
    const bool is_large = (exponent_field(c) > 1023);
    return is_large ? std::ldexp(std::fma(a, b, c), 128) : sum_scaled_down(a, b, c, 128);
  }>();
  // Steps that overflow give NaN, which the documents do not mention: the quotient is infinite then.
  t["v_div_fixup_f64"] =
      lanes<[](D a, D b, D c) { return division_fixed(is_nan(a) ? infinity<D>() : a, b, c); }>();
  t["v_trig_preop_f64"] = lanes<[](D a, std::uint32_t n) { return trig_preop(a, n); }>();
}

}  // namespace kernelgen::amdgpu
