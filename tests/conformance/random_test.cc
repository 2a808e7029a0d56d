// rand_uniform, rand_normal: the numbers equal the reference's on every device and layout, and have the
// right distribution.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numbers>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "reference/random.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::Draw;

const std::int64_t lengths[] = {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 255, 4099};

std::string call_name(const char* operation, DType dtype, Draw draw, std::int64_t count) {
  return std::string(operation) + " " + std::string(name_of(dtype)) + " [" + std::to_string(count) +
         "], seed " + std::to_string(draw.seed) + ", call " + std::to_string(draw.call);
}

/// Half of the distance between neighbouring numbers around x, in the type the dtype is computed in.
Real computed_unit(DType dtype, Real x) { return accumulator_unit(dtype) * std::abs(x); }

/// The largest distance of neighbouring elements of the dtype up to |x|.
Real step_below(DType dtype, Real x) {
  const Elements element = reference::make_scalar(dtype, std::abs(x));
  const std::uint64_t bits = reference::bits_at(element, 0);
  if (bits == 0) return 0;
  Elements before(dtype, 1);
  const std::uint64_t lower = bits - 1;
  std::memcpy(before.at(0), &lower, size_of(dtype));
  return reference::real_at(element, 0) - reference::real_at(before, 0);
}

struct Range {
  Real low, high;
};

/// Ranges whose ends are elements of every dtype, and the widest there is.
std::vector<Range> ranges(DType dtype) {
  const Elements largest = reference::make_scalar(dtype, dtype == DType::f8e4m3 ? 448 : 60000);
  const Real end = reference::real_at(largest, 0);
  std::vector<Range> result{{0, 1}, {-1, 1}, {-2, 0}, {1, 1.125L}, {-end, end}, {96, 416}};
  if (dtype == DType::f64)
    result.push_back({-std::numeric_limits<double>::max(), std::numeric_limits<double>::max()});
  if (dtype == DType::f32 || dtype == DType::bf16) result.push_back({-0x1.fep127L, 0x1.fep127L});
  return result;
}

void test_uniform(DType dtype) {
  for (const std::uint64_t start : {std::uint64_t{0}, std::uint64_t{299792458}, ~std::uint64_t{0}}) {
    for (const Range& range : ranges(dtype)) {
      device().set_seed(start);
      EXPECT_EQ(device().get_current_seed(), start);
      std::uint64_t call = 0;
      for (const std::int64_t count : lengths) {
        const Draw draw{start, call++};
        Approximation wanted;
        const Real widest = std::max(std::abs(range.low), std::abs(range.high));
        // Rounded down: up to a step of the dtype, after two roundings of what it is computed in.
        const Real error = range.low == 0 && range.high == 1 && size_of(dtype) >= 4
                               ? 0
                               : step_below(dtype, widest) + 2 * computed_unit(dtype, widest);
        for (std::int64_t i = 0; i < count; ++i)
          wanted.add(reference::uniform(dtype, draw, i, range.low, range.high), error);
        const std::string what = call_name("rand_uniform", dtype, draw, count);
        Tensor result;
        expect_call(what, dtype, {count}, wanted, [&](const CallOptions& options) {
          return result = rand_uniform(device(), {count}, dtype, static_cast<double>(range.low),
                                       static_cast<double>(range.high), options);
        });
        const Elements got = download(result);
        for (std::int64_t i = 0; i < count; ++i) {
          const Real x = reference::real_at(got, i);
          EXPECT_TRUE(x >= range.low && x < range.high) << what << ": " << reference::describe(got, i);
        }
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

void test_normal(DType dtype) {
  struct Parameters {
    Real mean, deviation;
  };
  for (const Parameters& p : {Parameters{0, 1}, Parameters{-3, 0.5L}, Parameters{8, 0}}) {
    device().set_seed(seed());
    std::uint64_t call = 0;
    for (const std::int64_t count : lengths) {
      const Draw draw{seed(), call++};
      Approximation wanted;
      for (std::int64_t i = 0; i < count; ++i) {
        const Real value = reference::normal(dtype, draw, i, p.mean, p.deviation);
        // The radius is below 9 and its functions are within a few units.
        wanted.add(value, computed_unit(dtype, 64 * p.deviation + 2 * std::abs(value)));
      }
      expect_call(call_name("rand_normal", dtype, draw, count), dtype, {count}, wanted,
                  [&](const CallOptions& options) {
                    return rand_normal(device(), {count}, dtype, static_cast<double>(p.mean),
                                       static_cast<double>(p.deviation), options);
                  });
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// The numbers of one kernel under grids that cut the work differently.
void test_grids(DType dtype) {
  constexpr std::int64_t count = 10007;
  const std::size_t size = size_of(dtype);
  for (const char* operation : {"rand_uniform", "rand_normal"}) {
    const std::string kernel = "kg_" + std::string(operation) + "_" + std::string(name_of(dtype));
    const auto id = device().package().find_kernel(kernel);
    ASSERT_TRUE(id) << kernel;
    std::vector<std::byte> first;
    for (const std::uint32_t grid : {1u, 2u, 3u, 7u, 64u}) {
      for (const std::uint32_t block : {32u, 96u, 256u}) {
        const Tensor y = upload(poison(dtype, count));
        std::vector<std::byte> arguments(32 + 2 * size);
        const std::uint64_t head[] = {reinterpret_cast<std::uintptr_t>(y.data()), count, 5, 6};
        const Elements scalars = reference::make_elements(dtype, std::vector<Real>{-1, 2});
        std::memcpy(arguments.data(), head, sizeof head);
        std::memcpy(arguments.data() + sizeof head, scalars.at(0), 2 * size);
        device().launch(device().kernel(*id), {.grid = {grid, 1, 1}, .block = {block, 1, 1}}, arguments);
        const std::vector<std::byte> got = y.to_host();
        if (first.empty()) first = got;
        EXPECT_EQ(got, first) << kernel << ", " << grid << " blocks of " << block;
      }
    }
  }
}

/// A device of one thread and one of two give the device under test's numbers.
void test_devices(DType dtype) {
  const auto numbers = [&](const Device& on) {
    on.set_seed(77);
    std::vector<std::byte> bytes = rand_uniform(on, {300, 333}, dtype, -1, 1).to_host();
    const std::vector<std::byte> second = rand_normal(on, {99991}, dtype, 0, 1).to_host();
    bytes.insert(bytes.end(), second.begin(), second.end());
    return bytes;
  };
  const std::vector<std::byte> wanted = numbers(device());
  for (const char* name : {"cpu:1", "cpu:2"}) EXPECT_EQ(numbers(Device::open(name)), wanted) << name;
}

/// The seed starts the numbers again; calls differ; a shorter result is the start of a longer one.
void test_seed(DType dtype) {
  const auto draw = [&](const Shape& shape) { return rand_normal(device(), shape, dtype, 0, 1).to_host(); };
  device().set_seed(1);
  const std::vector<std::byte> first = draw({1000}), second = draw({1000});
  EXPECT_NE(first, second);
  device().set_seed(1);
  const std::vector<std::byte> longer = draw({3, 400});
  EXPECT_TRUE(std::equal(first.begin(), first.end(), longer.begin()));
  EXPECT_EQ(draw({10, 100}), second);
  device().set_seed(2);
  EXPECT_NE(draw({1000}), first);
  device().set_seed(1);
  EXPECT_EQ(draw({}).size(), size_of(dtype));
  EXPECT_EQ(draw({3, 0}).size(), 0u);
}

/// The largest distance between the elements' distribution and `cumulative`, times √n (Kolmogorov and
/// Smirnov).
template <class F>
Real distance_to(std::vector<Real> sample, const F& cumulative) {
  std::ranges::sort(sample);
  const Real n = static_cast<Real>(sample.size());
  Real distance = 0;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const Real wanted = cumulative(sample[i]);
    const Real below = static_cast<Real>(i) / n;
    distance = std::max({distance, wanted - below, below + 1 / n - wanted});
  }
  return distance * std::sqrt(n);
}

/// f8e4m3 has 2^-4 of a distribution in one element: its steps are no distance from a continuous one.
void test_distribution(DType dtype) {
  constexpr std::int64_t count = 1 << 17;
  // A sample is this far off with a probability below 1e-6; its seed is fixed.
  constexpr Real far = 2.7L;
  const auto sample = [](const Tensor& tensor) {
    const Elements elements = download(tensor);
    std::vector<Real> values;
    for (std::int64_t i = 0; i < count; ++i) values.push_back(reference::real_at(elements, i));
    return values;
  };
  const auto moment = [](const std::vector<Real>& values, Real center, int power) {
    Real sum = 0;
    for (const Real value : values) sum += std::pow(value - center, static_cast<Real>(power));
    return sum / static_cast<Real>(values.size());
  };
  const Real root = std::sqrt(static_cast<Real>(count));
  const Real coarse = dtype == DType::f8e4m3 ? 0x1p-4L : dtype == DType::bf16 ? 0x1p-8L : 0x1p-11L;

  device().set_seed(2026);
  const std::vector<Real> uniform = sample(rand_uniform(device(), {count}, dtype, 0, 1));
  EXPECT_NEAR(moment(uniform, 0, 1), 0.5L, 5 * 0.289L / root + coarse);
  EXPECT_NEAR(moment(uniform, 0.5L, 2), 1 / 12.0L, 5 * 0.0745L / root + coarse);
  const std::vector<Real> normal = sample(rand_normal(device(), {count}, dtype, 0, 1));
  EXPECT_NEAR(moment(normal, 0, 1), 0, 5 / root);
  EXPECT_NEAR(moment(normal, 0, 2), 1, 5 * 1.42L / root + coarse / 16);
  EXPECT_NEAR(moment(normal, 0, 3), 0, 5 * 3.88L / root);
  EXPECT_NEAR(moment(normal, 0, 4), 3, 5 * 9.8L / root + coarse / 2);
  if (size_of(dtype) < 4) return;
  EXPECT_LT(distance_to(uniform, [](Real x) { return x; }), far);
  EXPECT_LT(distance_to(normal, [](Real x) { return std::erfc(-x / std::numbers::sqrt2_v<Real>) / 2; }), far);
  // Neighbours come from one counter: their products average to nothing.
  Real product = 0;
  for (std::size_t i = 0; i + 1 < normal.size(); ++i) product += normal[i] * normal[i + 1];
  EXPECT_NEAR(product / static_cast<Real>(count), 0, 5 / root);
}

}  // namespace

void register_random_tests() {
  for (const DType dtype : float_dtypes) {
    const std::string types(name_of(dtype));
    register_test("rand_uniform", types, [dtype] { test_uniform(dtype); });
    register_test("rand_normal", types, [dtype] { test_normal(dtype); });
    register_test("rand_grids", types, [dtype] { test_grids(dtype); });
    register_test("rand_devices", types, [dtype] { test_devices(dtype); });
    register_test("rand_seed", types, [dtype] { test_seed(dtype); });
    register_test("rand_distribution", types, [dtype] { test_distribution(dtype); });
  }
}

}  // namespace kernelgen::conformance
