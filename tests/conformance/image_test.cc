// avg_pool2d, max_pool2d, upsample_*: various windows and sizes, over every layout class.
#include <gtest/gtest.h>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "reference/image.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using reference::Pair;
using reference::Sums;

constexpr std::int64_t pool_size = 1 << 12;

Pair size_of(const Shape& shape) { return {shape.size() == 3 ? 1 : shape[2], shape.back()}; }
std::int64_t planes_of(const Shape& shape) { return shape[0] * shape[1]; }

/// Exact results, or with `units` accumulator's units of the magnitude.
Approximation approximate(const Sums& sums, Real error) {
  Approximation result;
  for (std::size_t i = 0; i < sums.value.size(); ++i)
    result.add(sums.value[i], error == 0 ? 0 : error * sums.magnitude[i]);
  return result;
}

std::string describe(const char* operation, DType dtype, Kind kind, const Shape& shape) {
  return std::string(operation) + " " + std::string(name_of(dtype)) + " " + shape.to_string() + " " +
         std::string(name_of(kind));
}

struct PoolCase {
  Shape shape;
  Pair kernel, stride;
};

const PoolCase pool_cases[] = {{{2, 3, 8, 8}, {2, 2}, {2, 2}},   {{1, 2, 9, 11}, {3, 3}, {1, 1}},
                               {{2, 1, 7, 13}, {3, 2}, {2, 3}},  {{1, 1, 5, 5}, {5, 5}, {1, 1}},
                               {{3, 2, 4, 6}, {1, 1}, {3, 2}},   {{1, 3, 1, 40}, {1, 7}, {1, 2}},
                               {{2, 2, 33, 35}, {3, 3}, {2, 2}}, {{1, 1, 1, 1}, {1, 1}, {1, 1}},
                               {{0, 3, 4, 4}, {2, 2}, {2, 2}},   {{2, 0, 4, 4}, {2, 2}, {2, 2}}};

std::string describe(const char* operation, DType dtype, Kind kind, const PoolCase& c) {
  return describe(operation, dtype, kind, c.shape) + ", kernel " + std::to_string(c.kernel.rows) + "x" +
         std::to_string(c.kernel.columns) + ", stride " + std::to_string(c.stride.rows) + "x" +
         std::to_string(c.stride.columns);
}

void check_avg_pool(DType dtype, Kind kind, const PoolCase& c, const Elements& values) {
  const Input x = make_input(kind, c.shape, values);
  const Sums sums =
      reference::average_pool(x.elements, planes_of(c.shape), size_of(c.shape), c.kernel, c.stride);
  const std::int64_t count = c.kernel.rows * c.kernel.columns;
  // The division rounds once more.
  const Real error = is_float(dtype) ? sum_slack(dtype, count, 1) + accumulator_unit(dtype) : 0;
  const Shape shape{c.shape[0], c.shape[1], (c.shape[2] - c.kernel.rows) / c.stride.rows + 1,
                    (c.shape[3] - c.kernel.columns) / c.stride.columns + 1};
  expect_call(describe("avg_pool2d", dtype, kind, c), dtype, shape, approximate(sums, error),
              [&](const CallOptions& options) {
                return avg_pool2d(x.tensor, {c.kernel.rows, c.kernel.columns},
                                  {c.stride.rows, c.stride.columns}, options);
              });
}

void check_max_pool(DType dtype, Kind kind, const PoolCase& c, const Elements& values) {
  const Input x = make_input(kind, c.shape, values);
  const Sums sums = reference::max_pool(x.elements, planes_of(c.shape), size_of(c.shape), c.kernel, c.stride);
  const Shape shape{c.shape[0], c.shape[1], (c.shape[2] - c.kernel.rows) / c.stride.rows + 1,
                    (c.shape[3] - c.kernel.columns) / c.stride.columns + 1};
  expect_call(describe("max_pool2d", dtype, kind, c), dtype, shape, approximate(sums, 0),
              [&](const CallOptions& options) {
                return max_pool2d(x.tensor, {c.kernel.rows, c.kernel.columns},
                                  {c.stride.rows, c.stride.columns}, options);
              });
}

/// More elements than one CPU thread or one GPU block takes, rows longer than a run of them.
const PoolCase large_pool{{2, 3, 70, 1031}, {3, 3}, {2, 2}};

/// Enough work for a GPU's threads to take several rows each, in the last patches fewer.
const PoolCase many_rows{{1, 3, 331, 1061}, {2, 2}, {1, 1}};

void test_avg_pool(DType dtype) {
  const Elements values = is_float(dtype) ? moderate(dtype, pool_size, 11) : pool(dtype);
  for (const PoolCase& c : pool_cases)
    for (const Kind kind : strided_kinds) check_avg_pool(dtype, kind, c, values);
  check_avg_pool(dtype, Kind::contiguous, large_pool, values);
  check_avg_pool(dtype, Kind::contiguous, {{1, 1, 70, 1031}, {64, 1000}, {1, 1}}, values);
  if (!is_float(dtype)) return;
  if (dtype == DType::f32) check_avg_pool(dtype, Kind::contiguous, many_rows, values);
  // Every kind of number, one a window.
  check_avg_pool(dtype, Kind::contiguous, {{1, 1, 1, 200}, {1, 1}, {1, 1}}, specials(dtype));
}

void test_max_pool(DType dtype) {
  for (const PoolCase& c : pool_cases)
    for (const Kind kind : strided_kinds) check_max_pool(dtype, kind, c, pool(dtype));
  check_max_pool(dtype, Kind::contiguous, large_pool, specials(dtype));
  check_max_pool(dtype, Kind::transposed, large_pool, pool(dtype));
  if (dtype == DType::f32) check_max_pool(dtype, Kind::contiguous, many_rows, specials(dtype));
}

struct SizeCase {
  Shape shape;
  Pair to;
};

const SizeCase size_cases[] = {
    {{1, 2, 3, 5}, {6, 10}},      {{2, 1, 3, 5}, {7, 13}}, {{2, 3, 7, 9}, {3, 4}},
    {{1, 1, 1, 1}, {3, 5}},       {{1, 1, 4, 6}, {1, 1}},  {{1, 3, 6, 4}, {6, 4}},
    {{0, 2, 3, 3}, {5, 5}},       {{1, 2, 3, 3}, {0, 5}},  {{1, 1, 2, 3}, {5, 1031}},
    {{2, 2, 70, 65}, {130, 257}}, {{3, 50, 2, 2}, {4, 4}}, {{1, 2, 90, 3}, {201, 6}}};

/// Several rows a GPU thread, from input rows that are used by three, two or one of them.
const SizeCase many_rows_up{{1, 3, 300, 301}, {901, 803}}, many_rows_down{{1, 3, 1000, 301}, {901, 803}};

void check_nearest2d(DType dtype, Kind kind, const SizeCase& c) {
  const Input x = make_input(kind, c.shape, pool(dtype));
  const Sums sums = reference::upsample_nearest(x.elements, planes_of(c.shape), size_of(c.shape), c.to);
  expect_call(describe("upsample_nearest2d", dtype, kind, c.shape) + " to " + std::to_string(c.to.rows) +
                  "x" + std::to_string(c.to.columns),
              dtype, {c.shape[0], c.shape[1], c.to.rows, c.to.columns}, approximate(sums, 0),
              [&](const CallOptions& options) {
                return upsample_nearest2d(x.tensor, {c.to.rows, c.to.columns}, options);
              });
}

void test_nearest2d(DType dtype) {
  for (const SizeCase& c : size_cases)
    for (const Kind kind : strided_kinds) check_nearest2d(dtype, kind, c);
  if (dtype == DType::f32)
    for (const SizeCase& c : {many_rows_up, many_rows_down}) check_nearest2d(dtype, Kind::contiguous, c);
  // Ratios whose products round onto and below whole numbers.
  for (std::int64_t in = 1; in <= 50; ++in)
    check_nearest2d(dtype, Kind::contiguous, {{1, 1, 1, in}, {1, 49 * in % 101 + 1}});
}

void test_nearest1d(DType dtype) {
  for (const Kind kind : strided_kinds)
    for (const std::int64_t length : {0, 1, 5, 7, 14, 1031}) {
      const Shape shape{2, 3, 7};
      const Input x = make_input(kind, shape, pool(dtype));
      const Sums sums = reference::upsample_nearest(x.elements, 6, {1, 7}, {1, length});
      expect_call(describe("upsample_nearest1d", dtype, kind, shape) + " to " + std::to_string(length), dtype,
                  {2, 3, length}, approximate(sums, 0),
                  [&](const CallOptions& options) { return upsample_nearest1d(x.tensor, length, options); });
    }
}

void check_bilinear(DType dtype, Kind kind, const SizeCase& c, bool align_corners, Scale2 scale,
                    const Elements& values) {
  const Input x = make_input(kind, c.shape, values);
  const Sums sums = reference::upsample_bilinear(x.elements, planes_of(c.shape), size_of(c.shape), c.to,
                                                 align_corners, scale.height, scale.width);
  // A weight and three roundings of each axis; integers and f64 are computed in f64.
  const Real unit = is_float(dtype) ? accumulator_unit(dtype) : accumulator_unit(DType::f64);
  expect_call(describe("upsample_bilinear2d", dtype, kind, c.shape) + " to " + std::to_string(c.to.rows) +
                  "x" + std::to_string(c.to.columns) + (align_corners ? ", aligned corners" : ""),
              dtype, {c.shape[0], c.shape[1], c.to.rows, c.to.columns}, approximate(sums, 6 * unit),
              [&](const CallOptions& options) {
                return upsample_bilinear2d(x.tensor, {c.to.rows, c.to.columns}, align_corners, scale,
                                           options);
              });
}

void test_bilinear(DType dtype) {
  const Elements values = is_float(dtype) ? moderate(dtype, pool_size, 12) : pool(dtype);
  for (const bool align_corners : {false, true}) {
    for (const SizeCase& c : size_cases)
      for (const Kind kind : strided_kinds) check_bilinear(dtype, kind, c, align_corners, {}, values);
    if (dtype == DType::f32)
      for (const SizeCase& c : {many_rows_up, many_rows_down})
        check_bilinear(dtype, Kind::contiguous, c, align_corners, {}, values);
    check_bilinear(dtype, Kind::contiguous, {{1, 2, 5, 7}, {8, 11}}, align_corners, {1.7, {}}, values);
    check_bilinear(dtype, Kind::contiguous, {{1, 2, 5, 7}, {8, 11}}, align_corners, {0.3, 20.5}, values);
    // The same size: every kind of number as it is, with or without infinities next to it.
    check_bilinear(dtype, Kind::contiguous, {{1, 1, 9, 17}, {9, 17}}, align_corners, {}, specials(dtype));
  }
}

/// An image of one value stays one of that value: 255 must not become 254.
void test_bilinear_of_one_value(DType dtype) {
  for (const Real value : {1, 7, 100, 255}) {
    const Elements one = reference::make_scalar(dtype, value);
    const Input x = make_input(Kind::contiguous, {1, 1, 7, 11}, repeat(one, 0, 8));
    const Elements got = download(upsample_bilinear2d(x.tensor, {53, 97}, false));
    EXPECT_EQ(got.bytes(), repeat(one, 0, got.count()).bytes()) << name_of(dtype) << " " << value;
  }
}

}  // namespace

void register_image_tests() {
  for (const DType dtype : all_dtypes) {
    const std::string types(name_of(dtype));
    register_test("avg_pool2d", types, [dtype] { test_avg_pool(dtype); });
    register_test("max_pool2d", types, [dtype] { test_max_pool(dtype); });
    register_test("upsample_nearest1d", types, [dtype] { test_nearest1d(dtype); });
    register_test("upsample_nearest2d", types, [dtype] { test_nearest2d(dtype); });
    register_test("upsample_bilinear2d", types, [dtype] { test_bilinear(dtype); });
    register_test("upsample_bilinear2d_of_one_value", types, [dtype] { test_bilinear_of_one_value(dtype); });
  }
}

}  // namespace kernelgen::conformance
