#include "common/suggest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kernelgen {
namespace {

TEST(Suggest, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("exp", "exp"), 0u);
  EXPECT_EQ(edit_distance("exp", "exq"), 1u);
  EXPECT_EQ(edit_distance("eps", "exp"), 2u);
  EXPECT_EQ(edit_distance("epx", "exp"), 1u) << "two neighbours swapped are one slip";
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Suggest, Nearest) {
  const std::vector<std::string> names = {"exp", "erf", "log", "gfx90a", "gfx942"};
  EXPECT_EQ(nearest("exq", names), "exp");
  EXPECT_EQ(nearest("gfx90b", names), "gfx90a");
  EXPECT_EQ(nearest("gfx90", names), "gfx90a");
  EXPECT_EQ(nearest("convolution", names), std::nullopt);
  EXPECT_EQ(nearest("", names), std::nullopt);
  EXPECT_EQ(nearest("ex", std::vector<std::string>{}), std::nullopt);
}

TEST(Suggest, FirstOfEquallyNear) {
  EXPECT_EQ(nearest("f2", std::vector<std::string>{"f32", "f64", "f12"}), "f32");
}

}  // namespace
}  // namespace kernelgen
