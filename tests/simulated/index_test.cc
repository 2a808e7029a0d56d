// Gather and scatter on GPUs, executed by the host: rows that share their indices, in tiles of any size, and sums of
// narrow elements computed in steps.
#include "index/index.hpp"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "elements.hpp"
#include "ops/iteration.hpp"

namespace kg {
namespace {

using namespace simulated;

/// The layout of operands as a launch passes it, dims innermost first.
template <int N>
Strided<N> strided(const std::vector<u32>& extents, const std::array<std::vector<i64>, N>& strides) {
  Strided<N> layout{};
  layout.rank = static_cast<u32>(extents.size());
  layout.elements = 1;
  for (std::size_t d = 0; d < extents.size(); ++d) {
    layout.dim[d] = kernelgen::divisor(extents[d]);
    layout.elements *= extents[d];
    for (std::size_t k = 0; k < N; ++k) layout.stride[k][d] = strides[k][d];
  }
  return layout;
}

IndexCheck check_of(IndexFault& fault, u64 size, u64 inner, u64 count) {
  return {reinterpret_cast<b64*>(&fault), 1, 2, size, inner, count};
}

struct LookupCase {
  u32 columns, rows, tile_columns, tile_rows, blocks;
};

class LookUp : public testing::TestWithParam<LookupCase> {};

/// y[row][column] = x[row][ids[column]], and 0 where that is none.
TEST_P(LookUp, RowsShareIndices) {
  const auto [columns, rows, tile_columns, tile_rows, blocks] = GetParam();
  constexpr i64 positions = 37, x_row = 41, guard = 0x5555;
  std::mt19937 random(columns * 7 + rows);
  std::vector<u16> x(static_cast<std::size_t>(rows * x_row));
  for (u16& element : x) element = static_cast<u16>(random() % 0x5000 + 1);
  std::vector<u8> ids(columns);
  for (u8& id : ids) id = static_cast<u8>(random() % positions);
  ids[columns / 2] = Limits<u8>::highest;
  std::vector<u16> y(std::size_t{rows} * columns + 1, guard);
  IndexFault fault{};
  const Strided<2> layout = strided<2>({columns}, {{{0}, {1}}});
  block.launch(blocks, 256, [&] {
    gather(x.data(), Ids(ids.data(), static_cast<u32>(IdType::u8)), y.data(), layout, 1, 0,
           GatherRows(rows, x_row, columns, tile_columns, tile_rows), check_of(fault, positions, 1, columns));
  });
  for (std::size_t i = 0; i + 1 < y.size(); ++i) {
    const std::size_t row = i / columns, column = i % columns;
    const u16 wanted = column == columns / 2 ? 0 : x[row * x_row + ids[column]];
    ASSERT_EQ(y[i], wanted) << row << " " << column;
  }
  EXPECT_EQ(y.back(), guard);
  EXPECT_EQ(fault.call, 0u);
}

INSTANTIATE_TEST_SUITE_P(Tiles, LookUp,
                         testing::Values(LookupCase{1, 1, 1, 1, 1}, LookupCase{300, 1, 256, 1, 2},
                                         LookupCase{5000, 1, 1024, 1, 5}, LookupCase{5000, 1, 2048, 1, 4},
                                         LookupCase{300, 7, 150, 3, 6}, LookupCase{300, 7, 300, 3, 3},
                                         LookupCase{36, 50, 36, 14, 5}, LookupCase{1, 600, 1, 256, 3},
                                         LookupCase{1025, 5, 205, 64, 5}, LookupCase{2600, 4, 867, 2, 7}));

template <class T>
class NarrowSums : public testing::Test {};
using Narrow = testing::Types<f16, bf16, f8e4m3>;
TYPED_TEST_SUITE(NarrowSums, Narrow, TypeNames);

/// Down columns of a view with gaps: several sources for a position, none for most, and one index that is none.
TYPED_TEST(NarrowSums, ChangeSelectedElementsAlone) {
  using T = TypeParam;
  constexpr i64 positions = 23, columns = 9, y_row = 11, sources = 40;
  std::mt19937 random(3);
  std::vector<T> y(positions * y_row), source(sources * columns);
  for (T& element : y) element = draw<T>(Elements::small_integers, random);
  for (T& element : source) element = draw<T>(Elements::small_integers, random);
  std::vector<i32> ids(sources);
  for (i32& id : ids) id = static_cast<i32>(random() % 7 * 3);
  ids[5] = Limits<i32>::highest;
  std::vector<f32> wanted;
  for (const T element : y) wanted.push_back(widen(element));
  for (i64 s = 0; s < sources; ++s)
    for (i64 c = 0; c < columns && s != 5; ++c)
      wanted[static_cast<std::size_t>(ids[static_cast<std::size_t>(s)] * y_row + c)] +=
          widen(source[static_cast<std::size_t>(s * columns + c)]);
  std::vector<f32> sums(positions * columns, -1e30f);
  IndexFault fault{};
  const std::vector<i64> no_step{1, 0}, all{1, columns}, each_row{0, 1};
  for (const ScatterStep step : {ScatterStep::widen, ScatterStep::add, ScatterStep::narrow}) {
    const bool adds = step == ScatterStep::add;
    const Strided<3> layout = strided<3>({columns, sources}, {{no_step, adds ? all : no_step, each_row}});
    block.launch(2, 256, [&] {
      scatter_add_positions(sums.data(), adds ? source.data() : y.data(), ids.data(),
                            static_cast<u32>(IdType::i32), static_cast<u32>(step), layout, columns,
                            adds ? 0 : y_row, 0, check_of(fault, positions, columns, sources));
    });
  }
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(widen(y[i]), widen(convert<T>(wanted[i]))) << i / y_row << " " << i % y_row;
  EXPECT_EQ(fault.call, 0u);
}

/// Many sources of few elements, so that searches meet each other, and zeros of both signs.
TYPED_TEST(NarrowSums, AreHashed) {
  using T = TypeParam;
  constexpr i64 size = 5000, sources = 900, slots = sources + 1, y_step = 2;
  std::mt19937 random(4);
  std::vector<T> y(size * y_step), source(sources);
  for (T& element : y) element = draw<T>(Elements::small_integers, random);
  for (T& element : source) element = draw<T>(Elements::small_integers, random);
  std::vector<i64> ids(sources);
  for (i64& id : ids) id = static_cast<i64>(random() % 450 * 11);
  ids[7] = 1;
  y[y_step] = source[7] = convert<T>(-0.0f);
  std::vector<f32> wanted;
  for (const T element : y) wanted.push_back(widen(element));
  for (std::size_t i = 0; i < sources; ++i)
    wanted[static_cast<std::size_t>(ids[i] * y_step)] += widen(source[i]);
  std::vector<i64> table(slots, scatter_empty_slot);
  IndexFault fault{};
  for (const ScatterStep step : {ScatterStep::add_hashed, ScatterStep::add_slots}) {
    block.launch(2, 256, [&] {
      scatter_add_positions(table.data(), step == ScatterStep::add_hashed ? source.data() : y.data(),
                            ids.data(), static_cast<u32>(IdType::i64), static_cast<u32>(step),
                            strided<3>({sources}, {{{0}, {1}, {1}}}), y_step, slots, 0,
                            check_of(fault, size, 1, sources));
    });
  }
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(bit_cast<u32>(widen(y[i])), bit_cast<u32>(widen(convert<T>(wanted[i])))) << i;
  EXPECT_EQ(fault.call, 0u);
}

/// An index that is none is reported by its position, whichever step meets it, and touches nothing.
TEST(NarrowSumsOf, ABadIndex) {
  std::vector<f16> y(4, f16{0x3c00}), source(3, f16{0x3c00});
  const std::vector<i16> ids{1, -3, 9};
  std::vector<f32> sums(4);
  const std::vector<i64> none{0}, each{1};
  for (const ScatterStep step : {ScatterStep::widen, ScatterStep::add, ScatterStep::narrow}) {
    const bool adds = step == ScatterStep::add;
    IndexFault fault{};
    block.launch(1, 256, [&] {
      scatter_add_positions(sums.data(), adds ? source.data() : y.data(), ids.data(),
                            static_cast<u32>(IdType::i16), static_cast<u32>(step),
                            strided<3>({3}, {{none, adds ? each : none, each}}), 1, adds ? 0 : 1, 0,
                            check_of(fault, 4, 1, 3));
    });
    EXPECT_EQ(fault.position, 1u);
    EXPECT_EQ(fault.value, -3);
  }
  EXPECT_EQ(widen(y[1]), 2);
  for (const std::size_t other : {0, 2, 3}) EXPECT_EQ(widen(y[other]), 1);
}

}  // namespace
}  // namespace kg
