#include "bounds.hpp"

#include <algorithm>
#include <cmath>

namespace kernelgen::conformance {
namespace {

using reference::bits_at;
using reference::real_at;

template <std::size_t N>
bool holds(const std::string_view (&names)[N], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

bool close(const Bound& bound, const Elements& got, const Elements& wanted, std::int64_t i,
           const std::function<Scale(std::int64_t)>& scale_at) {
  const std::uint64_t got_bits = bits_at(got, i);
  const std::uint64_t wanted_bits = bits_at(wanted, i);
  if (got_bits == wanted_bits) return true;
  const DType dtype = got.dtype();
  if (bound.keeps_bits || !is_float(dtype)) return false;

  const Real got_value = real_at(got, i);
  const Real wanted_value = real_at(wanted, i);
  if (std::isnan(got_value) || std::isnan(wanted_value))
    return std::isnan(got_value) && std::isnan(wanted_value);
  const std::uint64_t ulps = ulps_between(dtype, got_bits, wanted_bits);
  if (ulps == 0) return bound.zero_sign_free;
  if (ulps <= static_cast<std::uint64_t>(bound.ulps)) return true;
  if (bound.tail == 0) return false;
  const Scale scale = scale_at(i);
  return std::abs(got_value - wanted_value) <= bound.tail * scale.tail + bound.least * scale.factor;
}

/// Loops over elements of one width, so that equal bits, the usual case, cost next to nothing.
template <class Bits>
Mismatches scan(const Bound& bound, const Elements& got, const Wanted& wanted,
                const std::function<Scale(std::int64_t)>& scale_at) {
  const auto got_bits = got.as<Bits>();
  const auto wanted_bits = wanted.values.as<Bits>();
  Mismatches result;
  for (std::size_t at = 0; at < got_bits.size(); ++at) {
    if (got_bits[at] == wanted_bits[at]) continue;
    const auto i = static_cast<std::int64_t>(at);
    if (close(bound, got, wanted.values, i, scale_at)) continue;
    if (wanted.alternative && close(bound, got, *wanted.alternative, i, scale_at)) continue;
    if (result.count++ == 0) result.first = i;
  }
  return result;
}

}  // namespace

Bound bound_of(std::string_view operation, DType dtype) {
  constexpr std::string_view exact[] = {"abs",  "neg", "sqr", "sign", "ceil", "floor", "round",  "trunc",
                                        "step", "add", "sub", "mul",  "div",  "cast",  "compare"};
  constexpr std::string_view exact_but_zero_sign[] = {"relu", "maximum", "minimum", "clamp"};
  constexpr std::string_view copies[] = {"copy", "where"};
  constexpr std::string_view two_ulps[] = {"exp", "log", "sin", "cos", "tanh", "erf", "sqrt", "recip"};
  constexpr std::string_view gates[] = {"silu_mul", "gelu_mul", "relu_mul", "gelu_erf_mul", "gelu_quick_mul"};
  constexpr std::string_view tailed[] = {"gelu",         "gelu_erf",      "silu",     "sigmoid",
                                         "normcdf",      "silu_mul",      "gelu_mul", "gelu_quick",
                                         "gelu_erf_mul", "gelu_quick_mul"};

  Bound bound;
  if (holds(copies, operation)) bound.keeps_bits = true;
  if (!is_float(dtype) || holds(copies, operation) || holds(exact, operation)) return bound;
  if (holds(exact_but_zero_sign, operation)) {
    bound.zero_sign_free = true;
    return bound;
  }
  bound.zero_sign_free = operation == "relu_mul";
  if (holds(tailed, operation)) bound.tail = dtype == DType::f64 ? 0x1p-51L : 0x1p-22L;
  if (holds(gates, operation)) bound.least = dtype == DType::f64 ? 0x1p-1072L : 0x1p-147L;
  if (size_of(dtype) <= 2) {
    bound.ulps = 1;
  } else if (operation == "affine") {
    bound.ulps = 0;
  } else if (holds(gates, operation)) {
    // The activation's, of which a product's place may be half.
    bound.ulps = 8;
  } else {
    bound.ulps = dtype == DType::f32 && holds(two_ulps, operation) ? 2 : 4;
  }
  return bound;
}

std::uint64_t ulps_between(DType dtype, std::uint64_t a, std::uint64_t b) {
  if (!is_float(dtype)) return a > b ? a - b : b - a;
  const std::uint64_t sign = std::uint64_t{1} << (8 * size_of(dtype) - 1);
  const std::uint64_t a_magnitude = a & ~sign;
  const std::uint64_t b_magnitude = b & ~sign;
  if ((a & sign) != (b & sign)) return a_magnitude + b_magnitude;
  return a_magnitude > b_magnitude ? a_magnitude - b_magnitude : b_magnitude - a_magnitude;
}

Mismatches find_mismatches(const Bound& bound, const Elements& got, const Wanted& wanted,
                           const std::function<Scale(std::int64_t)>& scale_at) {
  if (got.bytes() == wanted.values.bytes()) return {};
  switch (size_of(got.dtype())) {
    case 1:
      return scan<std::uint8_t>(bound, got, wanted, scale_at);
    case 2:
      return scan<std::uint16_t>(bound, got, wanted, scale_at);
    case 4:
      return scan<std::uint32_t>(bound, got, wanted, scale_at);
    default:
      return scan<std::uint64_t>(bound, got, wanted, scale_at);
  }
}

}  // namespace kernelgen::conformance
