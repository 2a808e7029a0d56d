#include "common/quotient.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace {

using kernelgen::quotient_up;

TEST(Quotient, RoundsUp) {
  EXPECT_EQ(quotient_up(std::int64_t{0}, 7), 0);
  EXPECT_EQ(quotient_up(std::int64_t{1}, 7), 1);
  EXPECT_EQ(quotient_up(std::int64_t{7}, 7), 1);
  EXPECT_EQ(quotient_up(std::int64_t{8}, 7), 2);
  EXPECT_EQ(quotient_up(std::int64_t{8}, 1), 8);
}

TEST(Quotient, OfTheLargestNumbers) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(quotient_up(most, 2), most / 2 + 1);
  EXPECT_EQ(quotient_up(most, most), 1);
  EXPECT_EQ(quotient_up(most - 1, most), 1);
  EXPECT_EQ(quotient_up(~0u, 256), 1u << 24);
}

}  // namespace
