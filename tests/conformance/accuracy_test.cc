// The largest errors of f32 results: over every 4099th float, and over all 2^32 with
// KERNELGEN_EXHAUSTIVE=1. docs/kernels.md states the bounds, and a test compares them with this file.
#include "accuracy.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
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

struct F64Function {
  std::string_view operation;
  double ulps;      ///< on a CPU
  double gpu_ulps;  ///< ocml's and libdevice's
  long double (*exact)(long double);
};
constexpr F64Function f64_functions[] = {
    {"exp", 1.0, 2.0, std::exp},
    {"expm1", 1.9, 2.0, std::expm1},
    {"log", 0.9, 2.0, std::log},
    {"tanh", 2.6, 3.0, std::tanh},
};

/// |got - exact| in units of the last place of an f64, which exact has more of.
double ulps_of_f64(double got, long double exact) {
  const double rounded = static_cast<double>(exact);
  if (std::isnan(rounded) || std::isinf(rounded) || rounded == 0) {
    const bool is_same = std::isnan(rounded) ? std::isnan(got) : got == rounded;
    return is_same ? 0 : INFINITY;
  }
  const int exponent = std::max(std::ilogb(rounded), -1022) - 52;
  return static_cast<double>(std::abs(std::scalbn(got - exact, -exponent)));
}

/// Random numbers from -2^10 to 2^10 of all magnitudes, and the special ones.
void test_f64_accuracy(const F64Function& function) {
  static_assert(std::numeric_limits<long double>::digits > 60);
  constexpr std::int64_t count = 1 << 17;
  Elements x = repeat(specials(DType::f64), 0, count);
  const auto numbers = x.as<double>();
  for (std::size_t i = 1000; i < numbers.size(); ++i) {
    const std::uint64_t bits = random_bits(i);
    numbers[i] =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), -static_cast<int>(i % 80) - 53);
  }
  const Tensor input = upload(x);
  const Elements got = download(call(function.operation, {&input, 1}));
  double worst = 0, worst_at = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double ulps = ulps_of_f64(got.as<double>()[i], function.exact(numbers[i]));
    if (ulps > worst) worst = ulps, worst_at = numbers[i];
  }
  std::printf("%-8.*s %.4f ULP of f64 at %a\n", static_cast<int>(function.operation.size()),
              function.operation.data(), worst, worst_at);
  EXPECT_LE(worst, device().kind() == DeviceKind::cpu ? function.ulps : function.gpu_ulps)
      << "at " << worst_at;
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
  for (const F64Function& function : f64_functions)
    register_test("accuracy", "f64_" + std::string(function.operation),
                  [&function] { test_f64_accuracy(function); });
}

}  // namespace kernelgen::conformance
