#include <cmath>
#include <numbers>

#include "float_math.hpp"

// f32. "RDNA3 Instruction Set Architecture" and "AMD Instinct MI300 ISA", VOP1, VOP2, VOP3.
namespace kernelgen::amdgpu {
namespace {

using F = float;
using U = std::uint32_t;
using I = std::int32_t;

/// Transcendental instructions take and give denormals as zeros: what LLVM assumes of them (AMDGPULegalizerInfo scales
/// around that). Elsewhere the correctly rounded result stands for the hardware's, which is within 1 ulp.
F normal_or_zero(F x) { return exponent_field(x) == 0 ? with_sign(0.0f, is_negative(x)) : x; }

template <auto Function>
Opcode transcendental() {
  return lanes<[](F x) {
    return normal_or_zero(static_cast<F>(Function(static_cast<double>(normal_or_zero(x)))));
  }>(Pipe::transcendental);
}

/// 0 times anything is 0.
F legacy_product(F a, F b) { return a == 0 || b == 0 ? 0.0f : a * b; }
F without_denormals(F x) { return normal_or_zero(x); }

double turns(double x, double (*function)(double)) {
  if (std::isinf(x)) return std::numeric_limits<double>::quiet_NaN();
  return function(2 * std::numbers::pi * (x - std::floor(x)));
}

/// a * b + c, times 2^exponent, rounded once.
F scaled_sum(F a, F b, F c, int exponent) {
  const double product = static_cast<double>(a) * static_cast<double>(b);  // exact
  double sum = product + static_cast<double>(c);
  // To odd, so that rounding it again does no harm. The error of a sum by Knuth's two-sum.
  const double back = sum - product, error = (product - (sum - back)) + (static_cast<double>(c) - back);
  if (is_finite(sum) && error != 0 && (bits_of(sum) & 1) == 0)
    sum = of_bits<double>(bits_of(sum) + ((error > 0) == (sum > 0) ? 1 : ~std::uint64_t{0}));
  return static_cast<F>(std::ldexp(sum, exponent));
}

// Faces of a cube, as textures have them.
F cube(F x, F y, F z, int what) {
  const F ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  const int major = az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
  if (what == 0) return static_cast<F>(2 * major + ((major == 2 ? z : major == 1 ? y : x) < 0));
  if (what == 1) return 2 * (major == 2 ? z : major == 1 ? y : x);
  if (what == 2) return major == 2 ? (z < 0 ? -x : x) : major == 1 ? x : (x < 0 ? z : -z);
  return major == 1 ? (y < 0 ? -z : z) : -y;
}

}  // namespace

void add_float(Opcodes& t) {
  t["v_add_f32"] = lanes<[](F a, F b) { return a + b; }>();
  t["v_sub_f32"] = lanes<[](F a, F b) { return a - b; }>();
  t["v_subrev_f32"] = lanes<[](F a, F b) { return b - a; }>();
  t["v_mul_f32"] = lanes<[](F a, F b) { return a * b; }>();
  add(t, lanes<[](F a, F b) { return legacy_product(a, b); }>(), "v_mul_legacy_f32", "v_mul_dx9_zero_f32");
  add(t, lanes<[](F a, F b) { return minimum_number(a, b); }>(), "v_min_f32", "v_min_num_f32");
  add(t, lanes<[](F a, F b) { return maximum_number(a, b); }>(), "v_max_f32", "v_max_num_f32");
  t["v_minimum_f32"] = lanes<[](F a, F b) { return minimum(a, b); }>();
  t["v_maximum_f32"] = lanes<[](F a, F b) { return maximum(a, b); }>();
  t["v_fma_f32"] = lanes<[](F a, F b, F c) { return std::fma(a, b, c); }>();
  add(t, accumulating<[](F a, F b, F c) { return std::fma(a, b, c); }>(), "v_fmac_f32");
  t["v_fmamk_f32"] = lanes<[](F a, F k, F b) { return std::fma(a, k, b); }>();
  t["v_fmaak_f32"] = lanes<[](F a, F b, F k) { return std::fma(a, b, k); }>();
  // Not fused, and without denormals whatever the mode.
  t["v_mad_f32"] = lanes<[](F a, F b, F c) {
    return without_denormals(without_denormals(without_denormals(a) * without_denormals(b)) +
                             without_denormals(c));
  }>();
  t["v_mac_f32"] = t["v_mad_f32"];
  t["v_mac_f32"].accumulates = true;
  t["v_madmk_f32"] = t["v_madak_f32"] = t["v_mad_f32"];
  add(t, lanes<[](F a, F b, F c) { return legacy_product(a, b) + c; }>(), "v_mad_legacy_f32");
  add(t, lanes<[](F a, F b, F c) { return a == 0 || b == 0 ? 0.0f + c : std::fma(a, b, c); }>(),
      "v_fma_legacy_f32", "v_fma_dx9_zero_f32");
  add(t, accumulating<[](F a, F b, F c) { return a == 0 || b == 0 ? 0.0f + c : std::fma(a, b, c); }>(),
      "v_fmac_legacy_f32", "v_fmac_dx9_zero_f32");
  add(t, lanes<[](F a, F b, F c) { return minimum_number(minimum_number(a, b), c); }>(), "v_min3_f32",
      "v_min3_num_f32");
  add(t, lanes<[](F a, F b, F c) { return maximum_number(maximum_number(a, b), c); }>(), "v_max3_f32",
      "v_max3_num_f32");
  add(t, lanes<[](F a, F b, F c) { return median(a, b, c); }>(), "v_med3_f32", "v_med3_num_f32");
  add(t, lanes<[](F a, F b, F c) { return minimum_number(maximum_number(a, b), c); }>(), "v_maxmin_f32",
      "v_maxmin_num_f32");
  add(t, lanes<[](F a, F b, F c) { return maximum_number(minimum_number(a, b), c); }>(), "v_minmax_f32",
      "v_minmax_num_f32");
  t["v_minimum3_f32"] = lanes<[](F a, F b, F c) { return minimum(minimum(a, b), c); }>();
  t["v_maximum3_f32"] = lanes<[](F a, F b, F c) { return maximum(maximum(a, b), c); }>();
  t["v_maximumminimum_f32"] = lanes<[](F a, F b, F c) { return minimum(maximum(a, b), c); }>();
  t["v_minimummaximum_f32"] = lanes<[](F a, F b, F c) { return maximum(minimum(a, b), c); }>();

  t["v_floor_f32"] = lanes<[](F a) { return std::floor(a); }>();
  t["v_ceil_f32"] = lanes<[](F a) { return std::ceil(a); }>();
  t["v_trunc_f32"] = lanes<[](F a) { return std::trunc(a); }>();
  t["v_rndne_f32"] = lanes<[](F a) { return rounded_even(a); }>();
  t["v_fract_f32"] = lanes<[](F a) { return fraction_of(a); }>();
  t["v_frexp_mant_f32"] = lanes<[](F a) { return mantissa_of(a); }>();
  t["v_frexp_exp_i32_f32"] = lanes<[](F a) { return exponent_of(a); }>();
  t["v_ldexp_f32"] = lanes<[](F a, I n) { return scaled(a, n); }>();

  t["v_rcp_f32"] = transcendental<[](double x) { return 1 / x; }>();
  t["v_rcp_iflag_f32"] = t["v_rcp_f32"];
  t["v_rsq_f32"] = transcendental<[](double x) { return 1 / std::sqrt(x); }>();
  t["v_sqrt_f32"] = transcendental<[](double x) { return std::sqrt(x); }>();
  t["v_exp_f32"] = transcendental<[](double x) { return std::exp2(x); }>();
  t["v_log_f32"] = transcendental<[](double x) { return std::log2(x); }>();
  t["v_exp_legacy_f32"] = t["v_exp_f32"];
  t["v_log_legacy_f32"] = t["v_log_f32"];
  // Of turns, not radians.
  t["v_sin_f32"] = transcendental<[](double x) { return turns(x, std::sin); }>();
  t["v_cos_f32"] = transcendental<[](double x) { return turns(x, std::cos); }>();

  t["v_div_scale_f32"] = lanes<[](F a, F b, F c) { return division_scaled(a, b, c); }>();
  t["v_div_fmas_f32"] = lanes<[](F a, F b, F c, VccBit scale) {
    return scale.set ? scaled_sum(a, b, c, exponent_field(c) > 127 ? 64 : -64) : std::fma(a, b, c);
  }>();
  // Steps that overflow give NaN, which the documents do not mention: the quotient is infinite then.
  t["v_div_fixup_f32"] =
      lanes<[](F a, F b, F c) { return division_fixed(is_nan(a) ? infinity<F>() : a, b, c); }>();

  t["v_cubeid_f32"] = lanes<[](F x, F y, F z) { return cube(x, y, z, 0); }>();
  t["v_cubema_f32"] = lanes<[](F x, F y, F z) { return cube(x, y, z, 1); }>();
  t["v_cubesc_f32"] = lanes<[](F x, F y, F z) { return cube(x, y, z, 2); }>();
  t["v_cubetc_f32"] = lanes<[](F x, F y, F z) { return cube(x, y, z, 3); }>();
}

}  // namespace kernelgen::amdgpu
