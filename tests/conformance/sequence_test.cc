// arange and timestep_embedding.
#include <gtest/gtest.h>

#include <cmath>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

void check_integers(DType dtype, std::int64_t start, std::int64_t stop, std::int64_t step,
                    std::int64_t count) {
  Approximation wanted;
  for (std::int64_t i = 0; i < count; ++i) wanted.add(static_cast<Real>(start + i * step), 0);
  expect_call("arange " + std::string(name_of(dtype)) + " from " + std::to_string(start) + " to " +
                  std::to_string(stop) + " by " + std::to_string(step),
              dtype, {count}, wanted, [&](const CallOptions& options) {
                return arange(device(), start, stop, step, dtype, options);
              });
}

void check_reals(DType dtype, double start, double stop, double step) {
  const auto count = static_cast<std::int64_t>(std::max(0.0, std::ceil((stop - start) / step)));
  Approximation wanted;
  for (std::int64_t i = 0; i < count; ++i) wanted.add(std::fma(static_cast<double>(i), step, start), 0);
  expect_call(
      "arange " + std::string(name_of(dtype)) + " by " + std::to_string(step), dtype, {count}, wanted,
      [&](const CallOptions& options) { return arange(device(), start, stop, step, dtype, options); });
}

void test_arange(DType dtype) {
  check_integers(dtype, 0, 5, 1, 5);
  check_integers(dtype, 3, 12, 4, 3);
  check_integers(dtype, 100, 3, -7, 14);
  check_integers(dtype, 5, 5, 1, 0);
  check_integers(dtype, 5, 3, 1, 0);
  if (dtype != DType::u8) check_integers(dtype, 0, 20000, 1, 20000);
  if (dtype == DType::i64) check_integers(dtype, std::int64_t{1} << 62, (std::int64_t{1} << 62) + 9, 2, 5);
  if (!is_float(dtype)) return;
  check_reals(dtype, 0, 1, 0.1);
  check_reals(dtype, -2.5, 7, 0.37);
  check_reals(dtype, 1, -1, -0.003);
}

void check_embedding(DType dtype, Kind kind, std::int64_t n, std::int64_t columns, double period) {
  std::vector<Real> times;
  for (int i = 0; i < 64; ++i) times.push_back(i * 15 + 0.5L);
  const Input x = make_input(kind, {n}, reference::make_elements(dtype, times));
  const Real u = accumulator_unit(dtype);
  const std::int64_t half = columns / 2;
  Approximation wanted;
  for (std::int64_t r = 0; r < n; ++r)
    for (std::int64_t c = 0; c < columns; ++c) {
      const std::int64_t wave = c < half ? c : c - half;
      const Real exponent = half == 0 ? 0
                                      : -std::log(static_cast<Real>(period)) * static_cast<Real>(wave) /
                                            static_cast<Real>(half);
      const Real angle = real_at(x.elements, r) * std::exp(exponent);
      const Real value = c >= 2 * half ? 0 : c < half ? std::cos(angle) : std::sin(angle);
      // The exponent's rounding, and a few ulp of e^x, of the angle and of the result.
      wanted.add(value, c >= 2 * half
                            ? 0
                            : u * (std::fabs(angle) * (8 + 2 * std::fabs(exponent)) + 8 * std::fabs(value)));
    }
  expect_call("timestep_embedding " + std::string(name_of(dtype)) + " of " + std::to_string(columns), dtype,
              {n, columns}, wanted, [&](const CallOptions& options) {
                return timestep_embedding(x.tensor, columns, period, options);
              });
}

void test_embedding(DType dtype) {
  for (const Kind kind : strided_kinds)
    for (const std::int64_t columns : {0, 1, 2, 7, 320}) check_embedding(dtype, kind, 5, columns, 10000);
  check_embedding(dtype, Kind::contiguous, 64, 1001, 50);
  check_embedding(dtype, Kind::contiguous, 0, 8, 10000);
}

}  // namespace

void register_sequence_tests() {
  for (const DType dtype : all_dtypes)
    register_test("arange", std::string(name_of(dtype)), [dtype] { test_arange(dtype); });
  for (const DType dtype : float_dtypes)
    register_test("timestep_embedding", std::string(name_of(dtype)), [dtype] { test_embedding(dtype); });
}

}  // namespace kernelgen::conformance
