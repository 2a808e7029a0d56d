// That the comparison with the vendors' headers can fail.
#include "same_call.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace kernelgen {
namespace {

using test::is_same_call;

enum Status { good };
struct Opaque;
using Handle = Opaque*;
struct Result {
  std::uint64_t words[3];
};
struct Longer {
  std::uint64_t words[4];
};

TEST(SameCall, EnumsHandlesAndConstsMayBeNamedOtherwise) {
  EXPECT_TRUE((is_same_call<int(void**, int), Status(Handle*, Status)>));
  EXPECT_TRUE((is_same_call<int(void*, const int*), Status(Handle, int*)>));
  EXPECT_TRUE((is_same_call<int(void*), Status(unsigned long long)>));
  EXPECT_TRUE((is_same_call<int(void**), Status(unsigned long long*)>));
  EXPECT_TRUE((is_same_call<int(Result*), int(Result*)>));
  EXPECT_TRUE((is_same_call<const char*(int), const char*(Status)>));
  EXPECT_TRUE((is_same_call<void(float), void(float)>));
}

TEST(SameCall, OtherKindsAndSizesAreOthers) {
  EXPECT_FALSE((is_same_call<int(void*), Status(Handle, int)>));
  EXPECT_FALSE((is_same_call<int(void*, int), Status(Handle, std::size_t)>));
  EXPECT_FALSE((is_same_call<int(void*, float), Status(Handle, int)>));
  EXPECT_FALSE((is_same_call<int(void*, float*), Status(Handle, double*)>));
  EXPECT_FALSE((is_same_call<int(int*), Status(std::size_t*)>));
  EXPECT_FALSE((is_same_call<int(void*), Status(std::uint32_t)>));
  EXPECT_FALSE((is_same_call<int(Result*), int(Longer*)>));
  EXPECT_FALSE((is_same_call<int(int), void(int)>));
}

}  // namespace
}  // namespace kernelgen
