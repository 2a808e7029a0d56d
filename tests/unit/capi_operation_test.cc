// Operations over rows, indices and matrices, and random numbers, through the C interface; messages of wrong calls.
#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

TEST_F(Capi, Indexes) {
  const kernelgen_tensor* x = make({1, 2, 3, 4, 5, 6}, {2, 3});
  const auto to_ids = [&](const std::vector<float>& values, const std::vector<int64_t>& shape) {
    kernelgen_tensor* ids = nullptr;
    ok(kernelgen_to_dtype(make(values, shape), KERNELGEN_I64, nullptr, nullptr, &ids));
    return keep(ids);
  };
  const kernelgen_tensor *columns = to_ids({2, 0}, {2}), *each = to_ids({2, 0}, {2, 1});
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_index_select(x, -1, columns, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{3, 1, 6, 4}));
  ok(kernelgen_gather(x, 1, each, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{3, 4}));
  ok(kernelgen_index_add(x, 1, columns, make({10, 20, 30, 40}, {2, 2}), 1, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{21, 2, 13, 44, 5, 36}));
  ok(kernelgen_scatter_set(y, 1, each, make({7, 8}, {2, 1}), nullptr));
  ok(kernelgen_scatter_add_set(y, 1, each, make({1, 2}, {2, 1}), 0, nullptr));
  EXPECT_EQ(read(y), (std::vector<float>{21, 2, 8, 10, 5, 36}));

  ok(kernelgen_index_select(x, 0, columns, nullptr, nullptr, &y));
  keep(y);
  fails(kernelgen_device_synchronize(device_), KERNELGEN_INDEX_OUT_OF_RANGE, "index 2");
  ok(kernelgen_device_synchronize(device_));
}

TEST_F(Capi, Reduces) {
  const kernelgen_tensor* x = make({1, 5, 3, 4, 2, 6}, {2, 3});
  const struct {
    decltype(&kernelgen_sum) function;
    std::vector<float> wanted;
  } cases[] = {{kernelgen_sum, {5, 7, 9}},
               {kernelgen_mean, {2.5, 3.5, 4.5}},
               {kernelgen_prod, {4, 10, 18}},
               {kernelgen_min, {1, 2, 3}},
               {kernelgen_max, {4, 5, 6}}};
  const int64_t first = 0, last = -1;
  kernelgen_tensor* y = nullptr;
  for (const auto& each : cases) {
    ok(each.function(x, 1, &first, 0, nullptr, nullptr, &y));
    EXPECT_EQ(read(keep(y)), each.wanted);
  }
  for (const auto function : {kernelgen_any, kernelgen_all}) {
    ok(function(x, 1, &last, 1, nullptr, nullptr, &y));
    EXPECT_EQ(read<uint8_t>(keep(y)), (std::vector<uint8_t>{1, 1}));
  }
  ok(kernelgen_argmax(x, &last, 0, nullptr, nullptr, &y));
  EXPECT_EQ(read<uint32_t>(keep(y)), (std::vector<uint32_t>{1, 2}));
  ok(kernelgen_argmin(x, nullptr, 0, nullptr, nullptr, &y));
  EXPECT_EQ(read<uint32_t>(keep(y)), (std::vector<uint32_t>{0}));
  fails(kernelgen_sum(x, 1, nullptr, 0, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT, "dims is NULL");
}

TEST_F(Capi, MultipliesMatrices) {
  const kernelgen_tensor *a = make({1, 2, 3, 4, 5, 6}, {2, 3}), *b = make({1, 0, 0, 1, 1, 1}, {3, 2});
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_matmul(a, b, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{4, 5, 10, 11}));
  EXPECT_EQ(kernelgen_matmul(a, a, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT);
}

TEST_F(Capi, Normalizes) {
  const kernelgen_tensor* x = make({3, 3, 4, -4}, {2, 2});
  const kernelgen_tensor *weight = make({2, 1}, {2}), *bias = make({0, 5}, {2});
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_softmax(x, nullptr, nullptr, &y));
  EXPECT_NEAR(read(keep(y))[0], 0.5, 1e-6);
  ok(kernelgen_log_softmax(x, nullptr, nullptr, &y));
  EXPECT_NEAR(read(keep(y))[1], -0.693147, 1e-6);
  ok(kernelgen_rms_norm(x, weight, 0, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{2, 1, 2, -1}));
  ok(kernelgen_layer_norm(x, weight, bias, 0.0, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y))[3], 4);
}

TEST_F(Capi, Sorts) {
  const kernelgen_tensor* x = make({2, 1, 3, 5, 5, 4}, {2, 3});
  kernelgen_tensor *values = nullptr, *indices = nullptr;
  ok(kernelgen_arg_sort(x, 1, nullptr, nullptr, &indices));
  EXPECT_EQ(read<uint32_t>(keep(indices)), (std::vector<uint32_t>{1, 0, 2, 2, 0, 1}));
  ok(kernelgen_sort(x, 0, nullptr, nullptr, nullptr, &values, &indices));
  EXPECT_EQ(read(keep(values)), (std::vector<float>{3, 2, 1, 5, 5, 4}));
  EXPECT_EQ(read<uint32_t>(keep(indices)), (std::vector<uint32_t>{2, 0, 1, 0, 1, 2}));
  ok(kernelgen_sort(x, 1, values, indices, nullptr, nullptr, nullptr));
  EXPECT_EQ(read(values), (std::vector<float>{1, 2, 3, 4, 5, 5}));
  fails(kernelgen_sort(x, 1, values, nullptr, nullptr, nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "indices is NULL");
}

TEST_F(Capi, RandomNumbers) {
  const int64_t shape[] = {2, 3};
  uint64_t seed = 0;
  ok(kernelgen_device_set_seed(device_, 12345));
  ok(kernelgen_device_get_seed(device_, &seed));
  EXPECT_EQ(seed, 12345u);
  const auto draw = [&](auto* operation, double a, double b) {
    kernelgen_tensor* y = nullptr;
    ok(operation(device_, 2, shape, KERNELGEN_F32, kernelgen_real(a), kernelgen_real(b), nullptr, nullptr,
                 &y));
    return read(keep(y));
  };
  const std::vector<float> uniform = draw(kernelgen_rand_uniform, 2, 3);
  const std::vector<float> normal = draw(kernelgen_rand_normal, 0, 1);
  ASSERT_EQ(uniform.size(), 6u);
  for (const float value : uniform) EXPECT_TRUE(value >= 2 && value < 3) << value;
  ok(kernelgen_device_set_seed(device_, 12345));
  EXPECT_EQ(draw(kernelgen_rand_uniform, 2, 3), uniform);
  EXPECT_EQ(draw(kernelgen_rand_normal, 0, 1), normal);
  kernelgen_tensor* y = nullptr;
  fails(kernelgen_rand_uniform(device_, 2, shape, KERNELGEN_F32, kernelgen_real(1), kernelgen_real(1),
                               nullptr, nullptr, &y),
        KERNELGEN_INVALID_ARGUMENT, "rand_uniform");
}

TEST_F(Capi, OperationErrorsNameTheOperation) {
  const kernelgen_tensor* x = make({1, 2}, {2});
  kernelgen_tensor* y = nullptr;
  fails(kernelgen_call("expp", &x, 1, nullptr, 0, nullptr, nullptr, &y), KERNELGEN_NOT_FOUND, "exp");
  fails(kernelgen_add(x, make({1, 2, 3}, {3}), nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT, "add");
  fails(kernelgen_exp(x, nullptr, nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT, "result is NULL");
  const kernelgen_tensor* many[] = {x, x, x, x};
  fails(kernelgen_call("exp", many, 4, nullptr, 0, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "input_count is 4; an operation has at most 3");
  const kernelgen_tensor* holes[] = {nullptr};
  fails(kernelgen_call("exp", holes, 1, nullptr, 0, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "is NULL");
  EXPECT_EQ(y, nullptr);
}

}  // namespace
}  // namespace kernelgen::test
