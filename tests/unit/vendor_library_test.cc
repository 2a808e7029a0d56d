// Which vendor library is opened, and when its absence is an error.
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

std::string noted;  ///< by the last open()

std::unique_ptr<Library> open(const char* usual_name) {
  const VendorNote note = [](const std::string& text) { noted = text; };
  return open_vendor_library(variable, note, [&] {
    return std::make_unique<Library>(DynamicLibrary("test library", variable, {&usual_name, 1}));
  });
}

TEST(VendorLibrary, TakesTheUsualOneWhereItCanBeUsed) {
  for (const char* value : {"", static_cast<const char*>(nullptr)}) {
    value != nullptr ? ::setenv(variable, value, 1) : ::unsetenv(variable);
    const std::unique_ptr<Library> library = open("libm.so.6");
    ASSERT_NE(library, nullptr);
    EXPECT_EQ(library->path(), "libm.so.6");
    EXPECT_EQ(noted, "libm.so.6 is used");
    EXPECT_EQ(open("libkernelgen-none.so"), nullptr);
    EXPECT_EQ(noted.find("a library is left out: no test library could be opened"), 0u) << noted;
    EXPECT_EQ(open("libc.so.6"), nullptr);  // without the function
    EXPECT_NE(noted.find("libc.so.6 has no function cbrt"), std::string::npos) << noted;
  }
}

TEST(VendorLibrary, NoneIsNone) {
  ::setenv(variable, "none", 1);
  EXPECT_EQ(open("libm.so.6"), nullptr);
  EXPECT_EQ(noted, "KERNELGEN_TEST_LIBRARY is none");
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
