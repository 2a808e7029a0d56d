// Choices of vendor libraries are cached by problem, with a bound.
#include "library/plan_cache.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace kernelgen {
namespace {

using Plans = PlanCache<3, int>;

TEST(PlanCache, MakesAPlanOnce) {
  Plans plans(8);
  int made = 0;
  const auto ask = [&](const Plans::Key& key) {
    return plans.get(key, [&] { return std::make_shared<const int>(++made); });
  };
  const auto first = ask({1, 2, 3});
  EXPECT_EQ(ask({1, 2, 3}), first);
  EXPECT_EQ(made, 1);
  // Every number counts, in its place.
  for (const Plans::Key& other : {Plans::Key{0, 2, 3}, Plans::Key{1, 2, 4}, Plans::Key{2, 1, 3}})
    EXPECT_NE(ask(other), first);
  EXPECT_EQ(made, 4);
  EXPECT_EQ(ask({1, 2, 3}), first);
}

TEST(PlanCache, NoPlanIsAnAnswer) {
  Plans plans(8);
  int asked = 0;
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(plans.get({1, 1, 1},
                        [&] {
                          ++asked;
                          return std::shared_ptr<const int>();
                        }),
              nullptr);
  EXPECT_EQ(asked, 1);
}

TEST(PlanCache, KeepsNothingOfAFailure) {
  Plans plans(8);
  EXPECT_THROW(plans.get({1, 1, 1}, []() -> std::shared_ptr<const int> { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(plans.size(), 0u);
  EXPECT_NE(plans.get({1, 1, 1}, [] { return std::make_shared<const int>(1); }), nullptr);
}

TEST(PlanCache, StartsAnewWhenFull) {
  Plans plans(100);
  for (std::int64_t i = 0; i < 10000; ++i) {
    const auto plan = plans.get({i, 0, 0}, [&] { return std::make_shared<const int>(static_cast<int>(i)); });
    EXPECT_EQ(*plan, i);
    EXPECT_LE(plans.size(), 100u);
  }
}

}  // namespace
}  // namespace kernelgen
