// Messages for a missing driver, and the recognition of code objects by their first bytes.
#include <gtest/gtest.h>

#include <cstdlib>

#include "driver/code_object.hpp"
#include "driver/driver.hpp"
#include "driver/dynamic_library.hpp"
#include "support/expect_error.hpp"
#include "support/package_builder.hpp"
#include "support/synthetic_elf.hpp"

namespace kernelgen {
namespace {

using test::expect_error;

TEST(DynamicLibrary, ListsAllThatWasTried) {
  constexpr const char* names[] = {"libkernelgen-none.so.7", "libkernelgen-none.so"};
  ::unsetenv("KERNELGEN_TEST_LIBRARY");
  expect_error(Code::unsupported,
               {"no test library", "set KERNELGEN_TEST_LIBRARY",
                "libkernelgen-none.so.7: ", "libkernelgen-none.so: ", "cannot open shared object file"},
               [&] { DynamicLibrary("test library", "KERNELGEN_TEST_LIBRARY", names); });
}

TEST(DynamicLibrary, TheVariableNamesTheOnlyOne) {
  constexpr const char* names[] = {"libc.so.6"};
  ::setenv("KERNELGEN_TEST_LIBRARY", "/nowhere/lib.so", 1);
  const std::string text =
      expect_error(Code::unsupported, {"/nowhere/lib.so", "KERNELGEN_TEST_LIBRARY names"},
                   [&] { DynamicLibrary("test library", "KERNELGEN_TEST_LIBRARY", names); });
  EXPECT_EQ(text.find("libc.so.6"), std::string::npos);
  ::setenv("KERNELGEN_TEST_LIBRARY", "", 1);
  const DynamicLibrary library("test library", "KERNELGEN_TEST_LIBRARY", names);
  EXPECT_EQ(library.path(), "libc.so.6");
  EXPECT_NE(library.symbol("getpid"), nullptr);
  EXPECT_EQ(library.symbol("no_such_function"), nullptr);
}

TEST(GpuApi, ALibraryWithoutTheFunctionsIsNamed) {
  ::setenv("KERNELGEN_CUDA_LIBRARY", "libc.so.6", 1);
  expect_error(Code::unsupported, {"libc.so.6 has no function cuInit"},
               [] { open_driver(DeviceKind::cuda, 0, 0); });
  EXPECT_EQ(count_devices(DeviceKind::cuda), 0);
}

TEST(CodeObject, KnowsVersionsAndText) {
  for (const int version : {3, 4, 5, 6})
    EXPECT_EQ(code_object_version(test::amd_code_object(version)), version);
  EXPECT_EQ(code_object_version(test::bytes_of(".version 8.0")), 0);
  EXPECT_TRUE(is_text(test::bytes_of(".version 8.0")));
  EXPECT_FALSE(is_text(test::amd_code_object(4)));
  EXPECT_FALSE(is_text({}));
}

TEST(CodeObject, SeesThatAnImageIsCutOff) {
  const std::vector<std::byte> whole = test::amd_code_object(4);
  EXPECT_EQ(image_defect(whole), "");
  for (std::size_t size = 4; size < whole.size(); ++size)
    EXPECT_NE(image_defect(std::span(whole).first(size)), "") << size;
}

}  // namespace
}  // namespace kernelgen
