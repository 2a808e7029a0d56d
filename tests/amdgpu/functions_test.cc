#include "functions.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "device.hpp"

namespace kernelgen::amdgpu {
namespace {

/// Numbers with all bit patterns equally often, and each kind's corners among them.
template <class T>
std::vector<T> numbers(unsigned count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<T> list;
  for (unsigned i = 0; i < count; ++i) {
    std::uint64_t bits = random();
    if (i % 4 == 1) bits &= random() & random();  // few bits
    T value;
    std::memcpy(&value, &bits, sizeof value);
    if constexpr (!std::is_integral_v<T>) {
      if (i % 4 == 2) value = static_cast<T>(static_cast<float>(static_cast<int>(bits & 0xfff) - 0x800) / 16);
      constexpr float corners[] = {0.0f, -0.0f,    1.0f,  -1.0f, INFINITY, -INFINITY,
                                   NAN,  65504.0f, 6e-8f, 0.5f,  1e-40f,   3.4e38f};
      if (i % 16 == 3) value = static_cast<T>(corners[bits % std::size(corners)]);
    } else if (i % 4 == 2) {
      value = static_cast<T>(static_cast<int>(bits & 0xff) - 128);
    }
    list.push_back(value);
  }
  return list;
}

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b);  // any NaN
}

/// Powers of two and their neighbours, subnormals too: quotients of them are next to the middle of two numbers.
template <class T>
std::vector<T> next_to_powers_of_two(unsigned count, unsigned seed) {
  using Limits = std::numeric_limits<T>;
  constexpr int least = Limits::min_exponent - Limits::digits, exponents = Limits::max_exponent - least;
  std::mt19937_64 random(seed);
  std::vector<T> list;
  for (unsigned i = 0; i < count; ++i) {
    const T power =
        std::ldexp(random() % 2 == 0 ? T(1) : T(-1), static_cast<int>(random() % exponents) + least);
    constexpr T directions[] = {0, INFINITY};
    const std::uint64_t kind = random() % 3;
    list.push_back(kind == 0 ? power : std::nextafter(power, directions[kind - 1]));
  }
  return list;
}

constexpr unsigned count = 4096;

template <class From, class To, class F>
void compare(Device& device, const char* name, F function,
             const std::vector<From>& a = numbers<From>(count, 1),
             const std::vector<From>& b = numbers<From>(count, 2)) {
  const From *const as = device.upload(a), *const bs = device.upload(b);
  To* const results = device.allocate<To>(count);
  device.launch(name, {count / 256, 1, 1}, {256, 1, 1}, results, as, bs, count);
  unsigned wrong = 0;
  for (unsigned i = 0; i < count && wrong < 3; ++i) {
    const To expected = function(a[i], b[i]);
    if (same(results[i], expected)) continue;
    ++wrong;
    ADD_FAILURE() << name << " of " << +static_cast<double>(a[i]) << " and " << static_cast<double>(b[i])
                  << ": " << static_cast<double>(results[i]) << ", not " << static_cast<double>(expected);
  }
}

class Functions : public testing::TestWithParam<const char*> {};

TEST_P(Functions, GiveWhatTheHostGives) {
  Device device(GetParam());
#define COMPARE(NAME, FROM, TO, EXPRESSION) \
  compare<FROM, TO>(device, #NAME,          \
                    []([[maybe_unused]] FROM a, [[maybe_unused]] FROM b) -> TO { return EXPRESSION; });
  KERNELGEN_FUNCTIONS(COMPARE)
}

template <class T>
void compare_quotients(Device& device, const char* name) {
  compare<T, T>(
      device, name, [](T a, T b) { return a / b; }, next_to_powers_of_two<T>(count, 3),
      next_to_powers_of_two<T>(count, 4));
}

TEST_P(Functions, DivideNextToPowersOfTwo) {
  Device device(GetParam());
  compare_quotients<float>(device, "divide_f32");
  compare_quotients<double>(device, "divide_f64");
}

/// Quotients next to the middle of two subnormals, which rounding to 53 bits first would move there.
TEST_P(Functions, RoundSubnormalQuotientsOnce) {
  std::mt19937_64 random(5);
  std::vector<double> a, b;
  for (unsigned i = 0; i < count; ++i) {
    const auto odd = static_cast<double>(random() >> 13 | 1);
    b.push_back(std::uniform_real_distribution<double>(8, 1 << 20)(random));
    a.push_back(std::ldexp(odd * b.back(), std::numeric_limits<double>::min_exponent - 54));
  }
  Device device(GetParam());
  compare<double, double>(device, "divide_f64", [](double x, double y) { return x / y; }, a, b);
}

INSTANTIATE_TEST_SUITE_P(Targets, Functions,
                         testing::Values("gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kernelgen::amdgpu
