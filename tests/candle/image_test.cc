// candle's pools and upsampling of strided images. A dim that candle calls w here and in upsample_nearest2d is the rows.
#include <gtest/gtest.h>

#include "conformance/expect.hpp"
#include "conformance/inputs.hpp"
#include "conformance/tolerance.hpp"
#include "image_case.hpp"

namespace kernelgen::candle {
namespace {

using conformance::accumulator_unit;
using conformance::moderate;
using conformance::pool;
using conformance::sum_slack;
using reference::Pair;

Pair size_of_image(const Shape& shape) { return {shape[2], shape[3]}; }
std::string text(const char* name, Pair pair) {
  return std::string(", ") + name + " " + std::to_string(pair.rows) + "x" + std::to_string(pair.columns);
}

struct PoolCase {
  Shape shape;
  Pair kernel, stride;
};
const PoolCase pool_cases[] = {
    {{2, 3, 8, 8}, {2, 2}, {2, 2}}, {{1, 2, 9, 11}, {3, 3}, {1, 1}}, {{2, 1, 7, 13}, {3, 2}, {2, 3}},
    {{1, 1, 5, 5}, {5, 5}, {1, 1}}, {{3, 2, 4, 6}, {1, 1}, {3, 2}},  {{1, 3, 1, 40}, {1, 7}, {1, 2}},
    {{1, 1, 1, 1}, {1, 1}, {1, 1}}, {{0, 3, 4, 4}, {2, 2}, {2, 2}},
};

void check_pool(const char* kernel, DType dtype, const PoolCase& c, Kind kind, const Elements& values) {
  const bool average = std::string_view(kernel) == "avg_pool2d";
  const View x(kind, c.shape, values);
  const Sums sums = (average ? reference::average_pool : reference::max_pool)(
      x.values, c.shape[0] * c.shape[1], size_of_image(c.shape), c.kernel, c.stride);
  // The division rounds once more.
  const Real error = average && is_float(dtype)
                         ? sum_slack(dtype, c.kernel.rows * c.kernel.columns, 1) + accumulator_unit(dtype)
                         : 0;
  const Tensor info = info_of({x.layout});
  check(
      kernel, "of " + x.layout.to_string() + text("kernel", c.kernel) + text("stride", c.stride), dtype,
      static_cast<std::int64_t>(sums.value.size()),
      [&](void* out) {
        return Block()
            .add(Size(x.values.count()))
            .add(Size(c.kernel.rows))
            .add(Size(c.kernel.columns))
            .add(Size(c.stride.rows))
            .add(Size(c.stride.columns))
            .add(info)
            .add(x.tensor)
            .add(out);
      },
      within(sums, dtype, error));
}

TEST(CandleImage, Pools) {
  for (const DType dtype : image_dtypes)
    for (const PoolCase& c : pool_cases)
      for (const Kind kind : kinds) {
        check_pool("avg_pool2d", dtype, c, kind, is_float(dtype) ? moderate(dtype, 997, 11) : pool(dtype));
        check_pool("max_pool2d", dtype, c, kind, pool(dtype));
      }
}

struct SizeCase {
  Shape shape;
  Pair to;
};
const SizeCase size_cases[] = {
    {{1, 2, 3, 5}, {6, 10}}, {{2, 1, 3, 5}, {7, 13}}, {{2, 3, 7, 9}, {3, 4}}, {{1, 1, 1, 1}, {3, 5}},
    {{1, 1, 4, 6}, {1, 1}},  {{1, 3, 6, 4}, {6, 4}},  {{0, 2, 3, 3}, {5, 5}}, {{1, 1, 2, 3}, {5, 1031}},
};

TEST(CandleImage, NearestUpsampling) {
  for (const DType dtype : image_dtypes)
    for (const SizeCase& c : size_cases)
      for (const Kind kind : kinds) {
        const View x(kind, c.shape, pool(dtype));
        const Sums sums =
            reference::upsample_nearest(x.values, c.shape[0] * c.shape[1], size_of_image(c.shape), c.to);
        const Tensor info = info_of({x.layout});
        check(
            "upsample_nearest2d", "of " + x.layout.to_string() + text("to", c.to), dtype,
            static_cast<std::int64_t>(sums.value.size()),
            [&](void* out) {
              return Block()
                  .add(Size(c.to.rows))
                  .add(Size(c.to.columns))
                  .add(static_cast<double>(c.shape[2]) / static_cast<double>(c.to.rows))
                  .add(static_cast<double>(c.shape[3]) / static_cast<double>(c.to.columns))
                  .add(info)
                  .add(x.tensor)
                  .add(out);
            },
            within(sums, dtype, 0));
      }
}

void check_bilinear(DType dtype, const SizeCase& c, Kind kind, bool align_corners,
                    std::optional<double> row_scale, std::optional<double> column_scale,
                    const Elements& values) {
  const View x(kind, c.shape, values);
  const Sums sums = reference::upsample_bilinear(x.values, c.shape[0] * c.shape[1], size_of_image(c.shape),
                                                 c.to, align_corners, row_scale, column_scale);
  // A weight and three roundings of each axis; integers and f64 are computed in f64.
  const Real unit = accumulator_unit(is_float(dtype) ? dtype : DType::f64);
  const Tensor info = info_of({x.layout});
  check(
      "upsample_bilinear2d",
      "of " + x.layout.to_string() + text("to", c.to) + (align_corners ? ", aligned corners" : ""), dtype,
      static_cast<std::int64_t>(sums.value.size()),
      [&](void* out) {
        return Block()
            .add(Size(c.to.columns))
            .add(Size(c.to.rows))
            .add(align_corners)
            .add(row_scale.has_value())
            .add(row_scale.value_or(0))
            .add(column_scale.has_value())
            .add(column_scale.value_or(0))
            .add(info)
            .add(x.tensor)
            .add(out);
      },
      within(sums, dtype, 6 * unit));
}

TEST(CandleImage, BilinearUpsampling) {
  for (const DType dtype : image_dtypes) {
    const Elements values = is_float(dtype) ? moderate(dtype, 997, 12) : pool(dtype);
    for (const bool align_corners : {false, true}) {
      for (const SizeCase& c : size_cases)
        for (const Kind kind : kinds) check_bilinear(dtype, c, kind, align_corners, {}, {}, values);
      const SizeCase scaled{{1, 2, 5, 7}, {8, 11}};
      check_bilinear(dtype, scaled, Kind::gaps, align_corners, 1.7, {}, values);
      check_bilinear(dtype, scaled, Kind::gaps, align_corners, {}, 0.6, values);
      check_bilinear(dtype, scaled, Kind::reversed_dims, align_corners, 0.3, 20.5, values);
      // The same size: every kind of number as it is, with or without infinities next to it.
      check_bilinear(dtype, {{1, 1, 9, 17}, {9, 17}}, Kind::contiguous, align_corners, {}, {},
                     conformance::specials(dtype));
    }
  }
}

}  // namespace
}  // namespace kernelgen::candle
