// Element-wise kernels of views on GPUs, executed by the host.
#include "elementwise/copy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "elements.hpp"
#include "elementwise/binary.hpp"
#include "ops/tiles.hpp"

namespace kg {
namespace {

using kernelgen::Iteration;
using kernelgen::Layout;
using kernelgen::Shape;

/// A shape, and the order in which its dims are in memory, outermost first.
struct View {
  std::vector<std::int64_t> shape;
  std::vector<std::size_t> order;
  bool on_gpu_alone = true;  ///< tiles pay, where they do, with dims between neighbours

  Layout layout() const {
    std::vector<std::int64_t> strides(shape.size());
    std::int64_t step = 1;
    for (std::size_t d = order.size(); d-- > 0; step *= shape[order[d]]) strides[order[d]] = step;
    return {Shape(shape), Shape(strides), 0};
  }
};

/// So few units that tiles pay off.
constexpr kernelgen::DeviceTraits gpu{
    .kind = kernelgen::DeviceKind::hip, .compute_units = 4, .wave_size = 64};

class Tiled : public testing::TestWithParam<View> {};

std::vector<u32> numbers(u64 count) {
  std::vector<u32> values(count);
  std::mt19937 random(1);
  for (u32& value : values) value = random();
  return values;
}

/// The offset of each element of a view, in row-major order.
std::vector<i64> offsets_of(const Layout& layout) {
  std::vector<i64> offsets{0};
  for (std::size_t d = 0; d < layout.shape.size(); ++d) {
    std::vector<i64> inner;
    for (const i64 offset : offsets)
      for (i64 i = 0; i < layout.shape[d]; ++i) inner.push_back(offset + i * layout.strides[d]);
    offsets = std::move(inner);
  }
  return offsets;
}

TEST_P(Tiled, CopiesEveryElement) {
  const Layout layout = GetParam().layout();
  const Iteration<1> nest(layout.shape, {&layout});
  const auto dims = kernelgen::tile_dims(gpu, nest, 0, sizeof(u32));
  ASSERT_TRUE(dims);
  EXPECT_EQ(kernelgen::tile_dims({}, nest, 0, sizeof(u32)).has_value(), !GetParam().on_gpu_alone);
  const auto tiles = kernelgen::make_tiles(nest, *dims, tile_side(sizeof(u32)));
  const std::vector<i64> at = offsets_of(layout);
  const std::vector<u32> x = numbers(at.size());
  std::vector<u32> y(at.size());
  simulated::block.launch(7, 256, [&] { copy_tiled(x.data(), y.data(), tiles); });
  for (std::size_t i = 0; i < at.size(); ++i) ASSERT_EQ(y[i], x[static_cast<std::size_t>(at[i])]) << i;
}

TEST_P(Tiled, SubtractsEveryElement) {
  const Layout permuted = GetParam().layout();
  const Layout plain = Layout::contiguous(permuted.shape);
  const Iteration<2> nest(permuted.shape, {&plain, &permuted});
  EXPECT_FALSE(kernelgen::tile_dims(gpu, nest, 0, sizeof(u32)));
  const auto dims = kernelgen::tile_dims(gpu, nest, 1, sizeof(u32));
  ASSERT_TRUE(dims);
  const auto tiles = kernelgen::make_tiles(nest, *dims, tile_side(sizeof(u32)), 1);
  const std::vector<i64> at = offsets_of(permuted);
  const std::vector<u32> x = numbers(at.size());
  std::vector<u32> y(at.size());
  simulated::block.launch(7, 256, [&] {
    binary_tiled([](u32 a, u32 b) { return a - b; }, x.data(), x.data(), y.data(), tiles, 1);
  });
  for (std::size_t i = 0; i < at.size(); ++i) ASSERT_EQ(y[i], x[i] - x[static_cast<std::size_t>(at[i])]) << i;
}

template <class T, int W>
void expect_packs_across() {
  alignas(16) T numbers[64];
  for (std::size_t i = 0; i < 64; ++i) numbers[i] = static_cast<T>(i * 0x0101010101010101 + i * i);
  for (std::size_t first = 0; first + W <= 64; ++first) {
    const Pack<T, W> pack = load_pack_overreading<W>(numbers + first);
    for (int e = 0; e < W; ++e)
      ASSERT_EQ(pack.get(e), numbers[first + static_cast<std::size_t>(e)]) << first << ", " << e;
    // Bytes after the pack may be those of no allocation.
    if constexpr (pack.bytes < pack.word_bytes) ASSERT_EQ(pack.word[0] >> pack.bytes * 8, 0) << first;
  }
}

TEST(Packs, AreLoadedFromAnyAlignment) {
  expect_packs_across<u8, 16>();
  expect_packs_across<u8, 4>();
  expect_packs_across<u8, 2>();
  expect_packs_across<u16, 8>();
  expect_packs_across<u16, 2>();
  expect_packs_across<u16, 1>();
  expect_packs_across<u32, 4>();
  expect_packs_across<u32, 8>();
  expect_packs_across<u64, 2>();
  expect_packs_across<u64, 8>();
}

/// A view of an operand with other strides.
struct Pair {
  std::vector<std::int64_t> shape, first, second;
};

class StridedMap : public testing::TestWithParam<Pair> {
 protected:
  /// The offset that keeps every element of a view at or after the operand's first.
  static Layout layout_of(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
    return {Shape(shape), Shape(strides), 0};
  }
};

TEST_P(StridedMap, MapsEveryElement) {
  const auto& [shape, first, second] = GetParam();
  const Layout a = layout_of(shape, first), b = layout_of(shape, second);
  const Iteration<2> nest(a.shape, {&a, &b});
  const std::vector<i64> at_a = offsets_of(a), at_b = offsets_of(b);
  const auto [least_a, greatest_a] = std::ranges::minmax(at_a);
  const auto [least_b, greatest_b] = std::ranges::minmax(at_b);
  const std::vector<u32> x = numbers(static_cast<u64>(greatest_a - least_a + 1)),
                         z = numbers(static_cast<u64>(greatest_b - least_b + 1));
  for (const u32 blocks : {1, 3, 64}) {
    std::vector<u32> y(at_a.size() + 1, 77);
    nest.for_each_piece([&](const auto& piece, const auto& offsets, std::int64_t) {
      simulated::block.launch(blocks, 256, [&] {
        map([](u32 p, u32 q) { return 3 * p - q; }, y.data(), piece, x.data() + offsets[0] - least_a,
            z.data() + offsets[1] - least_b);
      });
    });
    for (std::size_t i = 0; i < at_a.size(); ++i)
      ASSERT_EQ(y[i], 3 * x[static_cast<std::size_t>(at_a[i] - least_a)] -
                          z[static_cast<std::size_t>(at_b[i] - least_b)])
          << i << " by " << blocks;
    EXPECT_EQ(y.back(), 77u);
  }
}

/// The first view's elements into the second, which has no element twice.
TEST_P(StridedMap, CopiesIntoAView) {
  const auto& [shape, first, second] = GetParam();
  const Layout a = layout_of(shape, first), b = layout_of(shape, second);
  const std::vector<i64> from = offsets_of(b), to = offsets_of(a);
  const auto [least_a, greatest_a] = std::ranges::minmax(to);
  const auto [least_b, greatest_b] = std::ranges::minmax(from);
  const std::vector<u32> x = numbers(static_cast<u64>(greatest_b - least_b + 1));
  std::vector<u32> y(static_cast<std::size_t>(greatest_a - least_a + 1), 77), wanted = y;
  for (std::size_t i = 0; i < to.size(); ++i)
    wanted[static_cast<std::size_t>(to[i] - least_a)] = x[static_cast<std::size_t>(from[i] - least_b)];
  Iteration<2>(a.shape, {&b, &a}).for_each_piece([&](const auto& piece, const auto&, std::int64_t) {
    simulated::block.launch(2, 256, [&] { copy_scatter(x.data() - least_b, y.data() - least_a, piece); });
  });
  EXPECT_EQ(y, wanted);
}

INSTANTIATE_TEST_SUITE_P(
    Views, StridedMap,
    testing::Values(Pair{{1}, {1}, {1}}, Pair{{3001}, {2}, {-1}}, Pair{{5000}, {1}, {0}},
                    // Rows that packs fit, and whose starts they do not.
                    Pair{{40, 64}, {64, 1}, {68, 1}}, Pair{{40, 64}, {65, 1}, {0, 1}},
                    // Rows that packs do not fit, and which end inside them.
                    Pair{{90, 161}, {161, 1}, {163, 1}}, Pair{{3, 33, 70}, {2310, 70, 1}, {0, 1, 0}},
                    Pair{{900, 2}, {3, 1}, {1, 900}}, Pair{{700, 5}, {5, 1}, {0, 1}},
                    Pair{{81, 81}, {90, 1}, {1, 81}}, Pair{{2, 600, 3}, {5000, 4, 1}, {3, 6, 1}},
                    // Outer dims that do not divide by the elements of a thread.
                    Pair{{2, 601, 3}, {5000, 4, 1}, {3, 6, 1}}, Pair{{2, 3, 700}, {4500, 1500, 2}, {1, 2, 6}},
                    Pair{{7, 450}, {900, 2}, {1, 7}}, Pair{{6, 5, 90}, {450, 90, 1}, {1, 6, 30}},
                    // Few rows above one another, which end soon after they began.
                    Pair{{300, 3, 7}, {50, 8, 1}, {7, 2100, 1}},
                    Pair{{5, 4, 3, 200}, {9000, 2000, 600, 2}, {0, 1, 0, 4}},
                    Pair{{3, 2, 3, 2, 3, 2, 3, 2},
                         {2000, 900, 300, 140, 45, 20, 6, 2},
                         {1, 3, 6, 18, 36, 108, 216, 648}}));

INSTANTIATE_TEST_SUITE_P(Views, Tiled,
                         testing::Values(View{{70, 130}, {1, 0}, false},
                                         View{{3, 65, 2, 77}, {0, 3, 2, 1}, false},
                                         // Between neighbours of the result: 2 · 3.
                                         View{{97, 501, 2, 3}, {2, 3, 1, 0}},
                                         // Between neighbours of the source, and of both.
                                         View{{2, 21, 7001}, {2, 1, 0}},
                                         View{{3, 40, 700, 4}, {3, 2, 1, 0}}));

}  // namespace
}  // namespace kg
