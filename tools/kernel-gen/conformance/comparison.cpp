#include "conformance/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "run/number.hpp"

namespace kernelgen::tool {
namespace {

/// Numbers below this many average results count as so many: what cancels out keeps the error of its terms.
constexpr double least_magnitude = 0.01;

/// Whole numbers up to here are exact in f64.
constexpr double exact_up_to = 0x1p53;

double greatest_of(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3:
      return 448;
    case DType::f16:
      return 65504;
    case DType::f64:
      return std::numeric_limits<double>::max();
    default:
      return std::numeric_limits<float>::max();
  }
}

/// The integer of that dtype which a value becomes.
std::int64_t as_integer(DType dtype, double value, bool wraps) {
  if (std::isnan(value)) return 0;
  const bool is_unsigned = dtype == DType::u8 || dtype == DType::u32;
  const int bits = static_cast<int>(8 * size_of(dtype));
  const double range = std::ldexp(1.0, bits), low = is_unsigned ? 0 : -range / 2, high = low + range;
  value = std::trunc(value);
  if (wraps) {
    value -= std::floor((value - low) / range) * range;
  } else {
    value = std::clamp(value, low, high - 1);
  }
  return value >= 0x1p63 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(value);
}

double magnitude_of(const Array& expected) {
  double total = 0;
  std::size_t count = 0;
  for (const double value : expected.data)
    if (std::isfinite(value)) {
      total += std::abs(value);
      ++count;
    }
  return std::max(least_magnitude, count == 0 ? 0 : total / static_cast<double>(count));
}

std::string spell_index(const ArrayShape& shape, std::size_t at) {
  ArrayShape index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = static_cast<std::int64_t>(at) % shape[d];
    at /= static_cast<std::size_t>(shape[d]);
  }
  return spell_extents(index);
}

}  // namespace

double usual_tolerance(DType dtype) {
  switch (dtype) {
    case DType::f8e4m3:
      return 0x1p-3;
    case DType::bf16:
      return 0x1p-6;
    case DType::f16:
      return 0x1p-9;
    case DType::f32:
      return 1e-5;
    case DType::f64:
      return 1e-12;
    default:
      return 0;
  }
}

std::optional<Difference> first_difference(const HostResult& result, const Array& expected, double tolerance,
                                           bool wraps) {
  const ArrayShape shape(result.shape.begin(), result.shape.end());
  if (shape != expected.shape) return Difference{{}, spell_extents(shape), spell_extents(expected.shape)};
  const double magnitude = magnitude_of(expected), greatest = greatest_of(result.dtype);
  const double relative = tolerance > 0 ? tolerance : usual_tolerance(result.dtype);
  for (std::size_t i = 0; i < expected.data.size(); ++i) {
    const double wanted = expected.data[i];
    const Number found = read_number(result.dtype, result.bytes.data() + i * size_of(result.dtype));
    const auto differs = [&](std::string has_to_be, double allowed) {
      return Difference{spell_index(shape, i), to_text(result.dtype, found), std::move(has_to_be), allowed};
    };
    if (const auto* const integer = std::get_if<std::int64_t>(&found)) {
      if (std::abs(wanted) >= exact_up_to) continue;
      const std::int64_t value = as_integer(result.dtype, wanted, wraps);
      if (*integer != value) return differs(fmt::format("{}", value), 0);
      continue;
    }
    const double value = std::get<double>(found);
    if (std::isnan(wanted) || std::isnan(value)) {
      const bool overflows =
          std::isnan(value) && !std::isnan(wanted) && std::abs(wanted) > greatest * (1 - relative);
      if (std::isnan(wanted) != std::isnan(value) && !overflows) return differs(fmt::format("{}", wanted), 0);
      continue;
    }
    if (std::abs(wanted) > greatest * (1 - relative)) {  // infinite, or the greatest number
      if (std::signbit(value) != std::signbit(wanted) || std::abs(value) < greatest * (1 - 2 * relative))
        return differs(fmt::format("{}", wanted), 0);
      continue;
    }
    const double allowed = relative * std::max(std::abs(wanted), magnitude);
    if (!(std::abs(value - wanted) <= allowed)) return differs(fmt::format("{}", wanted), allowed);
  }
  return std::nullopt;
}

}  // namespace kernelgen::tool
