#include "binary/same_kernel.hpp"

#include <gtest/gtest.h>

#include "support/assembled.hpp"

namespace kernelgen::tool {
namespace {

std::string object(const std::string& body) {
  const std::vector<std::byte> code = test::assembled("gfx942", {.body = body});
  return {reinterpret_cast<const char*>(code.data()), code.size()};
}

bool is_same(const std::string& one, const std::string& other) {
  const std::string a = object(one), b = object(other);
  return is_same_kernel({read_code_object(a).kernels.at(0), a}, {read_code_object(b).kernels.at(0), b});
}

std::string table_at(const std::string& offset) {
  return "s_getpc_b64 s[0:1]\ns_add_u32 s0, s0, " + offset + "\ns_addc_u32 s1, s1, 0\n";
}

TEST(SameKernel, HasTheSameInstructions) {
  EXPECT_TRUE(is_same("v_add_f32 v0, v0, v1\n", "v_add_f32 v0, v0, v1\n"));
  EXPECT_FALSE(is_same("v_add_f32 v0, v0, v1\n", "v_sub_f32 v0, v0, v1\n"));
  EXPECT_FALSE(is_same("v_add_f32 v0, v0, v1\n", "v_add_f32 v0, v0, v1\ns_nop 0\n"));
  EXPECT_FALSE(is_same("s_mov_b32 s0, 0x12345\n", "s_mov_b32 s0, 0x12346\n"));
}

TEST(SameKernel, MayFindItsTablesElsewhere) {
  EXPECT_TRUE(is_same(table_at("0x12340"), table_at("0x56780")));
  const std::string later = "s_nop 0\ns_nop 0\ns_nop 0\n";
  EXPECT_FALSE(is_same(table_at("0x12340") + later + "s_mov_b32 s2, 0x12345\n",
                       table_at("0x56780") + later + "s_mov_b32 s2, 0x12346\n"));
}

}  // namespace
}  // namespace kernelgen::tool
