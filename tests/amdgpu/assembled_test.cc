// A code object of kernels written in assembler, as rocBLAS has them.
#include <gtest/gtest.h>

#include "device.hpp"

namespace kernelgen::amdgpu {
namespace {

TEST(Assembled, EachKernelIsFound) {
  Device device("gfx90a", {}, "assembled");
  EXPECT_EQ(device.kernels(), (std::vector<std::string>{"store_nine", "store_seven"}));
  auto* const result = device.allocate<std::uint32_t>(1);
  device.launch("store_seven", {1, 1, 1}, {1, 1, 1}, result);
  EXPECT_EQ(*result, 7u);
  device.launch("store_nine", {1, 1, 1}, {1, 1, 1}, result);
  EXPECT_EQ(*result, 9u);
}

}  // namespace
}  // namespace kernelgen::amdgpu
