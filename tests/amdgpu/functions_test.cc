#include "functions.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
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

/// Powers of two and their neighbours, subnormals too: quotients of them are next to the middle of two floats.
std::vector<float> next_to_powers_of_two(unsigned count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<float> list;
  for (unsigned i = 0; i < count; ++i) {
    const float power = std::ldexp(random() % 2 == 0 ? 1.0f : -1.0f, static_cast<int>(random() % 277) - 149);
    constexpr float directions[] = {0, INFINITY};
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

TEST_P(Functions, DivideNextToPowersOfTwo) {
  Device device(GetParam());
  compare<float, float>(
      device, "divide_f32", [](float a, float b) { return a / b; }, next_to_powers_of_two(count, 3),
      next_to_powers_of_two(count, 4));
}

INSTANTIATE_TEST_SUITE_P(Targets, Functions,
                         testing::Values("gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kernelgen::amdgpu
