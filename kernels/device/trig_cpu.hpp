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

/// x = quadrant · π/2 + r, with |r| at most slightly above π/4.
struct Quadrant {
  f64 r;
  i32 quadrant;
};

KG_DEVICE Quadrant reduce(f32 x) {
  const u32 bits = __builtin_bit_cast(u32, x);
  const i32 exponent = static_cast<i32>(bits >> 23 & 0xff) - 150;  // x = ± 24-bit integer · 2^exponent
  const bool large = exponent >= 7 && exponent <= 104;
  const PowerModulo power = power_modulo[large ? exponent - 7 : 0];
  const f64 mantissa = static_cast<i32>((bits & 0x7fffffu) | 0x800000u) * (bits >> 31 ? -1.0 : 1.0);
  const f64 high = large ? mantissa * power.high : static_cast<f64>(x);
  const f64 low = large ? mantissa * power.low : 0.0;
  const f64 n = __builtin_rint(high * 0x1.45f306dc9c883p-1);
  f64 r = __builtin_fma(n, -0x1.921fb54442d18p+0, high);
  r = __builtin_fma(n, -0x1.1a62633145c07p-54, r) + low;
  return {r, static_cast<i32>(x == x && exponent <= 104 ? n : 0.0)};
}

/// sin(r + quadrant · π/2). Minimax on [0, π/4] by Sollya; errors 2^-36 and 2^-43.
KG_DEVICE f32 sine(Quadrant q) {
  const f64 t = q.r * q.r;
  f64 s = 0x1.6dbe3526737f1p-19;
  s = __builtin_fma(s, t, -0x1.a013a84765a72p-13);
  s = __builtin_fma(s, t, 0x1.11110defe0cp-7);
  s = __builtin_fma(s, t, -0x1.555555545e738p-3);
  s = __builtin_fma(q.r * t, s, q.r);
  f64 c = -0x1.2474f5ed2d8c7p-22;
  c = __builtin_fma(c, t, 0x1.a0129947b7ee7p-16);
  c = __builtin_fma(c, t, -0x1.6c16bae6acc2fp-10);
  c = __builtin_fma(c, t, 0x1.5555555150443p-5);
  c = __builtin_fma(c, t, -0x1.fffffffffe6ap-2);
  c = __builtin_fma(c, t, 1.0);
  const f64 y = q.quadrant & 1 ? c : s;
  return static_cast<f32>(q.quadrant & 2 ? -y : y);
}

}  // namespace detail

KG_DEVICE float sin(float x) {
  const float y = detail::sine(detail::reduce(x));
  return x - x != 0 ? x - x : x == 0 ? x : y;  // NaN for infinities and NaN; keeps the sign of zero
}
KG_DEVICE float cos(float x) {
  detail::Quadrant q = detail::reduce(x);
  ++q.quadrant;
  const float y = detail::sine(q);
  return x - x != 0 ? x - x : y;
}

}  // namespace kg::native
