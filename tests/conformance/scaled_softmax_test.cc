// scaled_softmax: softmax of scaled and masked rows, with and without sinks.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "environment.hpp"
#include "expect.hpp"
#include "inputs.hpp"
#include "layouts.hpp"
#include "reference/normalization.hpp"
#include "reference/strided.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

/// What a call adds to softmax; the mask has its own shape and layout class.
struct Extras {
  Real scale = 1;
  std::optional<DType> mask = {};
  Shape mask_shape = {};
  Kind mask_kind = Kind::contiguous;
  bool has_slopes = false, has_sinks = false;
};

/// Every fifth element is masked, never all of a row of two or more.
Elements mask_values(DType dtype, std::int64_t count) {
  std::vector<Real> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(
        i % 5 == 3 ? -std::numeric_limits<Real>::infinity()
                   : std::ldexp(static_cast<Real>(random_bits(static_cast<std::uint64_t>(i)) % 64), -4));
  return reference::make_elements(dtype, values);
}

Approximation expected(const Shape& shape, const Elements& x, const Extras& extras, const Elements& mask,
                       const Elements& slopes, const Elements& sinks) {
  const Real u = accumulator_unit(x.dtype());
  const std::int64_t n = shape.back(), heads = shape.size() < 3 ? 1 : shape[shape.size() - 3],
                     rows = shape.size() < 2 ? 1 : shape[shape.size() - 2];
  Approximation result;
  for (std::int64_t row = 0; row < x.count() / n; ++row) {
    const std::int64_t head = row / rows % heads;
    std::vector<Real> logits;
    Real error = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const Real scaled = real_at(x, row * n + i) * extras.scale;
      const Real slope = extras.has_slopes ? real_at(slopes, head) : 1;
      const Real masked = extras.mask ? slope * real_at(mask, row * n + i) : 0;
      logits.push_back(scaled + masked);
      if (std::isfinite(masked)) error = std::max(error, 3 * u * (std::fabs(scaled) + std::fabs(masked)));
    }
    if (extras.has_sinks) logits.push_back(real_at(sinks, head));
    const reference::Row one = reference::softmax("softmax", logits, u);
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
      result.add(one.values[i], one.slack[i] + 2 * error * one.values[i]);
  }
  return result;
}

void check(DType dtype, const Shape& shape, Kind kind, const Extras& extras) {
  const Input x = make_input(kind, shape, moderate(dtype, 997, 5));
  const std::int64_t heads = shape.size() < 3 ? 1 : shape[shape.size() - 3];
  const Elements slopes = moderate(DType::f32, 64, 17), sinks = moderate(DType::f32, 64, 23);
  const Input slope = make_input(Kind::stepped, {heads}, slopes),
              sink = make_input(Kind::offset, {heads}, sinks);
  Input mask;
  Elements whole_mask;
  if (extras.mask) {
    const View view = make_view(extras.mask_kind, extras.mask_shape);
    const Elements storage = mask_values(*extras.mask, view.storage);
    mask.tensor = upload(storage).with_layout(view.layout);
    whole_mask = reference::gather(storage, reference::repeated(view.layout, shape));
  }
  ScaledSoftmaxOptions options;
  options.scale = static_cast<double>(extras.scale);
  if (extras.mask) options.mask = &mask.tensor;
  if (extras.has_slopes) options.slopes = &slope.tensor;
  if (extras.has_sinks) options.sinks = &sink.tensor;
  expect_call("scaled_softmax " + std::string(name_of(dtype)) + " " + shape.to_string() + " " +
                  std::string(name_of(kind)) + ", mask " + extras.mask_shape.to_string(),
              dtype, shape, expected(shape, x.elements, extras, whole_mask, slope.elements, sink.elements),
              [&](const CallOptions& call) {
                options.out = call.out;
                options.stream = call.stream;
                return scaled_softmax(x.tensor, options);
              });
}

void test_lengths(DType dtype) {
  for (const std::int64_t n : {1, 2, 5, 8, 33, 64, 100, 129, 512, 1000, 4097, 9000}) {
    const Shape shape{2, 3, 2, n};
    check(dtype, shape, Kind::contiguous, {.scale = 0.125L, .mask = DType::f16, .mask_shape = {2, n}});
    check(dtype, shape, Kind::offset,
          {.scale = 0.5L,
           .mask = DType::f32,
           .mask_shape = {2, 1, 1, n},
           .has_slopes = true,
           .has_sinks = true});
    check(dtype, shape, Kind::contiguous, {.scale = 2, .has_sinks = true});
    if (testing::Test::HasFailure()) return;
  }
}

/// Rows that several blocks share, with parts that are masked as a whole.
void test_long_rows() {
  for (const std::int64_t n : {40000, 140003, 300000})
    for (const bool is_aligned : {true, false}) {
      const Kind kind = is_aligned ? Kind::contiguous : Kind::offset;
      check(DType::f32, {1, 2, 2, n}, kind,
            {.scale = 0.5L, .mask = DType::f16, .mask_shape = {2, n}, .has_slopes = true, .has_sinks = true});
      check(DType::f32, {3, n}, kind, {.scale = 0.25L, .mask = DType::f32, .mask_shape = {n}});
      check(DType::f32, {n}, kind, {.scale = 2});
    }
}

void test_layouts(DType dtype) {
  for (const Kind kind : strided_kinds)
    for (const Kind mask_kind : strided_kinds) {
      check(dtype, {2, 3, 4, 40}, kind,
            {.scale = 0.5L,
             .mask = DType::f16,
             .mask_shape = {2, 1, 4, 40},
             .mask_kind = mask_kind,
             .has_slopes = true});
      check(dtype, {3, 5, 17}, kind,
            {.mask = DType::f32, .mask_shape = {5, 17}, .mask_kind = mask_kind, .has_sinks = true});
    }
  check(dtype, {17}, Kind::contiguous, {.scale = -1});
  check(dtype, {3, 17}, Kind::transposed, {.scale = 3, .mask = DType::f32, .mask_shape = {3, 1}});
  check(dtype, {0, 3, 17}, Kind::contiguous, {.has_sinks = true});
}

/// A row whose elements are all masked: zeros with a sink, else NaN. In place.
void test_masked_rows(DType dtype) {
  const Real infinity = std::numeric_limits<Real>::infinity();
  for (const std::int64_t n : {3, 300, 9001, 200001}) {
    const std::vector<Real> nothing(static_cast<std::size_t>(n), -infinity);
    const Tensor mask = upload(reference::make_elements(DType::f32, nothing)),
                 sink = upload(reference::make_elements(DType::f32, std::vector<Real>{1}));
    const Tensor x = upload(moderate(dtype, n, 3)).reshape({1, 1, n});
    const Elements without = download(scaled_softmax(x, {.mask = &mask}));
    scaled_softmax(x, {.out = &x, .mask = &mask, .sinks = &sink});
    const Elements with = download(x);
    for (std::int64_t i = 0; i < n; ++i) {
      ASSERT_TRUE(std::isnan(real_at(without, i))) << i;
      ASSERT_EQ(real_at(with, i), 0) << i;
    }
  }
}

}  // namespace

void register_scaled_softmax_tests() {
  for (const DType dtype : float_dtypes)
    register_test("scaled_softmax", std::string(name_of(dtype)), [dtype] {
      test_lengths(dtype);
      test_layouts(dtype);
      test_masked_rows(dtype);
    });
  register_test("scaled_softmax", "long_rows", test_long_rows);
}

}  // namespace kernelgen::conformance
