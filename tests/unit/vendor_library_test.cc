// Which library is opened, and when that none can be is an error.
#include "library/vendor_library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

constexpr const char* variable = "KERNELGEN_TEST_LIBRARY";

/// Of the C library's parts libm alone has it; dlsym looks into what a library needs too.
struct Library final : VendorLibrary {
  explicit Library(DynamicLibrary opened) : VendorLibrary(std::move(opened), "an operation", "cbrt") {}
};

std::unique_ptr<Library> open(const char* usual_name) {
  return open_vendor_library(variable, [&] {
    return std::make_unique<Library>(DynamicLibrary("test library", variable, {&usual_name, 1}));
  });
}

TEST(VendorLibrary, TakesTheUsualOneWhereItCanBeUsed) {
  for (const char* value : {"", static_cast<const char*>(nullptr)}) {
    value != nullptr ? ::setenv(variable, value, 1) : ::unsetenv(variable);
    const std::unique_ptr<Library> library = open("libm.so.6");
    ASSERT_NE(library, nullptr);
    EXPECT_EQ(library->path(), "libm.so.6");
    EXPECT_EQ(open("libkernelgen-none.so"), nullptr);
    EXPECT_EQ(open("libc.so.6"), nullptr);  // without the function
  }
}

TEST(VendorLibrary, NoneIsNone) {
  ::setenv(variable, "none", 1);
  EXPECT_EQ(open("libm.so.6"), nullptr);
}

TEST(VendorLibrary, TheNamedOneHasToBeUsable) {
  ::setenv(variable, "libkernelgen-none.so", 1);
  test::expect_error(Code::unsupported, {"test library", variable, "libkernelgen-none.so"},
                     [] { open("libm.so.6"); });
  ::setenv(variable, "libc.so.6", 1);
  test::expect_error(Code::unsupported, {"an operation", "libc.so.6 has no function cbrt"},
                     [] { open("libm.so.6"); });
}

}  // namespace
}  // namespace kernelgen
