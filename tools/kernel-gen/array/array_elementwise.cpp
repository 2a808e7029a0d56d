/// Functions of numpy that compute each element by itself.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "array/array_value.hpp"

namespace kernelgen::tool {
namespace {

template <auto f>
ArrayValue one(const ArrayCall& call) {
  return ArrayValue::of(for_each(call.array(0), f));
}
template <auto f>
ArrayValue two(const ArrayCall& call) {
  return ArrayValue::of(for_each(call.array(0), call.array(1), f));
}
template <auto f>
ArrayValue truth(const ArrayCall& call) {
  Array result = for_each(call.array(0), f);
  result.is_truth = true;
  return ArrayValue::of(std::move(result));
}
template <auto f>
ArrayValue truth_of_two(const ArrayCall& call) {
  Array result = for_each(call.array(0), call.array(1), f);
  result.is_truth = true;
  return ArrayValue::of(std::move(result));
}

/// NaN in either operand propagates.
double greater(double a, double b) { return std::isnan(a) || a > b ? a : b; }
double less(double a, double b) { return std::isnan(a) || a < b ? a : b; }
double floor_modulus(double a, double b) { return a - std::floor(a / b) * b; }

ArrayValue where(const ArrayCall& call) {
  const Array& condition = call.array(0);
  const ArrayShape shape =
      common_shape(condition.shape, common_shape(call.array(1).shape, call.array(2).shape));
  const Array chosen = condition.broadcast_to(shape), otherwise = call.array(2).broadcast_to(shape);
  Array result = call.array(1).broadcast_to(shape);
  for (std::size_t i = 0; i < result.data.size(); ++i)
    if (chosen.data[i] == 0) result.data[i] = otherwise.data[i];
  return ArrayValue::of(std::move(result));
}

ArrayValue clip(const ArrayCall& call) {
  Array result = call.array(0);
  if (call.has(1)) result = for_each(result, call.array(1), greater);
  if (call.has(2)) result = for_each(result, call.array(2), less);
  return ArrayValue::of(std::move(result));
}

}  // namespace

std::vector<ArrayFunction> elementwise_array_functions() {
  std::vector<ArrayFunction> list = {{"where", {"condition", "x", "y"}, 3, where},
                                     {"clip", {"a", "a_min", "a_max"}, 1, clip}};
  const auto add = [&](std::string_view name, ArrayValue (*call)(const ArrayCall&)) {
    list.push_back({name, {"x"}, 1, call});
  };
  const auto add_two = [&](std::string_view name, ArrayValue (*call)(const ArrayCall&)) {
    list.push_back({name, {"x1", "x2"}, 2, call});
  };
  add("abs", one<[](double x) { return std::abs(x); }>);
  add("absolute", one<[](double x) { return std::abs(x); }>);
  add("arctan", one<[](double x) { return std::atan(x); }>);
  add("ceil", one<[](double x) { return std::ceil(x); }>);
  add("cos", one<[](double x) { return std::cos(x); }>);
  add("cosh", one<[](double x) { return std::cosh(x); }>);
  add("erf", one<[](double x) { return std::erf(x); }>);
  add("exp", one<[](double x) { return std::exp(x); }>);
  add("exp2", one<[](double x) { return std::exp2(x); }>);
  add("expm1", one<[](double x) { return std::expm1(x); }>);
  add("floor", one<[](double x) { return std::floor(x); }>);
  add("log", one<[](double x) { return std::log(x); }>);
  add("log10", one<[](double x) { return std::log10(x); }>);
  add("log1p", one<[](double x) { return std::log1p(x); }>);
  add("log2", one<[](double x) { return std::log2(x); }>);
  add("negative", one<[](double x) { return -x; }>);
  add("reciprocal", one<[](double x) { return 1 / x; }>);
  add("rint", one<[](double x) { return std::nearbyint(x); }>);
  add("round", one<[](double x) { return std::nearbyint(x); }>);
  add("sign", one<[](double x) { return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0)); }>);
  add("sin", one<[](double x) { return std::sin(x); }>);
  add("sinh", one<[](double x) { return std::sinh(x); }>);
  add("sqrt", one<[](double x) { return std::sqrt(x); }>);
  add("square", one<[](double x) { return x * x; }>);
  add("tan", one<[](double x) { return std::tan(x); }>);
  add("tanh", one<[](double x) { return std::tanh(x); }>);
  add("trunc", one<[](double x) { return std::trunc(x); }>);
  add("isfinite", truth<[](double x) { return std::isfinite(x) ? 1.0 : 0.0; }>);
  add("isinf", truth<[](double x) { return std::isinf(x) ? 1.0 : 0.0; }>);
  add("isnan", truth<[](double x) { return std::isnan(x) ? 1.0 : 0.0; }>);
  add("logical_not", truth<[](double x) { return x == 0 ? 1.0 : 0.0; }>);
  add_two("add", two<[](double a, double b) { return a + b; }>);
  add_two("arctan2", two<[](double a, double b) { return std::atan2(a, b); }>);
  add_two("copysign", two<[](double a, double b) { return std::copysign(a, b); }>);
  add_two("divide", two<[](double a, double b) { return a / b; }>);
  add_two("floor_divide", two<[](double a, double b) { return std::floor(a / b); }>);
  add_two("fmod", two<[](double a, double b) { return std::fmod(a, b); }>);
  add_two("hypot", two<[](double a, double b) { return std::hypot(a, b); }>);
  add_two("maximum", two<greater>);
  add_two("minimum", two<less>);
  add_two("mod", two<floor_modulus>);
  add_two("multiply", two<[](double a, double b) { return a * b; }>);
  add_two("power", two<[](double a, double b) { return std::pow(a, b); }>);
  add_two("remainder", two<floor_modulus>);
  add_two("subtract", two<[](double a, double b) { return a - b; }>);
  add_two("logical_and", truth_of_two<[](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }>);
  add_two("logical_or", truth_of_two<[](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }>);
  add_two("logical_xor", truth_of_two<[](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }>);
  return list;
}

}  // namespace kernelgen::tool
