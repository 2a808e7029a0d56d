// Sources and expressions through the C interface.
#include <cstdlib>

#include "capi_fixture.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen::test {
namespace {

class CapiCompile : public Capi {
 protected:
  CapiCompile() { ::setenv("KERNELGEN_CACHE", cache_.path().c_str(), 1); }

  TemporaryFolder cache_{"capi"};
};

TEST_F(CapiCompile, ASource) {
  const char* source =
      "#include \"device/dialect.hpp\"\n"
      "#warning said\n"
      "KG_KERNEL(64, fill, float* y, float value) { kg::begin_kernel(); y[kg::block_index()] = value + "
      "MORE; }\n";
  const char* flags[] = {"-DMORE=1"};
  kernelgen_module* module = nullptr;
  ok(kernelgen_device_compile(device_, source, "fill.cu", flags, 1, 1, &module));
  const char* log = nullptr;
  ok(kernelgen_module_log(module, &log));
  EXPECT_NE(std::string(log).find("fill.cu:2:"), std::string::npos) << log;
  kernelgen_function fill = {nullptr};
  ok(kernelgen_module_function(module, "fill", &fill));

  kernelgen_kernel_argument arguments[1] = {};
  size_t count = 0;
  ok(kernelgen_module_arguments(module, "fill", 1, arguments, &count));
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(arguments[0].size, 8u);
  fails(kernelgen_module_arguments(module, "empty", 0, nullptr, &count), KERNELGEN_NOT_FOUND,
        "no kernel empty");
  kernelgen_module_use use = {0, 0};
  ok(kernelgen_device_module_use(device_, &use));
  EXPECT_GE(use.loads, use.loaded);
  EXPECT_GE(use.loaded, 1u);

  kernelgen_tensor* y = make({0, 0, 0}, {3});
  struct {
    void* y;
    float value;
  } block = {nullptr, 2};
  ok(kernelgen_tensor_data(y, &block.y));
  const kernelgen_launch_shape shape = {{3, 1, 1}, {64, 1, 1}, 0};
  ok(kernelgen_launch(device_, fill, &shape, &block, 12, nullptr));
  EXPECT_EQ(read(y), (std::vector<float>{3, 3, 3}));
  kernelgen_module_release(module);
}

TEST_F(CapiCompile, SaysWhatIsWrongWithASource) {
  kernelgen_module* module = nullptr;
  const char* flags[] = {nullptr};
  fails(kernelgen_device_compile(device_, "int a", nullptr, nullptr, 0, 1, &module),
        KERNELGEN_INVALID_ARGUMENT, "source:1:");
  fails(kernelgen_device_compile(device_, nullptr, nullptr, nullptr, 0, 1, &module),
        KERNELGEN_INVALID_ARGUMENT, "source is NULL");
  fails(kernelgen_device_compile(device_, "", nullptr, nullptr, 1, 1, &module), KERNELGEN_INVALID_ARGUMENT,
        "flags is NULL");
  fails(kernelgen_device_compile(device_, "", nullptr, flags, 1, 1, &module), KERNELGEN_INVALID_ARGUMENT,
        "an element of flags is NULL");
  fails(kernelgen_device_compile(device_, "", nullptr, nullptr, 0, 1, nullptr), KERNELGEN_INVALID_ARGUMENT,
        "module is NULL");
  const char* log = nullptr;
  fails(kernelgen_module_log(nullptr, &log), KERNELGEN_INVALID_ARGUMENT, "module is NULL");
  EXPECT_EQ(module, nullptr);
}

TEST_F(CapiCompile, AnExpression) {
  kernelgen_tensor *a = make({1, 2, 3}, {3}), *y = nullptr;
  const kernelgen_expression_operand operands[] = {{"a", a, {}}, {"s", nullptr, kernelgen_real(0.5)}};
  ok(kernelgen_expression("a * a + s", operands, 2, nullptr, nullptr, nullptr, &y));
  EXPECT_EQ(read(keep(y)), (std::vector<float>{1.5, 4.5, 9.5}));
  const kernelgen_dtype dtype = KERNELGEN_I64;
  ok(kernelgen_expression("a > 1", operands, 1, &dtype, nullptr, nullptr, &y));
  EXPECT_EQ(read<int64_t>(keep(y)), (std::vector<int64_t>{0, 1, 1}));
  ok(kernelgen_expression("a * a + s", operands, 2, nullptr, a, nullptr, nullptr));
  EXPECT_EQ(read(a), (std::vector<float>{1.5, 4.5, 9.5}));
}

TEST_F(CapiCompile, SaysWhatIsWrongWithAnExpression) {
  kernelgen_tensor *a = make({1}, {1}), *y = nullptr;
  const kernelgen_expression_operand operands[] = {{"a", a, {}}, {nullptr, a, {}}};
  const kernelgen_dtype none = 99;
  fails(kernelgen_expression("a +", operands, 1, nullptr, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "kernelgen_expression: expression 'a +'");
  fails(kernelgen_expression("a", operands, 2, nullptr, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "the name of an element of operands is NULL");
  fails(kernelgen_expression("a", nullptr, 1, nullptr, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "operands is NULL");
  fails(kernelgen_expression(nullptr, operands, 1, nullptr, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "text is NULL");
  fails(kernelgen_expression("a", operands, 1, &none, nullptr, nullptr, &y), KERNELGEN_INVALID_ARGUMENT,
        "which is not a kernelgen_dtype");
  fails(kernelgen_expression("a", operands, 1, nullptr, nullptr, nullptr, nullptr),
        KERNELGEN_INVALID_ARGUMENT, "result is NULL");
  EXPECT_EQ(y, nullptr);
}

}  // namespace
}  // namespace kernelgen::test
