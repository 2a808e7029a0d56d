#pragma once
/// Conversions between narrow floats and f32, with one rounding to nearest even. Each dialect includes this
/// after its primitives.
namespace kg {

KG_DEVICE f32 widen(f16 x) { return native::widen(x); }
KG_DEVICE f32 widen(bf16 x) { return bit_cast<f32>(static_cast<u32>(x.bits) << 16); }
KG_DEVICE f32 widen(f8e4m3 x) {
#if defined(KG_NATIVE_F8)
  return native::widen(x);
#else
  // The bits, shifted to f32's fields, are the value times 2^-120, also for subnormals.
  const u32 magnitude = x.bits & 0x7fu;
  const f32 value = bit_cast<f32>(magnitude << 20) * 0x1p120f;
  const u32 bits = magnitude == 0x7f ? 0x7fc00000u : bit_cast<u32>(value);
  return bit_cast<f32>(bits | (x.bits & 0x80u) << 24);
#endif
}
template <class T, class = enable_if<!is_narrow_float<T>>>
KG_DEVICE T widen(T x) {
  return x;
}

template <class To>
KG_DEVICE To narrow(f32 x);

template <>
KG_DEVICE f16 narrow<f16>(f32 x) {
  return native::to_f16(x);
}
template <>
KG_DEVICE bf16 narrow<bf16>(f32 x) {
#if defined(KG_NATIVE_BF16)
  return native::to_bf16(x);
#else
  const u32 bits = bit_cast<u32>(x);
  const u32 rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  const u32 quiet_nan = bits >> 16 | 0x40u;
  return {static_cast<u16>(x != x ? quiet_nan : rounded)};
#endif
}
template <>
KG_DEVICE f8e4m3 narrow<f8e4m3>(f32 x) {
#if defined(KG_NATIVE_F8)
  return native::to_f8e4m3(x);
#else
  const u32 bits = bit_cast<u32>(x);
  const u32 magnitude = bits & 0x7fffffffu;
  const u32 normal = ((magnitude + 0x7ffffu + (magnitude >> 20 & 1)) >> 20) - (120u << 3);
  // Below 2^-6 the spacing is 2^-9, the last bit of 2^14 in f32: the addition rounds.
  const u32 subnormal = bit_cast<u32>(bit_cast<f32>(magnitude) + 0x1p14f) - 0x46800000u;
  u32 y = magnitude < 0x3c800000u ? subnormal : normal;
  y = magnitude >= 0x43e00000u ? 0x7eu : y;  // saturates at 448
  y = magnitude > 0x7f800000u ? 0x7fu : y;
  return {static_cast<u8>(y | (bits >> 24 & 0x80u))};
#endif
}

}  // namespace kg
