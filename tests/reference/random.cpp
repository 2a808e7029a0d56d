#include "random.hpp"

#include <numbers>

namespace kernelgen::reference {
namespace {

std::uint32_t low_word(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t high_word(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

int bits_of_unit(DType dtype) { return dtype == DType::f64 ? 53 : 24; }

/// Number `index` in [0, 1) of a draw.
Real unit(DType dtype, Draw draw, std::int64_t index) {
  const int lanes = dtype == DType::f64 ? 2 : 4;
  const auto block = static_cast<std::uint64_t>(index / lanes);
  const auto lane = static_cast<std::size_t>(index % lanes);
  const auto words = philox({low_word(block), high_word(block), low_word(draw.call), high_word(draw.call)},
                            {low_word(draw.seed), high_word(draw.seed)});
  const int bits = bits_of_unit(dtype);
  const std::uint64_t number =
      dtype == DType::f64
          ? (static_cast<std::uint64_t>(words[2 * lane + 1]) << 32 | words[2 * lane]) >> (64 - bits)
          : words[lane] >> (32 - bits);
  return std::ldexp(static_cast<Real>(number), -bits);
}

}  // namespace

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {high_word(second) ^ counter[1] ^ key[0], low_word(second),
               high_word(first) ^ counter[3] ^ key[1], low_word(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

Real uniform(DType dtype, Draw draw, std::int64_t index, Real low, Real high) {
  return low + unit(dtype, draw, index) * (high - low);
}

Real normal(DType dtype, Draw draw, std::int64_t index, Real mean, Real deviation) {
  const std::int64_t first = index - index % 2;
  const Real u = unit(dtype, draw, first) + std::ldexp(Real{1}, -bits_of_unit(dtype));
  const Real angle = 2 * std::numbers::pi_v<Real> * unit(dtype, draw, first + 1);
  const Real radius = std::sqrt(-2 * std::log(u));
  return mean + deviation * radius * (index == first ? std::cos(angle) : std::sin(angle));
}

}  // namespace kernelgen::reference
