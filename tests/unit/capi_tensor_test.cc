// Tensors through the C interface: views, borrowed memory, lifetimes.
#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

TEST_F(Capi, TensorsOutliveTheDeviceHandle) {
  kernelgen_tensor* x = make({1, 2}, {2});
  kernelgen_device_release(device_);
  device_ = nullptr;
  EXPECT_EQ(read(x), (std::vector<float>{1, 2}));
  ok(kernelgen_tensor_device(x, &device_));
}

TEST_F(Capi, Views) {
  const kernelgen_tensor* x = make({0, 1, 2, 3, 4, 5}, {2, 3});
  const auto check = [&](kernelgen_status status, kernelgen_tensor*& view, const std::vector<int64_t>& shape,
                         const std::vector<float>& values) {
    ok(status);
    const int64_t* extents = nullptr;
    size_t rank = 0;
    ok(kernelgen_tensor_shape(keep(view), &extents, &rank));
    EXPECT_EQ(std::vector<int64_t>(extents, extents + rank), shape);
    EXPECT_EQ(read(view), values);
  };
  kernelgen_tensor* view = nullptr;
  check(kernelgen_tensor_transpose(x, 0, -1, &view), view, {3, 2}, {0, 3, 1, 4, 2, 5});
  const int64_t order[] = {1, 0};
  check(kernelgen_tensor_permute(x, 2, order, &view), view, {3, 2}, {0, 3, 1, 4, 2, 5});
  check(kernelgen_tensor_narrow(x, 1, 1, 2, &view), view, {2, 2}, {1, 2, 4, 5});
  int64_t offset = -1;
  int contiguous = -1;
  ok(kernelgen_tensor_offset(view, &offset));
  ok(kernelgen_tensor_is_contiguous(view, &contiguous));
  EXPECT_EQ(offset, 1);
  EXPECT_EQ(contiguous, 0);
  const int64_t flat[] = {6};
  check(kernelgen_tensor_reshape(x, 1, flat, &view), view, {6}, {0, 1, 2, 3, 4, 5});
  check(kernelgen_tensor_unsqueeze(x, 0, &view), view, {1, 2, 3}, {0, 1, 2, 3, 4, 5});
  check(kernelgen_tensor_squeeze(view, 0, &view), view, {2, 3}, {0, 1, 2, 3, 4, 5});
  const int64_t twice[] = {2, 2, 3};
  check(kernelgen_tensor_broadcast_to(x, 3, twice, &view), view, {2, 2, 3},
        {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
  const int64_t diagonal[] = {2};
  const int64_t step[] = {4};
  check(kernelgen_tensor_as_strided(x, 1, diagonal, step, 1, &view), view, {2}, {1, 5});
  const int64_t* strides = nullptr;
  ok(kernelgen_tensor_strides(view, &strides, nullptr));
  EXPECT_EQ(strides[0], 4);
  fails(kernelgen_tensor_as_strided(x, 1, diagonal, step, 2, &view), KERNELGEN_INVALID_ARGUMENT, "storage");
  fails(kernelgen_tensor_narrow(x, 0, 1, 2, &view), KERNELGEN_INVALID_ARGUMENT, "kernelgen_tensor_narrow: ");
}

TEST_F(Capi, RefusesBadShapesAndSizes) {
  kernelgen_tensor* tensor = nullptr;
  const int64_t nine[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  const int64_t negative[] = {-1};
  EXPECT_EQ(kernelgen_tensor_empty(device_, KERNELGEN_F32, 9, nine, nullptr, &tensor),
            KERNELGEN_INVALID_ARGUMENT);
  EXPECT_EQ(kernelgen_tensor_zeros(device_, KERNELGEN_F32, 1, negative, nullptr, &tensor),
            KERNELGEN_INVALID_ARGUMENT);
  fails(kernelgen_tensor_empty(device_, KERNELGEN_F32, 1, nullptr, nullptr, &tensor),
        KERNELGEN_INVALID_ARGUMENT, "shape is NULL");
  fails(kernelgen_tensor_empty(device_, KERNELGEN_DTYPE_COUNT, 0, nullptr, nullptr, &tensor),
        KERNELGEN_INVALID_ARGUMENT, "dtype is " + std::to_string(KERNELGEN_DTYPE_COUNT));
  EXPECT_EQ(kernelgen_tensor_from_host(device_, nine, 8, KERNELGEN_F32, 1, nine, nullptr, &tensor),
            KERNELGEN_INVALID_ARGUMENT);
  float value = 0;
  fails(kernelgen_tensor_to_host(make({1, 2}, {2}), &value, 4, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "bytes is 4");
  EXPECT_EQ(tensor, nullptr);
}

TEST_F(Capi, BorrowedMemoryIsReleasedOnce) {
  std::vector<float> memory{1, 4, 9};
  int released = 0;
  const auto release = [](void* context) { ++*static_cast<int*>(context); };
  const int64_t shape[] = {3, 1};
  const int64_t large[] = {4};
  kernelgen_tensor *tensor = nullptr, *shared = nullptr;
  EXPECT_EQ(kernelgen_tensor_borrow(device_, memory.data(), 12, KERNELGEN_F32, 1, large, release, &released,
                                    &tensor),
            KERNELGEN_INVALID_ARGUMENT);
  EXPECT_EQ(released, 0);
  ok(kernelgen_tensor_borrow(device_, memory.data(), 12, KERNELGEN_F32, 1, shape, release, &released,
                             &tensor));
  ok(kernelgen_tensor_retain(tensor, &shared));
  ok(kernelgen_sqrt(tensor, tensor, nullptr, nullptr));
  EXPECT_EQ(read(shared), (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(memory, (std::vector<float>{1, 2, 3}));
  kernelgen_tensor* odd = nullptr;
  fails(kernelgen_tensor_borrow(device_, reinterpret_cast<char*>(memory.data()) + 2, 8, KERNELGEN_F32, 1,
                                shape + 1, release, &released, &odd),
        KERNELGEN_INVALID_ARGUMENT, "not aligned to the 4 bytes of f32");
  kernelgen_tensor_release(tensor);
  EXPECT_EQ(released, 0);
  kernelgen_tensor_release(shared);
  EXPECT_EQ(released, 1);
}

}  // namespace
}  // namespace kernelgen::test
