#include "accuracy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <thread>
#include <vector>

namespace kernelgen::conformance {
namespace {

/// 2^128, the place of infinity among the floats.
constexpr double overflow = 0x1p128;

double distance(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<double>::infinity();
  return std::abs(std::clamp(a, -overflow, overflow) - std::clamp(b, -overflow, overflow));
}

/// 1 / (the distance of the f32s around x).
double units_in(double x) {
  constexpr std::uint64_t bias = 1023, least = bias - 126, most = bias + 127, mantissa = 23;
  const std::uint64_t exponent = std::clamp(std::bit_cast<std::uint64_t>(x) >> 52 & 0x7ff, least, most);
  return std::bit_cast<double>((2 * bias + mantissa - exponent) << 52);
}

}  // namespace

void Accuracy::look(float x, float got, double exact, bool has_tail) {
  const double error = distance(got, exact);
  if (has_tail && x < -1 && std::isfinite(error)) {
    if (-error / x <= tail) return;
    tail = -error / x;
    tail_at = x;
  } else {
    if (error * units_in(exact) <= ulps) return;
    ulps = error * units_in(exact);
    ulps_at = x;
  }
}

void Accuracy::merge(const Accuracy& other) {
  if (other.ulps > ulps) {
    ulps = other.ulps;
    ulps_at = other.ulps_at;
  }
  if (other.tail > tail) {
    tail = other.tail;
    tail_at = other.tail_at;
  }
}

Accuracy measure(std::span<const float> x, std::span<const float> got, double (*exact)(double),
                 bool has_tail) {
  const std::size_t parts = std::max(1u, std::thread::hardware_concurrency());
  std::vector<Accuracy> found(parts);
  {
    std::vector<std::jthread> threads;
    for (std::size_t part = 0; part < parts; ++part)
      threads.emplace_back([=, &found] {
        Accuracy worst;
        const std::size_t end = x.size() * (part + 1) / parts;
        for (std::size_t i = x.size() * part / parts; i < end; ++i)
          worst.look(x[i], got[i], exact(x[i]), has_tail);
        found[part] = worst;
      });
  }
  Accuracy worst;
  for (const Accuracy& part : found) worst.merge(part);
  return worst;
}

}  // namespace kernelgen::conformance
