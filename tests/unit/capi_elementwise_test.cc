// Element-wise operations and copies through the C interface.
#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

TEST_F(Capi, OperationsWithScalarsAndMovement) {
  const kernelgen_tensor* x = make({1, 2, 3, 4}, {2, 2});
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_powf(x, kernelgen_real(2), nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{1, 4, 9, 16}));
  ok(kernelgen_elu(x, kernelgen_real(1), nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{1, 2, 3, 4}));
  const kernelgen_scalar scalars[] = {kernelgen_integer(3), kernelgen_real(0.5)};
  ok(kernelgen_call("affine", &x, 1, scalars, 2, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{3.5, 6.5, 9.5, 12.5}));
  kernelgen_tensor *bytes = nullptr, *chosen = nullptr;
  ok(kernelgen_to_dtype(make({0, 1, 2, 0}, {2, 2}), KERNELGEN_U8, nullptr, nullptr, &bytes));
  ok(kernelgen_where_cond(keep(bytes), x, y, nullptr, nullptr, &chosen));
  EXPECT_EQ(read(keep(chosen)), (std::vector<float>{3.5, 2, 3, 12.5}));

  kernelgen_tensor *flipped = nullptr, *copied = nullptr;
  ok(kernelgen_tensor_transpose(x, 0, 1, &flipped));
  ok(kernelgen_copy(keep(flipped), nullptr, nullptr, &copied));
  EXPECT_EQ(read(keep(copied)), (std::vector<float>{1, 3, 2, 4}));
  ok(kernelgen_copy_into(copied, x, nullptr));
  EXPECT_EQ(read(copied), (std::vector<float>{1, 2, 3, 4}));
  kernelgen_tensor* column = nullptr;
  ok(kernelgen_tensor_narrow(copied, 1, 0, 1, &column));
  ok(kernelgen_const_set(keep(column), kernelgen_integer(7), nullptr));
  EXPECT_EQ(read(copied), (std::vector<float>{7, 2, 7, 4}));
  ok(kernelgen_copy2d(copied, x, 2, 1, 2, 2, 1, 0, nullptr));
  EXPECT_EQ(read(copied), (std::vector<float>{7, 1, 7, 3}));
}

}  // namespace
}  // namespace kernelgen::test
