// The largest errors of f32 results: over every 4099th float, and over all 2^32 with
// KERNELGEN_EXHAUSTIVE=1. docs/kernels.md states the bounds, and a test compares them with this file.
#include "accuracy.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <string>

#include "environment.hpp"
#include "inputs.hpp"
#include "reference/unary.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

struct Bounds {
  std::string_view operation;
  double ulps;
  double gpu_ulps;  ///< where a GPU's own function is used
  double tail;      ///< 0: has none
};

/// What is not listed is rounded correctly: at most 0.5.
constexpr Bounds stated[] = {
    {"exp", 0.98, 0.98, 0},         {"log", 0.86, 0.86, 0},           {"sin", 0.51, 2.00, 0},
    {"cos", 0.51, 2.00, 0},         {"tanh", 1.30, 1.30, 0},          {"erf", 1.63, 1.63, 0},
    {"elu", 1.00, 1.00, 0},         {"sigmoid", 2.00, 2.00, 5.0e-8},  {"silu", 2.94, 2.94, 6.0e-8},
    {"gelu", 3.58, 3.58, 5.5e-8},   {"gelu_erf", 2.71, 2.71, 4.0e-8}, {"normcdf", 2.55, 2.55, 3.3e-8},
    {"expm1", 1.30, 1.30, 0},       {"softplus", 2.60, 2.60, 0},      {"gelu_quick", 2.80, 2.80, 4.0e-8},
    {"hardsigmoid", 1.05, 1.05, 0}, {"hardswish", 2.00, 2.00, 0},
};

double elu_of_one(double x) { return x > 0 ? x : std::expm1(x); }

Bounds bounds_of(std::string_view operation) {
  for (const Bounds& row : stated)
    if (row.operation == operation) return row;
  return {operation, 0.5, 0.5, 0};
}

constexpr std::uint64_t all_floats = std::uint64_t{1} << 32;

/// Measures over every `step`-th float, in pieces.
template <class Call>
Accuracy measure_all(std::uint64_t step, double (*exact)(double), bool has_tail, Call&& call) {
  constexpr std::uint64_t piece = 1 << 22;
  Accuracy worst;
  for (std::uint64_t start = 0; start < all_floats; start += piece * step) {
    const std::uint64_t count = std::min(piece, (all_floats - start + step - 1) / step);
    Elements x(DType::f32, static_cast<std::int64_t>(count));
    const auto bits = x.as<std::uint32_t>();
    for (std::size_t i = 0; i < count; ++i) bits[i] = static_cast<std::uint32_t>(start + i * step);
    const Elements got = download(call(upload(x)));
    worst.merge(measure(x.as<float>(), got.as<float>(), exact, has_tail));
  }
  return worst;
}

void test_accuracy(std::string_view operation, double (*exact)(double), std::uint64_t step) {
  const Bounds bounds = bounds_of(operation);
  const double ulps =
      device().kind() == DeviceKind::cpu || bounds.gpu_ulps == 0 ? bounds.ulps : bounds.gpu_ulps;
  const Accuracy worst = measure_all(step, exact, bounds.tail != 0, [&](const Tensor& x) {
    return operation == "elu" ? elu(x, 1.0f) : call(operation, {&x, 1});
  });
  std::printf("%-8.*s %.4f ULP at %a", static_cast<int>(operation.size()), operation.data(), worst.ulps,
              worst.ulps_at);
  if (bounds.tail != 0) std::printf(", left of -1 an error of %.3g * |x| at %a", worst.tail, worst.tail_at);
  std::printf("\n");
  EXPECT_LE(worst.ulps, ulps) << "at " << worst.ulps_at;
  EXPECT_LE(worst.tail, bounds.tail) << "at " << worst.tail_at;
}

void register_accuracy(std::string_view operation, double (*exact)(double)) {
  register_test("accuracy", std::string(operation), [=] { test_accuracy(operation, exact, 4099); });
  register_exhaustive_test("f32", std::string(operation), [=] { test_accuracy(operation, exact, 1); });
}

}  // namespace

void register_accuracy_tests() {
  for (const std::string_view operation : reference::unary_operations())
    register_accuracy(operation, reference::function_in_double(operation));
  register_accuracy("elu", elu_of_one);
}

}  // namespace kernelgen::conformance
