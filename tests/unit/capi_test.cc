// What the C interface adds to C++: handles, checks and status codes. The operations themselves are tested in
// conformance.
#include <gtest/gtest.h>

#include <string>
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
  EXPECT_EQ(kernelgen_dtype_size(KERNELGEN_Q6_K), 210u);
  EXPECT_EQ(kernelgen_dtype_block(KERNELGEN_Q6_K), 256u);
  EXPECT_EQ(kernelgen_dtype_block(KERNELGEN_F64), 1u);
  EXPECT_EQ(kernelgen_dtype_block(KERNELGEN_DTYPE_COUNT), 0u);
  EXPECT_EQ(kernelgen_dtype_name(KERNELGEN_DTYPE_COUNT), nullptr);
  kernelgen_dtype dtype = -1;
  EXPECT_EQ(kernelgen_dtype_parse("f8e4m3", &dtype), KERNELGEN_OK);
  EXPECT_EQ(dtype, KERNELGEN_F8E4M3);
  EXPECT_EQ(kernelgen_dtype_parse("float", &dtype), KERNELGEN_NOT_FOUND);
  std::string names;
  for (kernelgen_dtype each = 0; each < KERNELGEN_DTYPE_COUNT; ++each)
    names.append(" ").append(kernelgen_dtype_name(each));
  EXPECT_EQ(kernelgen_last_error(), "kernelgen_dtype_parse: no dtype \"float\"; there are" + names);
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

TEST(CapiFromC, RunsAProgramWrittenInC) {
  const float x[] = {1, 2, 3};
  const float y[] = {10, 20, 30};
  float result[3] = {};
  ASSERT_EQ(capi_affine_add("cpu", x, y, result, 3), 0) << kernelgen_last_error();
  EXPECT_EQ(std::vector<float>(result, result + 3), (std::vector<float>{12, 24, 36}));
}

}  // namespace
}  // namespace kernelgen::test
