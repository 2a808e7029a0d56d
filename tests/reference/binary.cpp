#include "binary.hpp"

#include <algorithm>
#include <array>

namespace kernelgen::reference {
namespace {

std::uint64_t as_unsigned(std::int64_t x) { return static_cast<std::uint64_t>(x); }
std::int64_t as_signed(std::uint64_t x) { return static_cast<std::int64_t>(x); }

std::int64_t divide(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return as_signed(0 - as_unsigned(a));
  return a / b;
}

double maximum(double a, double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return a > b ? a : b;
}

double minimum(double a, double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return a < b ? a : b;
}

/// Sums, products and quotients of f32 and narrower, rounded to double and then to their own format, are what
/// one rounding gives: double has more than twice their bits, plus two.
struct BinaryRow {
  std::string_view name;
  double (*real)(double, double);
  std::int64_t (*integer)(std::int64_t, std::int64_t);
};

using Integer = std::int64_t;
constexpr std::array binary_rows{
    BinaryRow{"add", [](double a, double b) { return a + b; },
              [](Integer a, Integer b) { return as_signed(as_unsigned(a) + as_unsigned(b)); }},
    BinaryRow{"sub", [](double a, double b) { return a - b; },
              [](Integer a, Integer b) { return as_signed(as_unsigned(a) - as_unsigned(b)); }},
    BinaryRow{"mul", [](double a, double b) { return a * b; },
              [](Integer a, Integer b) { return as_signed(as_unsigned(a) * as_unsigned(b)); }},
    BinaryRow{"div", [](double a, double b) { return a / b; }, divide},
    BinaryRow{"maximum", maximum, [](Integer a, Integer b) { return std::max(a, b); }},
    BinaryRow{"minimum", minimum, [](Integer a, Integer b) { return std::min(a, b); }},
};

struct CompareRow {
  std::string_view name;
  bool (*real)(double, double);
  bool (*integer)(std::int64_t, std::int64_t);
};

#define ROW(name, op)                                                                            \
  CompareRow {                                                                                   \
    name, [](double a, double b) { return a op b; }, [](Integer a, Integer b) { return a op b; } \
  }
constexpr std::array compare_rows{ROW("eq", ==), ROW("ne", !=), ROW("lt", <),
                                  ROW("le", <=), ROW("gt", >),  ROW("ge", >=)};
#undef ROW

template <class Rows>
constexpr auto names_of(const Rows& rows) {
  std::array<std::string_view, std::tuple_size_v<Rows>> names;
  std::ranges::transform(rows, names.begin(), [](const auto& row) { return row.name; });
  return names;
}
constexpr auto binary_names = names_of(binary_rows);
constexpr auto compare_names = names_of(compare_rows);

template <class Rows>
const auto& row_of(const Rows& rows, std::string_view name) {
  const auto found = std::ranges::find(rows, name, [](const auto& row) { return row.name; });
  if (found == rows.end()) throw std::logic_error("no such binary operation");
  return *found;
}

/// x · mul + add, the product rounded to C when it has one.
template <class C>
C separate(C x, C mul, C add) {
  const C product = x * mul;
  return product + add;
}

}  // namespace

std::span<const std::string_view> binary_operations() { return binary_names; }
std::span<const std::string_view> compare_operations() { return compare_names; }

Elements binary(std::string_view operation, const Elements& a, const Elements& b) {
  const BinaryRow& row = row_of(binary_rows, operation);
  Elements result(a.dtype(), a.count());
  visit(a.dtype(), [&]<class T>(std::type_identity<T>) {
    std::ranges::transform(a.as<T>(), b.as<T>(), result.as<T>().begin(), [&](T x, T y) {
      if constexpr (is_integer_element<T>) {
        return from_integer<T>(row.integer(x, y));
      } else {
        return from_real<T>(row.real(static_cast<double>(to_real(x)), static_cast<double>(to_real(y))));
      }
    });
  });
  return result;
}

Elements compare(std::string_view operation, const Elements& a, const Elements& b) {
  const CompareRow& row = row_of(compare_rows, operation);
  Elements result(DType::u8, a.count());
  visit(a.dtype(), [&]<class T>(std::type_identity<T>) {
    std::ranges::transform(a.as<T>(), b.as<T>(), result.as<std::uint8_t>().begin(), [&](T x, T y) {
      if constexpr (is_integer_element<T>) {
        return row.integer(x, y);
      } else {
        return row.real(static_cast<double>(to_real(x)), static_cast<double>(to_real(y)));
      }
    });
  });
  return result;
}

Affine affine(const Elements& x, const Elements& mul, const Elements& add) {
  Affine result{Elements(x.dtype(), x.count()), Elements(x.dtype(), x.count())};
  visit(x.dtype(), [&]<class T>(std::type_identity<T>) {
    const T m = mul.as<T>()[0];
    const T a = add.as<T>()[0];
    auto* fused_out = result.fused.as<T>().data();
    auto* separate_out = result.separate.as<T>().data();
    for (const T value : x.as<T>()) {
      if constexpr (is_integer_element<T>) {
        const std::uint64_t product = as_unsigned(value) * as_unsigned(m);
        *fused_out++ = *separate_out++ = from_integer<T>(as_signed(product + as_unsigned(a)));
      } else {
        // f32 needs its own fma: a sum rounded to double first could be rounded wrongly to f32.
        using Fused = std::conditional_t<std::is_same_v<T, float>, float, double>;
        using Separate = std::conditional_t<std::is_same_v<T, double>, double, float>;
        *fused_out++ = from_real<T>(std::fma(static_cast<Fused>(to_real(value)),
                                             static_cast<Fused>(to_real(m)), static_cast<Fused>(to_real(a))));
        *separate_out++ =
            from_real<T>(separate(static_cast<Separate>(to_real(value)), static_cast<Separate>(to_real(m)),
                                  static_cast<Separate>(to_real(a))));
      }
    }
  });
  return result;
}

}  // namespace kernelgen::reference
