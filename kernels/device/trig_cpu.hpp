#pragma once
/// sin and cos of f32 on CPUs, computed in f64 without branches so that loops vectorize. Error at most 0.51
/// ulp.
#include "device/types.hpp"

namespace kg::native {
namespace detail {

/// 2^e mod 2π for e = 7 … 104, in [-π, π]: `high` has 29 bits, so that 24 bits times it are exact; `low` is
/// the rest.
struct PowerModulo {
  f64 high, low;
};
inline constexpr PowerModulo power_modulo[] = {
    {0x1.2b0bad5p+1, 0x1.63d0d3e0a0805p-29},   {-0x1.9c501fcp+0, 0x1.4c71cb18f8747p-30},
    {0x1.87ef4adp+1, -0x1.244ae564858a6p-30},  {-0x1.460d4edp-3, -0x1.6ce9e652942fbp-35},
    {-0x1.460d4edp-2, -0x1.6ce9e652942fbp-34}, {-0x1.460d4edp-1, -0x1.6ce9e652942fbp-33},
    {-0x1.460d4edp+0, -0x1.6ce9e652942fbp-32}, {-0x1.460d4edp+1, -0x1.6ce9e652942fbp-31},
    {0x1.304999dp+0, -0x1.2a1861e90aa2fp-30},  {0x1.304999dp+1, -0x1.2a1861e90aa2fp-29},
    {-0x1.87586dep+0, -0x1.d666181b6831p-31},  {-0x1.87586dep+1, -0x1.d666181b6831p-30},
    {0x1.58e8ec1p-3, 0x1.6055432b92ab6p-34},   {0x1.58e8ec1p-2, 0x1.6055432b92ab6p-33},
    {0x1.58e8ec1p-1, 0x1.6055432b92ab6p-32},   {0x1.58e8ec1p+0, 0x1.6055432b92ab6p-31},
    {0x1.58e8ec1p+1, 0x1.6055432b92ab6p-30},   {-0x1.c9b6499p-1, 0x1.f76407b66f27fp-32},
    {-0x1.c9b6499p+0, 0x1.f76407b66f27fp-31},  {0x1.5a8921p+1, -0x1.c5ca73e0074b5p-30},
    {-0x1.bcb4a24p-1, 0x1.8ccc9eb33ee4bp-33},  {-0x1.bcb4a24p+0, 0x1.8ccc9eb33ee4bp-32},
    {0x1.678ac85p+1, -0x1.7b64161e6b807p-29},  {-0x1.54a767dp-1, -0x1.830ee719bc742p-33},
    {-0x1.54a767dp+0, -0x1.830ee719bc742p-32}, {-0x1.54a767dp+1, -0x1.830ee719bc742p-31},
    {0x1.ebc26b9p-1, 0x1.7f853a9f9a315p-31},   {0x1.ebc26b9p+0, 0x1.7f853a9f9a315p-30},
    {-0x1.387cfefp+1, -0x1.43c70f2a552a3p-30}, {0x1.668ad94p+0, 0x1.bb436614df386p-30},
    {0x1.668ad94p+1, 0x1.bb436614df386p-29},   {-0x1.5ca6dffp-1, 0x1.547827d3e6a98p-31},
    {-0x1.5ca6dffp+0, 0x1.547827d3e6a98p-30},  {-0x1.5ca6dffp+1, 0x1.547827d3e6a98p-29},
    {0x1.abc6aadp-1, -0x1.ad37711b6f34fp-32},  {0x1.abc6aadp+0, -0x1.ad37711b6f34fp-31},
    {-0x1.7878bfcp+1, 0x1.07fb853d839f2p-29},  {0x1.9a6f588p-2, 0x1.8afe657e60255p-32},
    {0x1.9a6f588p-1, 0x1.8afe657e60255p-31},   {0x1.9a6f588p+0, 0x1.8afe657e60255p-30},
    {-0x1.89d012p+1, -0x1.2cd4b96cc9422p-30},  {0x1.09f4684p-3, -0x1.6d7ee7008f78ap-34},
    {0x1.09f4684p-2, -0x1.6d7ee7008f78ap-33},  {0x1.09f4684p-1, -0x1.6d7ee7008f78ap-32},
    {0x1.09f4684p+0, -0x1.6d7ee7008f78ap-31},  {0x1.09f4684p+1, -0x1.6d7ee7008f78ap-30},
    {-0x1.10569a1p+1, 0x1.c4615b2aaf041p-31},  {0x1.0392367p+1, -0x1.f8cd206bc76f2p-30},
    {-0x1.1d1afdbp+1, -0x1.a35e2a08c3589p-33}, {0x1.d412de5p+0, -0x1.303030c53a4afp-33},
    {-0x1.502c8c4p+1, 0x1.b89137b293f04p-29},  {0x1.07cca43p+0, -0x1.b5d339984d648p-31},
    {0x1.07cca43p+1, -0x1.b5d339984d648p-30},  {-0x1.14a6223p+1, 0x1.462021976ea92p-32},
    {0x1.f5e64c5p+0, 0x1.cbc32a6a81c2ap-31},   {-0x1.2e591e3p+1, -0x1.3b872cff83e51p-29},
    {0x1.8f1a5c4p+0, -0x1.56965f290c0efp-31},  {0x1.8f1a5c4p+1, -0x1.56965f290c0efp-30},
    {-0x1.82ac837p-5, -0x1.ffc8577435554p-35}, {-0x1.82ac837p-4, -0x1.ffc8577435554p-34},
    {-0x1.82ac837p-3, -0x1.ffc8577435554p-33}, {-0x1.82ac837p-2, -0x1.ffc8577435554p-32},
    {-0x1.82ac837p-1, -0x1.ffc8577435554p-31}, {-0x1.82ac837p+0, -0x1.ffc8577435554p-30},
    {-0x1.82ac837p+1, -0x1.ffc8577435554p-29}, {0x1.ee66399p-3, -0x1.e27ecb3a5e429p-33},
    {0x1.ee66399p-2, -0x1.e27ecb3a5e429p-32},  {0x1.ee66399p-1, -0x1.e27ecb3a5e429p-31},
    {0x1.ee66399p+0, -0x1.e27ecb3a5e429p-30},  {-0x1.35d931p+1, -0x1.f3c6b791847c5p-36},
    {0x1.711a111p+0, 0x1.999a7567eb471p-33},   {0x1.711a111p+1, 0x1.999a7567eb471p-32},
    {-0x1.082d21ap-1, 0x1.13f76c94d82d9p-31},  {-0x1.082d21ap+0, 0x1.13f76c94d82d9p-30},
    {-0x1.082d21ap+1, 0x1.13f76c94d82d9p-29},  {0x1.13e5275p+1, 0x1.255e6d79d485fp-31},
    {-0x1.f8ea37dp+0, 0x1.c519d22095f25p-31},  {0x1.2b5532cp+1, -0x1.f814a975e080fp-30},
    {-0x1.9b2a0a2p+0, -0x1.97d6baaa5474cp-33}, {0x1.8915606p+1, 0x1.ee6deadf7a37dp-29},
    {-0x1.214a9b9p-3, -0x1.233b1d7415b3ap-35}, {-0x1.214a9b9p-2, -0x1.233b1d7415b3ap-34},
    {-0x1.214a9b9p-1, -0x1.233b1d7415b3ap-33}, {-0x1.214a9b9p+0, -0x1.233b1d7415b3ap-32},
    {-0x1.214a9b9p+1, -0x1.233b1d7415b3ap-31}, {0x1.c35466dp+0, -0x1.c0d33215184dcp-31},
    {-0x1.60eb03cp+1, 0x1.fc5b49815e257p-30},  {0x1.89a58c4p-1, 0x1.dc40bb622ebdap-33},
    {0x1.89a58c4p+0, 0x1.dc40bb622ebdap-32},   {0x1.89a58c4p+1, 0x1.dc40bb622ebdap-31},
    {-0x1.0f45205p-3, 0x1.96f36f8a530ep-34},   {-0x1.0f45205p-2, 0x1.96f36f8a530ep-33},
    {-0x1.0f45205p-1, 0x1.96f36f8a530ep-32},   {-0x1.0f45205p+0, 0x1.96f36f8a530ep-31},
    {-0x1.0f45205p+1, 0x1.96f36f8a530ep-30},   {0x1.05b529fp+1, -0x1.1e8f3903a0ae8p-31},
    {-0x1.18d516bp+1, 0x1.4f4fa1496ae26p-29},  {0x1.e52a7a6p+0, 0x1.8010098f35163p-30},
};

/// (-1)^n sin(r) for high + low = n π + r, r in [-π/2, π/2], n an integer for sin and an integer minus 1/2 for
/// cos. The polynomial is minimax, with an error of 2^-35 relative to sin(r).
template <bool is_cosine>
KG_DEVICE f32 half_turns(f64 high, f64 low) {
  // Adding 1.5 · 2^52 rounds to an integer and leaves it in the low bits.
  constexpr f64 shift = 0x1.8p52, turns = 0x1.45f306dc9c883p-2;
  const f64 shifted = is_cosine ? __builtin_fma(high, turns, 0.5) + shift : __builtin_fma(high, turns, shift);
  const f64 n = shifted - shift - (is_cosine ? 0.5 : 0.0);
  f64 r = __builtin_fma(n, -0x1.921fb54442d18p+1, high);
  r = __builtin_fma(n, -0x1.1a62633145c07p-53, r) + low;
  const f64 t = r * r;
  f64 p = -0x1.9a68851c2d918p-26;
  p = __builtin_fma(p, t, 0x1.71708007213dbp-19);
  p = __builtin_fma(p, t, -0x1.a017d99f65181p-13);
  p = __builtin_fma(p, t, 0x1.11110c49fe65fp-7);
  p = __builtin_fma(p, t, -0x1.55555547695d3p-3);
  const f64 y = r * __builtin_fma(p, t, 1.0);
  const u64 sign = __builtin_bit_cast(u64, shifted) << 63;
  return static_cast<f32>(__builtin_bit_cast(f64, __builtin_bit_cast(u64, y) ^ sign));
}

template <bool is_cosine>
KG_DEVICE f32 half_turns(f32 x) {
  const u32 bits = __builtin_bit_cast(u32, x);
  const i32 exponent = static_cast<i32>(bits >> 23 & 0xff) - 150;  // x = ± 24-bit integer · 2^exponent
  const bool large = exponent >= 7 && exponent <= 104;
  const PowerModulo power = power_modulo[large ? exponent - 7 : 0];
  const f64 mantissa = static_cast<i32>((bits & 0x7fffffu) | 0x800000u) * (bits >> 31 ? -1.0 : 1.0);
  // Infinities become NaN. Adding -0.0 keeps the sign of zero.
  return half_turns<is_cosine>(large ? mantissa * power.high : static_cast<f64>(x),
                               large ? mantissa * power.low : -0.0);
}

}  // namespace detail

KG_DEVICE float sin(float x) { return detail::half_turns<false>(x); }
KG_DEVICE float cos(float x) { return detail::half_turns<true>(x); }

}  // namespace kg::native

namespace kg {

/// An argument of at most 2^30, for which sin and cos read no table.
struct SmallAngle {
  f32 x;

  static KG_DEVICE bool holds(f32 x) { return __builtin_fabsf(x) <= 0x1p30f; }
};
KG_DEVICE f32 sin(SmallAngle a) { return native::detail::half_turns<false>(a.x, -0.0); }
KG_DEVICE f32 cos(SmallAngle a) { return native::detail::half_turns<true>(a.x, -0.0); }

}  // namespace kg
