#include "unary.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numbers>

namespace kernelgen::reference {
namespace {

template <class R>
R recip(R x) {
  return 1 / x;
}

/// x · sigmoid(x). Negative infinity gives NaN, as in the usual frameworks: it is -inf · 0.
template <class R>
R silu(R x) {
  return x / (1 + std::exp(-x));
}

template <class R>
R sigmoid(R x) {
  return 1 / (1 + std::exp(-x));
}

/// x/2 · (1 + tanh(u)), written as x · sigmoid(2u): that does not cancel where tanh is near -1.
template <class R>
R gelu(R x) {
  const R sqrt_2_over_pi = std::sqrt(2 / std::numbers::pi_v<R>);
  const R u = sqrt_2_over_pi * (x + static_cast<R>(0.044715L) * x * x * x);
  return x / (1 + std::exp(-2 * u));
}

/// (1 + erf(x/√2)) / 2, written with erfc: that does not cancel for negative x.
template <class R>
R normcdf(R x) {
  return std::erfc(-x / std::numbers::sqrt2_v<R>) / 2;
}

template <class R>
R gelu_erf(R x) {
  return x * normcdf(x);
}

template <class R>
R relu_of(R x) {
  return x <= 0 ? 0 : x;
}

/// (x + 3) / 6 between 0 and 1.
template <class R>
R hardsigmoid(R x) {
  return x < -3 ? 0 : x > 3 ? 1 : (x + 3) / 6;
}

template <class R>
R hardswish(R x) {
  return x < -3 ? 0 : x > 3 ? x : x * (x + 3) / 6;
}

template <class R>
R gelu_quick(R x) {
  return x / (1 + std::exp(static_cast<R>(-1.702L) * x));
}

template <class R>
R softplus(R x) {
  return (x < 0 ? 0 : x) + std::log1p(std::exp(-std::abs(x)));
}

double sqr(double x) { return x * x; }
double negated(double x) { return -x; }
double sign(double x) { return std::isnan(x) ? x : static_cast<double>((x > 0) - (x < 0)); }
double relu(double x) { return relu_of(x); }

/// An operation whose result is rounded from a wider computation: in double for f32 and narrower, else in
/// Real.
struct RoundedRow {
  std::string_view name;
  double (*narrow)(double);
  Real (*wide)(Real);
};

#define ROW(name, function) \
  RoundedRow { name, function<double>, function<Real> }
#define STD_ROW(function)                                                                         \
  RoundedRow {                                                                                    \
    #function, [](double x) { return std::function(x); }, [](Real x) { return std::function(x); } \
  }
constexpr std::array rounded_rows{STD_ROW(exp),
                                  STD_ROW(log),
                                  STD_ROW(sin),
                                  STD_ROW(cos),
                                  STD_ROW(tanh),
                                  STD_ROW(erf),
                                  STD_ROW(sqrt),
                                  ROW("recip", recip),
                                  ROW("gelu", gelu),
                                  ROW("silu", silu),
                                  ROW("sigmoid", sigmoid),
                                  ROW("gelu_erf", gelu_erf),
                                  ROW("normcdf", normcdf),
                                  STD_ROW(expm1),
                                  ROW("softplus", softplus),
                                  ROW("gelu_quick", gelu_quick),
                                  ROW("hardsigmoid", hardsigmoid),
                                  ROW("hardswish", hardswish)};
/// An activation of gates that is not rounded itself.
constexpr RoundedRow gate_rows[] = {ROW("relu", relu_of)};
#undef STD_ROW
#undef ROW

/// An operation that IEEE defines to the last bit in every format; double holds the others' results exactly,
/// or wide enough that the second rounding changes nothing. Unsigned arithmetic wraps, which is what integers
/// do.
struct ExactRow {
  std::string_view name;
  double (*real)(double);
  std::uint64_t (*integer)(std::int64_t);
};

std::uint64_t as_unsigned(std::int64_t x) { return static_cast<std::uint64_t>(x); }

constexpr std::array exact_rows{
    ExactRow{"abs", [](double x) { return std::abs(x); },
             [](std::int64_t x) { return x < 0 ? 0 - as_unsigned(x) : as_unsigned(x); }},
    ExactRow{"neg", negated, [](std::int64_t x) { return 0 - as_unsigned(x); }},
    ExactRow{"sqr", sqr, [](std::int64_t x) { return as_unsigned(x) * as_unsigned(x); }},
    ExactRow{"sign", sign, [](std::int64_t x) { return as_unsigned((x > 0) - (x < 0)); }},
    ExactRow{"relu", relu, [](std::int64_t x) { return as_unsigned(std::max<std::int64_t>(x, 0)); }},
    ExactRow{"ceil", [](double x) { return std::ceil(x); }, as_unsigned},
    ExactRow{"floor", [](double x) { return std::floor(x); }, as_unsigned},
    ExactRow{"trunc", [](double x) { return std::trunc(x); }, as_unsigned},
    ExactRow{"step", [](double x) { return x > 0 ? 1.0 : 0.0; },
             [](std::int64_t x) { return as_unsigned(x > 0); }},
    ExactRow{"round", [](double x) { return std::round(x); }, as_unsigned},
};

constexpr auto operation_names = [] {
  std::array<std::string_view, rounded_rows.size() + exact_rows.size()> names;
  auto* next = names.data();
  for (const RoundedRow& row : rounded_rows) *next++ = row.name;
  for (const ExactRow& row : exact_rows) *next++ = row.name;
  return names;
}();

template <class Rows>
auto find_row(const Rows& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, [](const auto& row) { return row.name; });
  return found == std::end(rows) ? nullptr : &*found;
}

/// result[i] = f(x[i]), computed in double for f32 and narrower and in Real for f64.
template <class F>
Elements map_floats(const Elements& x, F&& f) {
  Elements result(x.dtype(), x.count());
  visit(x.dtype(), [&]<class T>(std::type_identity<T>) {
    using Computed = std::conditional_t<std::is_same_v<T, double>, Real, double>;
    std::ranges::transform(x.as<T>(), result.as<T>().begin(),
                           [&](T value) { return from_real<T>(f(static_cast<Computed>(to_real(value)))); });
  });
  return result;
}

Elements exact(const ExactRow& row, const Elements& x) {
  Elements result(x.dtype(), x.count());
  visit(x.dtype(), [&]<class T>(std::type_identity<T>) {
    std::ranges::transform(x.as<T>(), result.as<T>().begin(), [&](T value) {
      if constexpr (is_integer_element<T>) {
        return from_integer<T>(static_cast<std::int64_t>(row.integer(static_cast<std::int64_t>(value))));
      } else {
        return from_real<T>(row.real(static_cast<double>(to_real(value))));
      }
    });
  });
  return result;
}

}  // namespace

std::span<const std::string_view> unary_operations() { return operation_names; }

bool takes_integers(std::string_view operation) { return find_row(exact_rows, operation) != nullptr; }

Elements unary(std::string_view operation, const Elements& x) {
  if (const ExactRow* row = find_row(exact_rows, operation)) return exact(*row, x);
  const RoundedRow* row = find_row(rounded_rows, operation);
  if (row == nullptr || !is_float(x.dtype())) throw std::logic_error("no such unary operation");
  return map_floats(x, [&]<class R>(R value) {
    if constexpr (std::is_same_v<R, double>) {
      return row->narrow(value);
    } else {
      return row->wide(value);
    }
  });
}

double (*function_in_double(std::string_view operation))(double) {
  if (const ExactRow* row = find_row(exact_rows, operation)) return row->real;
  if (const RoundedRow* row = find_row(rounded_rows, operation)) return row->narrow;
  throw std::logic_error("no such unary operation");
}

Elements gate(std::string_view operation, const Elements& a, const Elements& b, bool in_steps) {
  const RoundedRow* row = find_row(rounded_rows, operation);
  if (row == nullptr) row = find_row(gate_rows, operation);
  if (row == nullptr) throw std::logic_error("no such gate");
  Elements result(a.dtype(), a.count());
  visit(a.dtype(), [&]<class T>(std::type_identity<T>) {
    using Computed = std::conditional_t<std::is_same_v<T, double>, Real, double>;
    using Step = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const auto activation = [&](Computed x) {
      if constexpr (std::is_same_v<Computed, double>) {
        return row->narrow(x);
      } else {
        return row->wide(x);
      }
    };
    const Computed least = std::is_same_v<T, double> ? 0x1p-51 : 0x1p-22;
    std::ranges::transform(a.as<T>(), b.as<T>(), result.as<T>().begin(), [&](T x, T y) {
      const Computed given = static_cast<Computed>(to_real(x));
      Computed open = activation(given);
      if (in_steps) open = static_cast<Step>(given < -1 && std::abs(open) <= least * -given ? -0.0 : open);
      return from_real<T>(open * static_cast<Computed>(to_real(y)));
    });
  });
  return result;
}

Elements powf(const Elements& x, const Elements& e) {
  const Real exponent = real_at(e, 0);
  return map_floats(x, [&]<class R>(R value) { return std::pow(value, static_cast<R>(exponent)); });
}

Elements elu(const Elements& x, const Elements& alpha) {
  const Real factor = real_at(alpha, 0);
  return map_floats(
      x, [&]<class R>(R value) { return value > 0 ? value : static_cast<R>(factor) * std::expm1(value); });
}

Elements leaky_relu(const Elements& x, const Elements& slope) {
  const Real factor = real_at(slope, 0);
  return map_floats(x, [&]<class R>(R value) { return value > 0 ? value : static_cast<R>(factor) * value; });
}

Elements clamp(const Elements& x, const Elements& low, const Elements& high) {
  Elements result(x.dtype(), x.count());
  for (std::int64_t i = 0; i < x.count(); ++i) {
    const Elements* chosen = &x;
    Real value = real_at(x, i);
    if (value < real_at(low, 0)) chosen = &low, value = real_at(low, 0);
    if (value > real_at(high, 0)) chosen = &high;
    std::memcpy(result.at(i), chosen->at(chosen == &x ? i : 0), size_of(x.dtype()));
  }
  return result;
}

}  // namespace kernelgen::reference
