// Resized images on GPUs, executed by the host: rows of one and two columns, of a patch, and of parts of one.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "elements.hpp"
#include "ops/iteration.hpp"
#include "pool/upsample.hpp"

namespace kg {
namespace {

struct Size {
  u32 rows, columns;
};

struct Case {
  u32 planes;
  Size from, to;
  u32 patch_rows;
};

class Upsample : public testing::TestWithParam<Case> {
 protected:
  /// The whole result, in patches of f32.
  static ImagePatches patches_of(const Case& c) {
    using kernelgen::divisor;
    const u32 across = (c.to.columns - 1) / patch_columns(sizeof(f32)) + 1,
              down = (c.to.rows - 1) / c.patch_rows + 1;
    const ImagePiece piece{divisor(c.to.columns), divisor(c.to.rows), c.planes * c.to.rows * c.to.columns, 0};
    return {piece, divisor(across), divisor(down), c.planes * across * down, c.patch_rows};
  }
  static std::vector<f32> image(const Case& c) {
    std::vector<f32> x(c.planes * c.from.rows * c.from.columns);
    std::mt19937 random(5);
    for (f32& element : x) element = simulated::draw<f32>(simulated::Elements::small_integers, random);
    return x;
  }
  static f64 step(u32 from, u32 to) { return static_cast<f64>(from) / to; }
};

TEST_P(Upsample, RepeatsTheNearest) {
  const Case& c = GetParam();
  const std::vector<f32> x = image(c);
  std::vector<f32> y(c.planes * c.to.rows * c.to.columns + 1, 77);
  const ImagePatches patches = patches_of(c);
  simulated::block.launch(2, 256, [&] {
    upsample_nearest2d(x.data(), y.data(), patches, c.from.rows, c.from.columns, step(c.from.rows, c.to.rows),
                       step(c.from.columns, c.to.columns));
  });
  std::size_t i = 0;
  for (u32 plane = 0; plane < c.planes; ++plane)
    for (u32 row = 0; row < c.to.rows; ++row)
      for (u32 column = 0; column < c.to.columns; ++column, ++i) {
        const u32 line = plane * c.from.rows + row * c.from.rows / c.to.rows;
        ASSERT_EQ(y[i], x[line * c.from.columns + column * c.from.columns / c.to.columns]) << i;
      }
  EXPECT_EQ(y.back(), 77);
}

TEST_P(Upsample, MixesNeighbours) {
  const Case& c = GetParam();
  const std::vector<f32> x = image(c);
  std::vector<f32> y(c.planes * c.to.rows * c.to.columns + 1, 77);
  const ImagePatches patches = patches_of(c);
  simulated::block.launch(2, 256, [&] {
    upsample_bilinear2d(x.data(), y.data(), patches, c.from.rows, c.from.columns,
                        step(c.from.rows, c.to.rows), step(c.from.columns, c.to.columns), 0.5);
  });
  const auto position = [](u32 index, u32 from, u32 to) {
    return std::clamp((index + 0.5) * from / to - 0.5, 0.0, from - 1.0);
  };
  std::size_t i = 0;
  for (u32 plane = 0; plane < c.planes; ++plane)
    for (u32 row = 0; row < c.to.rows; ++row)
      for (u32 column = 0; column < c.to.columns; ++column, ++i) {
        const f64 at_row = position(row, c.from.rows, c.to.rows),
                  at_column = position(column, c.from.columns, c.to.columns);
        f64 wanted = 0;
        for (u32 r = 0; r < c.from.rows; ++r)
          for (u32 k = 0; k < c.from.columns; ++k)
            wanted += std::max(0.0, 1 - std::abs(at_row - r)) * std::max(0.0, 1 - std::abs(at_column - k)) *
                      x[(plane * c.from.rows + r) * c.from.columns + k];
        ASSERT_NEAR(y[i], wanted, 1e-5) << i;
      }
  EXPECT_EQ(y.back(), 77);
}

INSTANTIATE_TEST_SUITE_P(Images, Upsample,
                         testing::Values(Case{3, {5, 1}, {10, 2}, 1}, Case{1, {40, 1}, {80, 1}, 1},
                                         Case{2, {9, 2}, {7, 2}, 1}, Case{2, {5, 2}, {10, 3}, 1},
                                         Case{2, {4, 2}, {8, 4}, 2}, Case{1, {6, 5}, {13, 11}, 4}));

}  // namespace
}  // namespace kg
