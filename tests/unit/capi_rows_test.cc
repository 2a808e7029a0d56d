// top_k, extremes with their indices and cumsum through the C interface.
#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

TEST_F(Capi, TakesTheGreatest) {
  const kernelgen_tensor* x = make({2, 1, 3, 5, 5, 4}, {2, 3});
  kernelgen_tensor *values = nullptr, *indices = nullptr;
  ok(kernelgen_top_k(x, 2, -1, nullptr, nullptr, nullptr, &values, &indices));
  EXPECT_EQ(read(keep(values)), (std::vector<float>{3, 2, 5, 5}));
  EXPECT_EQ(read<uint32_t>(keep(indices)), (std::vector<uint32_t>{2, 0, 0, 1}));
  ok(kernelgen_top_k(x, 2, 0, nullptr, nullptr, nullptr, &values, &indices));
  EXPECT_EQ(read(keep(values)), (std::vector<float>{5, 5, 4, 2, 1, 3}));
  EXPECT_EQ(read<uint32_t>(keep(indices)), (std::vector<uint32_t>{1, 1, 1, 0, 0, 0}));
  fails(kernelgen_top_k(x, 4, -1, nullptr, nullptr, nullptr, &values, &indices), KERNELGEN_INVALID_ARGUMENT,
        "k is 4");
  fails(kernelgen_top_k(x, 2, -1, values, nullptr, nullptr, nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "indices is NULL");
}

TEST_F(Capi, FindsExtremesWithTheirPlaces) {
  const kernelgen_tensor* x = make({2, 1, 3, 5, 5, 4}, {2, 3});
  const int64_t last = 1;
  kernelgen_tensor *values = nullptr, *indices = nullptr;
  ok(kernelgen_max_with_index(x, &last, 0, nullptr, nullptr, nullptr, &values, &indices));
  EXPECT_EQ(read(keep(values)), (std::vector<float>{3, 5}));
  EXPECT_EQ(read<uint32_t>(keep(indices)), (std::vector<uint32_t>{2, 0}));
  ok(kernelgen_min_with_index(x, &last, 0, values, indices, nullptr, nullptr, nullptr));
  EXPECT_EQ(read(values), (std::vector<float>{1, 4}));
  ok(kernelgen_min_with_index(x, nullptr, 1, nullptr, nullptr, nullptr, &values, &indices));
  EXPECT_EQ(read<uint32_t>(keep(indices)), (std::vector<uint32_t>{1}));
  EXPECT_EQ(read(keep(values)), (std::vector<float>{1}));
  fails(kernelgen_max_with_index(x, &last, 0, nullptr, nullptr, nullptr, nullptr, &indices),
        KERNELGEN_INVALID_ARGUMENT, "values is NULL");
}

TEST_F(Capi, SumsUp) {
  const kernelgen_tensor* x = make({2, 1, 3, 5, 5, 4}, {2, 3});
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_cumsum(x, 1, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{2, 3, 6, 5, 10, 14}));
  ok(kernelgen_cumsum(x, 0, y, nullptr, nullptr));
  EXPECT_EQ(read(y), (std::vector<float>{2, 1, 3, 7, 6, 7}));
  fails(kernelgen_cumsum(x, 2, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT, "dim 2");
}

}  // namespace
}  // namespace kernelgen::test
