// Tables of constants in the text of a manifest: one value changes, all other bytes stay.
#include "manifest/constant_table.hpp"

#include <gtest/gtest.h>

namespace kernelgen::tool {
namespace {

constexpr const char* pointer = "/operations/1/body/constants/TILE";

std::string manifest(const std::string& table) {
  return R"({"module": "m", "operations": [ {"op": "a\"]}{", "n": [1, [2]]},)"
         "\n\t"
         R"({ "op" : "b", "body": {"constants": {"OTHER": {"default": 1, "try": [1, 2]}, "TILE" :)" +
         table + R"(}}} ] })" + "\n";
}

TEST(ConstantTable, ReplacesAValue) {
  EXPECT_EQ(with_constant(manifest(R"({"default": 1,"gfx90a" : 20 , "try": [1, 2]})"), pointer, "gfx90a", 7),
            manifest(R"({"default": 1,"gfx90a" : 7 , "try": [1, 2]})"));
}

TEST(ConstantTable, AddsAValueAfterTheLast) {
  EXPECT_EQ(with_constant(manifest(R"({"default": 1, "try": [1, 2] })"), pointer, "cpu", 64),
            manifest(R"({"default": 1, "try": [1, 2], "cpu": 64 })"));
  EXPECT_EQ(with_constant(manifest("{\n    \"default\": 1,\n    \"try\": [1, 2]\n  }"), pointer, "sm_90", 64),
            manifest("{\n    \"default\": 1,\n    \"try\": [1, 2],\n    \"sm_90\": 64\n  }"));
  EXPECT_EQ(with_constant(manifest(R"({ "default": 1})"), pointer, "cpu", 2),
            manifest(R"({ "default": 1, "cpu": 2})"));
}

TEST(ConstantTable, RefusesKeysThatItDoesNotFind) {
  EXPECT_THROW(with_constant(manifest("3"), pointer, "cpu", 2), BadInput);
  EXPECT_THROW(with_constant(R"({"oper\u0061tions": []})", pointer, "cpu", 2), BadInput);
  EXPECT_EQ(constant_key("compute_80"), "sm_80");
  EXPECT_EQ(constant_key("cpu-x86-64-v3"), "cpu");
  EXPECT_EQ(constant_key("gfx11-generic"), "gfx11-generic");
}

}  // namespace
}  // namespace kernelgen::tool
