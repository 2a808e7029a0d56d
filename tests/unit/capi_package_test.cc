// Packages through the C interface.
#include "capi_fixture.hpp"

namespace kernelgen::test {
namespace {

TEST(CapiPackage, OpenedByNoName) {
  kernelgen_package* package = nullptr;
  EXPECT_EQ(kernelgen_package_open("", &package), KERNELGEN_IO);
  EXPECT_STREQ(kernelgen_last_error(),
               "kernelgen_package_open: cannot open a file whose name is empty; give a package's, *.kgpkg");
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

}  // namespace
}  // namespace kernelgen::test
