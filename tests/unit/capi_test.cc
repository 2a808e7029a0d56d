// The C interface: what it adds to C++ is handles, checks and status codes; the operations themselves are
// tested in conformance.
#include <gtest/gtest.h>

#include <thread>

#include "capi_fixture.hpp"
#include "capi_functions.h"

namespace kernelgen::test {
namespace {

TEST(CapiBase, NamesAndVersion) {
  EXPECT_STREQ(kernelgen_status_name(KERNELGEN_OK), "ok");
  EXPECT_STREQ(kernelgen_status_name(static_cast<kernelgen_status>(12)), "unknown");
  EXPECT_STREQ(kernelgen_version(), KERNELGEN_TEST_VERSION);
  EXPECT_STREQ(kernelgen_dtype_name(KERNELGEN_BF16), "bf16");
  EXPECT_EQ(kernelgen_dtype_name(-1), nullptr);
  EXPECT_EQ(kernelgen_dtype_size(KERNELGEN_F64), 8u);
  EXPECT_EQ(kernelgen_dtype_size(KERNELGEN_DTYPE_COUNT), 0u);
  kernelgen_dtype dtype = -1;
  EXPECT_EQ(kernelgen_dtype_parse("f8e4m3", &dtype), KERNELGEN_OK);
  EXPECT_EQ(dtype, KERNELGEN_F8E4M3);
  EXPECT_EQ(kernelgen_dtype_parse("float", &dtype), KERNELGEN_NOT_FOUND);
  EXPECT_STREQ(
      kernelgen_last_error(),
      "kernelgen_dtype_parse: no dtype \"float\"; there are u8 u32 i16 i32 i64 bf16 f16 f32 f64 f8e4m3");
}

TEST(CapiBase, ErrorTextIsPerThreadAndSurvivesSuccess) {
  kernelgen_dtype dtype = 0;
  EXPECT_EQ(kernelgen_dtype_parse(nullptr, &dtype), KERNELGEN_INVALID_ARGUMENT);
  EXPECT_STREQ(kernelgen_last_error(), "kernelgen_dtype_parse: name is NULL");
  EXPECT_EQ(kernelgen_dtype_parse("u8", &dtype), KERNELGEN_OK);
  EXPECT_STREQ(kernelgen_last_error(), "kernelgen_dtype_parse: name is NULL");
  std::thread([] { EXPECT_STREQ(kernelgen_last_error(), ""); }).join();
}

TEST(CapiBase, NullHandlesAreReleasedAndRefused) {
  kernelgen_package_release(nullptr);
  kernelgen_device_release(nullptr);
  kernelgen_stream_release(nullptr);
  kernelgen_event_release(nullptr);
  kernelgen_module_release(nullptr);
  kernelgen_tensor_release(nullptr);
  EXPECT_EQ(kernelgen_device_synchronize(nullptr), KERNELGEN_INVALID_ARGUMENT);
  EXPECT_STREQ(kernelgen_last_error(), "kernelgen_device_synchronize: device is NULL");
  EXPECT_EQ(kernelgen_add(nullptr, nullptr, nullptr, nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT);
  EXPECT_STREQ(kernelgen_last_error(), "kernelgen_add: a is NULL");
  EXPECT_EQ(kernelgen_call(nullptr, nullptr, 0, nullptr, 0, nullptr, nullptr, nullptr),
            KERNELGEN_INVALID_ARGUMENT);
  EXPECT_STREQ(kernelgen_last_error(), "kernelgen_call: operation is NULL");
}

TEST(CapiDevice, RefusesUnknownNamesAndKinds) {
  kernelgen_device* device = nullptr;
  EXPECT_EQ(kernelgen_device_open("gpu", nullptr, &device), KERNELGEN_NOT_FOUND);
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(kernelgen_device_open("cpu", nullptr, nullptr), KERNELGEN_INVALID_ARGUMENT);
  EXPECT_STREQ(kernelgen_last_error(), "kernelgen_device_open: device is NULL");
  int count = -1;
  EXPECT_EQ(kernelgen_device_count(KERNELGEN_CPU, &count), KERNELGEN_OK);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(kernelgen_device_count(static_cast<kernelgen_device_kind>(3), &count),
            KERNELGEN_INVALID_ARGUMENT);
}

TEST(CapiPackage, OpenedByNoName) {
  kernelgen_package* package = nullptr;
  EXPECT_EQ(kernelgen_package_open("", &package), KERNELGEN_IO);
  EXPECT_STREQ(kernelgen_last_error(),
               "kernelgen_package_open: cannot open a file whose name is empty; give a package's, *.kgpkg");
}

TEST_F(Capi, DescribesTheDevice) {
  kernelgen_device_info info;
  ok(kernelgen_device_describe(device_, &info));
  EXPECT_EQ(info.kind, KERNELGEN_CPU);
  EXPECT_STREQ(info.location, "cpu");
  EXPECT_STRNE(info.name, "");
  EXPECT_EQ(std::string(info.target).substr(0, 4), "cpu-");
  EXPECT_EQ(info.wave_size, 1);
  EXPECT_GT(info.total_memory, 0u);
  size_t free_memory = 0;
  ok(kernelgen_device_free_memory(device_, &free_memory));
  EXPECT_LE(free_memory, info.total_memory);
}

TEST_F(Capi, ReadsThePackage) {
  kernelgen_package* package = nullptr;
  ok(kernelgen_device_package(device_, &package));
  const kernelgen_kernel_record* kernels = nullptr;
  size_t count = 0;
  ok(kernelgen_package_kernels(package, &kernels, &count));
  uint32_t id = 0;
  ok(kernelgen_package_find_kernel(package, "kg_exp_f32", &id));
  ASSERT_LT(id, count);
  const char* text = nullptr;
  ok(kernelgen_package_text(package, kernels[id].name, &text));
  EXPECT_STREQ(text, "kg_exp_f32");
  const kernelgen_argument_record* arguments = nullptr;
  ok(kernelgen_package_arguments(package, id, &arguments, &count));
  ASSERT_EQ(count, 3u);  // x, y, n
  EXPECT_EQ(arguments[2].offset, 16u);
  uint32_t operation = 0;
  ok(kernelgen_package_find_operation(package, "affine", &operation));
  const kernelgen_operand_record* operands = nullptr;
  ok(kernelgen_package_operands(package, operation, &operands, &count));
  EXPECT_EQ(count, 4u);  // x, y, mul, add
  const void* code = nullptr;
  size_t bytes = 0;
  ok(kernelgen_package_code(package, 0, kernels[id].module, &code, &bytes));
  EXPECT_GT(bytes, 0u);
  ok(kernelgen_package_verify(package));

  fails(kernelgen_package_find_kernel(package, "kg_exp", &id), KERNELGEN_NOT_FOUND, "\"kg_exp\"");
  fails(kernelgen_package_arguments(package, 0xffffffffu, &arguments, &count), KERNELGEN_INVALID_ARGUMENT,
        "kernel is");
  fails(kernelgen_package_text(package, 0xffffffffu, &text), KERNELGEN_INVALID_ARGUMENT, "string_offset is");
  const void* data = nullptr;
  ok(kernelgen_package_bytes(package, &data, &bytes));
  kernelgen_package* damaged = nullptr;
  EXPECT_EQ(kernelgen_package_from_memory(data, 100, &damaged), KERNELGEN_BAD_PACKAGE);
  EXPECT_EQ(kernelgen_package_open("/nonexistent/file", &damaged), KERNELGEN_IO);
  kernelgen_package_release(package);
}

TEST_F(Capi, LaunchesAKernelById) {
  kernelgen_package* package = nullptr;
  ok(kernelgen_device_package(device_, &package));
  uint32_t id = 0;
  ok(kernelgen_package_find_kernel(package, "kg_neg_f32", &id));
  kernelgen_package_release(package);

  kernelgen_tensor* x = make({1, -2, 3}, {3});
  kernelgen_tensor* y = make({0, 0, 0}, {3});
  struct {
    void* x;
    void* y;
    uint64_t n;
  } block = {nullptr, nullptr, 3};
  ok(kernelgen_tensor_data(x, &block.x));
  ok(kernelgen_tensor_data(y, &block.y));
  const kernelgen_launch_shape shape = {{1, 1, 1}, {256, 1, 1}, 0};
  ok(kernelgen_launch_kernel(device_, id, &shape, &block, sizeof block, nullptr));
  EXPECT_EQ(read(y), (std::vector<float>{-1, 2, -3}));

  kernelgen_function function = {nullptr};
  fails(kernelgen_launch(device_, function, &shape, &block, sizeof block, nullptr),
        KERNELGEN_INVALID_ARGUMENT, "function.handle is NULL");
  ok(kernelgen_device_kernel(device_, id, &function));
  block = {block.y, block.y, 3};
  ok(kernelgen_launch(device_, function, &shape, &block, sizeof block, nullptr));
  EXPECT_EQ(read(y), (std::vector<float>{1, -2, 3}));
  fails(kernelgen_launch_kernel(device_, id, &shape, &block, 8, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "bytes is 8, but the argument block of kg_neg_f32 has 24");
  fails(kernelgen_launch_kernel(device_, 0xffffffffu, &shape, &block, 24, nullptr),
        KERNELGEN_INVALID_ARGUMENT, "kernel is 4294967295");
}

TEST_F(Capi, StreamsAndEvents) {
  kernelgen_stream* stream = nullptr;
  ok(kernelgen_stream_new(device_, &stream));
  kernelgen_event *start = nullptr, *end = nullptr;
  ok(kernelgen_event_record(device_, stream, &start));
  kernelgen_tensor* y = nullptr;
  ok(kernelgen_exp(make({0}, {1}), nullptr, stream, &y));
  keep(y);
  ok(kernelgen_event_record(device_, stream, &end));
  ok(kernelgen_stream_wait(device_, nullptr, end));
  ok(kernelgen_event_synchronize(end));
  ok(kernelgen_stream_synchronize(stream));
  double milliseconds = -1;
  ok(kernelgen_event_elapsed(start, end, &milliseconds));
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(read(y), std::vector<float>{1});
  kernelgen_event_release(start);
  kernelgen_event_release(end);
  kernelgen_stream_release(stream);
}

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
  fails(kernelgen_tensor_empty(device_, 10, 0, nullptr, nullptr, &tensor), KERNELGEN_INVALID_ARGUMENT,
        "dtype is 10");
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
  ok(kernelgen_tensor_share(tensor, &shared));
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

TEST_F(Capi, NamedUnaryOperations) {
  constexpr float x = 0.75f;
  const kernelgen_tensor* input = make({x}, {1});
  for (const capi_unary* row = capi_unaries; row->name != nullptr; ++row) {
    kernelgen_tensor *named = nullptr, *called = nullptr;
    ok(row->function(input, nullptr, nullptr, &named));
    EXPECT_NEAR(read(keep(named))[0], row->expected(x), 1e-5) << row->name;
    ok(kernelgen_call(row->name, &input, 1, nullptr, 0, nullptr, nullptr, &called));
    EXPECT_EQ(read(keep(called)), read(named)) << row->name;
  }
}

TEST_F(Capi, NamedBinaryOperations) {
  for (const auto& [a, b] : {std::pair{3.f, 2.f}, {2.f, 2.f}, {-1.f, 2.f}}) {
    const kernelgen_tensor* left = make({a}, {1});
    const kernelgen_tensor* right = make({b}, {1});
    for (const capi_binary* row = capi_binaries; row->name != nullptr; ++row) {
      kernelgen_tensor* y = nullptr;
      ok(row->function(left, right, nullptr, nullptr, &y));
      EXPECT_NEAR(read(keep(y))[0], row->expected(a, b), 1e-6) << row->name;
    }
    for (const capi_binary* row = capi_comparisons; row->name != nullptr; ++row) {
      kernelgen_tensor* y = nullptr;
      ok(row->function(left, right, nullptr, nullptr, &y));
      EXPECT_EQ(read<uint8_t>(keep(y))[0], row->expected(a, b)) << row->name;
    }
  }
}

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

TEST(CapiFromC, RunsAProgramWrittenInC) {
  const float x[] = {1, 2, 3};
  const float y[] = {10, 20, 30};
  float result[3] = {};
  ASSERT_EQ(capi_affine_add("cpu", x, y, result, 3), 0) << kernelgen_last_error();
  EXPECT_EQ(std::vector<float>(result, result + 3), (std::vector<float>{12, 24, 36}));
}

}  // namespace
}  // namespace kernelgen::test
