// Packs that are computed in turns equal those computed element by element.
#include "device/pack_loop.hpp"

#include <gtest/gtest.h>

#include "elements.hpp"

namespace kg {
namespace {

template <class T, int W>
Pack<T, W> drawn_pack(std::mt19937& random) {
  Pack<T, W> pack{};
  for (int e = 0; e < W; ++e) pack.set(e, simulated::draw<T>(simulated::Elements::normal, random));
  return pack;
}

/// a · b, which becomes Out, of packs of W.
template <class Out, class A, class B, int W>
void expect_products() {
  std::mt19937 random(3);
  const auto a = drawn_pack<A, W>(random);
  const auto b = drawn_pack<B, W>(random);
  const auto product = [](int e, const auto& left, const auto& right) {
    return convert<Out>(static_cast<f64>(widen(left.get(e))) * static_cast<f64>(widen(right.get(e))));
  };
  constexpr int turn = loop_width<W, Out, A, B>();
  static_assert(turn < W);
  const Pack<Out, W> y = pack_by_loop<Out, W, turn>(product, a, b);
  for (int e = 0; e < W; ++e)
    EXPECT_EQ(static_cast<f64>(widen(y.get(e))), static_cast<f64>(widen(product(e, a, b)))) << e;
}

TEST(Turns, GoThroughAllElements) {
  expect_products<f8e4m3, f8e4m3, f8e4m3, 16>();
  expect_products<f8e4m3, f8e4m3, f8e4m3, 8>();
  expect_products<f64, f64, f64, 2>();
  expect_products<f64, f64, f64, 4>();
  expect_products<f64, f16, f8e4m3, 8>();
  expect_products<f16, f64, f32, 8>();
}

TEST(Turns, AreOneWherePacksAreShortOrTypesAreNotKeptSmall) {
  EXPECT_EQ((loop_width<16, f8e4m3>()), 4);
  EXPECT_EQ((loop_width<8, f64, f16>()), 2);
  EXPECT_EQ((loop_width<2, f64>()), 1);
  EXPECT_EQ((loop_width<2, f8e4m3>()), 2);
  EXPECT_EQ((loop_width<8, f16>()), 8);
  EXPECT_EQ((loop_width<4, f32, f16>()), 4);
}

}  // namespace
}  // namespace kg
