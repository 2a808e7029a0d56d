#include <algorithm>
#include <cfenv>
#include <cmath>

#include "float_math.hpp"

// v_cvt_*.
namespace kernelgen::amdgpu {
namespace {

using U = std::uint32_t;
using I = std::int32_t;
using F = float;
using H = Half;
using D = double;

/// To an integer towards zero; what is outside saturates, NaN is 0.
template <class To, class From>
To truncated(From x) {
  if (is_nan(x)) return 0;
  const D value = std::trunc(static_cast<D>(x));
  constexpr D low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
  return value <= low    ? std::numeric_limits<To>::min()
         : value >= high ? std::numeric_limits<To>::max()
                         : static_cast<To>(value);
}

H toward_zero(F x) {
  const H nearest = static_cast<H>(x);
  if (is_nan(x) || std::fabs(static_cast<F>(nearest)) <= std::fabs(x)) return nearest;
  return of_bits<H>(static_cast<std::uint16_t>(bits_of(nearest) - 1));
}
U pair(std::uint16_t low, std::uint16_t high) { return low | U{high} << 16; }

std::uint16_t normalized_signed(D x) {
  return static_cast<std::uint16_t>(truncated<std::int16_t>(std::rint(std::clamp(x, -1.0, 1.0) * 32767)));
}
std::uint16_t normalized_unsigned(D x) {
  return static_cast<std::uint16_t>(std::rint(std::clamp(is_nan(x) ? 0.0 : x, 0.0, 1.0) * 65535));
}

F byte_of(U word, int which) { return static_cast<F>(word >> (8 * which) & 0xff); }
template <int N>
Opcode byte_to_float() {
  return lanes<[](U a) { return byte_of(a, N); }>();
}

U packed_byte(F x, U byte, U into) {
  const U value = is_nan(x) ? 0 : static_cast<U>(std::clamp(std::nearbyint(x), 0.0f, 255.0f));
  const U shift = 8 * (byte & 3);
  return (into & ~(U{0xff} << shift)) | value << shift;
}

std::uint16_t bf16_of(F x) {
  const U bits = bits_of(x);
  if (is_nan(x)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

}  // namespace

void add_conversions(Opcodes& t) {
  t["v_cvt_f32_i32"] = lanes<[](I a) { return static_cast<F>(a); }>();
  t["v_cvt_f32_u32"] = lanes<[](U a) { return static_cast<F>(a); }>();
  t["v_cvt_u32_f32"] = lanes<[](F a) { return truncated<U>(a); }>();
  t["v_cvt_i32_f32"] = lanes<[](F a) { return truncated<I>(a); }>();
  add(t, lanes<[](F a) { return truncated<I>(std::floor(a)); }>(), "v_cvt_flr_i32_f32",
      "v_cvt_floor_i32_f32");
  add(t, lanes<[](F a) { return truncated<I>(std::floor(a + 0.5f)); }>(), "v_cvt_rpi_i32_f32",
      "v_cvt_nearest_i32_f32");
  t["v_cvt_f32_f16"] = lanes<[](H a) { return static_cast<F>(a); }>();
  t["v_cvt_f16_f32"] = lanes<[](F a) { return static_cast<H>(a); }>();
  t["v_cvt_f64_f32"] = lanes<[](F a) { return static_cast<D>(a); }>();
  t["v_cvt_f32_f64"] = lanes<[](D a) { return static_cast<F>(a); }>();
  t["v_cvt_f64_i32"] = lanes<[](I a) { return static_cast<D>(a); }>();
  t["v_cvt_f64_u32"] = lanes<[](U a) { return static_cast<D>(a); }>();
  t["v_cvt_i32_f64"] = lanes<[](D a) { return truncated<I>(a); }>();
  t["v_cvt_u32_f64"] = lanes<[](D a) { return truncated<U>(a); }>();
  t["v_cvt_f16_u16"] = lanes<[](std::uint16_t a) { return static_cast<H>(static_cast<F>(a)); }>();
  t["v_cvt_f16_i16"] = lanes<[](std::int16_t a) { return static_cast<H>(static_cast<F>(a)); }>();
  t["v_cvt_u16_f16"] = lanes<[](H a) { return truncated<std::uint16_t>(static_cast<F>(a)); }>();
  t["v_cvt_i16_f16"] = lanes<[](H a) { return truncated<std::int16_t>(static_cast<F>(a)); }>();
  t["v_cvt_i32_i16"] = lanes<[](std::int16_t a) { return I{a}; }>();
  t["v_cvt_u32_u16"] = lanes<[](std::uint16_t a) { return U{a}; }>();
  t["v_cvt_f32_ubyte0"] = byte_to_float<0>();
  t["v_cvt_f32_ubyte1"] = byte_to_float<1>();
  t["v_cvt_f32_ubyte2"] = byte_to_float<2>();
  t["v_cvt_f32_ubyte3"] = byte_to_float<3>();
  t["v_cvt_f32_bf16"] = lanes<[](BFloat16 a) { return of_bits<F>(U{a.bits} << 16); }>();
  add(t, lanes<[](F a, F b) { return pair(bits_of(toward_zero(a)), bits_of(toward_zero(b))); }>(),
      "v_cvt_pkrtz_f16_f32", "v_cvt_pk_rtz_f16_f32");
  t["v_cvt_pk_f16_f32"] =
      lanes<[](F a, F b) { return pair(bits_of(static_cast<H>(a)), bits_of(static_cast<H>(b))); }>();
  t["v_cvt_pk_bf16_f32"] = lanes<[](F a, F b) { return pair(bf16_of(a), bf16_of(b)); }>();
  t["v_cvt_pk_u16_u32"] = lanes<[](U a, U b) {
    return pair(static_cast<std::uint16_t>(std::min(a, 0xffffu)),
                static_cast<std::uint16_t>(std::min(b, 0xffffu)));
  }>();
  t["v_cvt_pk_i16_i32"] = lanes<[](I a, I b) {
    return pair(static_cast<std::uint16_t>(std::clamp(a, -0x8000, 0x7fff)),
                static_cast<std::uint16_t>(std::clamp(b, -0x8000, 0x7fff)));
  }>();
  t["v_cvt_pk_u16_f32"] =
      lanes<[](F a, F b) { return pair(truncated<std::uint16_t>(a), truncated<std::uint16_t>(b)); }>();
  t["v_cvt_pk_i16_f32"] = lanes<[](F a, F b) {
    return pair(static_cast<std::uint16_t>(truncated<std::int16_t>(a)),
                static_cast<std::uint16_t>(truncated<std::int16_t>(b)));
  }>();
  add(t, lanes<[](F a, F b) { return pair(normalized_signed(a), normalized_signed(b)); }>(),
      "v_cvt_pknorm_i16_f32", "v_cvt_pk_norm_i16_f32");
  add(t, lanes<[](F a, F b) { return pair(normalized_unsigned(a), normalized_unsigned(b)); }>(),
      "v_cvt_pknorm_u16_f32", "v_cvt_pk_norm_u16_f32");
  add(t, lanes<[](H a, H b) {
        return pair(normalized_signed(static_cast<D>(a)), normalized_signed(static_cast<D>(b)));
      }>(),
      "v_cvt_pknorm_i16_f16", "v_cvt_pk_norm_i16_f16");
  add(t, lanes<[](H a, H b) {
        return pair(normalized_unsigned(static_cast<D>(a)), normalized_unsigned(static_cast<D>(b)));
      }>(),
      "v_cvt_pknorm_u16_f16", "v_cvt_pk_norm_u16_f16");
  t["v_cvt_norm_i16_f16"] = lanes<[](H a) { return normalized_signed(static_cast<D>(a)); }>();
  t["v_cvt_norm_u16_f16"] = lanes<[](H a) { return normalized_unsigned(static_cast<D>(a)); }>();
  t["v_cvt_pk_u8_f32"] = lanes<[](F a, U byte, U into) { return packed_byte(a, byte, into); }>();
  t["v_cvt_off_f32_i4"] = lanes<[](U a) { return static_cast<F>(static_cast<I>(a << 28) >> 28) / 16; }>();
  t["v_pack_b32_f16"] = lanes<[](H a, H b) { return pair(bits_of(a), bits_of(b)); }>();
  t["v_sat_pk_u8_i16"] = lanes<[](U a) {
    const auto byte = [](U half) {
      return static_cast<U>(std::clamp<I>(static_cast<std::int16_t>(half), 0, 255));
    };
    return static_cast<std::uint16_t>(byte(a & 0xffff) | byte(a >> 16) << 8);
  }>();
}

}  // namespace kernelgen::amdgpu
