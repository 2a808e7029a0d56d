// Loops in machine code, and the path through them that is counted.
#include "code_object/loops.hpp"

#include <gtest/gtest.h>

#include "code_object/pipes.hpp"
#include "support/assembled.hpp"

namespace kernelgen::tool {
namespace {

std::vector<Instruction> function_of(std::string_view body) {
  return disassemble(test::assembled("gfx942", {.body = body})).at("k");
}

/// The mnemonics of the way that moves most bytes of global memory in fewest instructions.
std::vector<std::string> way_of(const Loop& loop, const std::vector<Instruction>& function) {
  std::vector<Weight> weights;
  for (const Instruction& instruction : function)
    weights.push_back({0, classify(instruction).lane_bytes, -1});
  std::vector<std::string> names;
  for (const std::size_t i : heaviest_way(loop, weights)) names.push_back(function[i].mnemonic);
  return names;
}

TEST(Loops, AreFoundByBranchesBack) {
  const auto function = function_of(R"(
  s_mov_b32 s0, 0
outer:
  s_mov_b32 s1, 0
inner:
  s_add_u32 s1, s1, 1
  s_cmp_lt_u32 s1, 4
  s_cbranch_scc1 inner
  s_add_u32 s0, s0, 1
  s_cmp_lt_u32 s0, 4
  s_cbranch_scc1 outer
)");
  const auto loops = find_loops(function);
  ASSERT_EQ(loops.size(), 2u);
  EXPECT_EQ(loops[0].size(), 7u);
  EXPECT_FALSE(loops[0].innermost);
  EXPECT_EQ(loops[1].size(), 3u);
  EXPECT_TRUE(loops[1].innermost);
  EXPECT_EQ(loops[0].blocks.front().begin, 1u);
  EXPECT_EQ(loops[1].blocks.front().begin, 2u);
  // Instructions of the outer loop alone are counted separately.
  std::size_t own = 0;
  for (const Loop::Block& block : loops[0].blocks)
    if (!block.inside) own += block.end - block.begin;
  EXPECT_EQ(own, 4u);
}

TEST(Loops, OfTwoBranchesBackToOneInstructionAreOne) {
  const auto loops = find_loops(function_of(R"(
head:
  s_cmp_lt_u32 s1, 4
  s_cbranch_scc1 head
  s_cmp_lt_u32 s2, 4
  s_cbranch_scc1 head
)"));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].size(), 4u);
}

TEST(Loops, LeaveOutWhatDoesNotComeBack) {
  const auto loops = find_loops(function_of(R"(
head:
  s_cmp_eq_u32 s0, 0
  s_cbranch_scc1 leave
  s_branch head
leave:
  s_mov_b32 s0, 1
)"));
  ASSERT_EQ(loops.size(), 1u);
  EXPECT_EQ(loops[0].size(), 3u);
}

TEST(Loops, NoneInStraightCode) {
  const auto function =
      function_of("s_mov_b32 s0, 0\n s_cmp_eq_u32 s0, 0\n s_cbranch_scc1 end\n s_nop 0\nend:\n");
  EXPECT_TRUE(find_loops(function).empty());
  EXPECT_EQ(whole_function(function).size(), 5u);
  EXPECT_EQ(way_of(whole_function(function), function).size(), 4u);
}

TEST(Loops, TakeOneOfTwoBranchesThatExcludeEachOther) {
  const auto function = function_of(R"(
head:
  s_cmp_eq_u32 s0, 0
  s_cbranch_scc1 narrow
  global_load_dwordx4 v[0:3], v[4:5], off
  s_branch join
narrow:
  global_load_dword v0, v[4:5], off
  global_load_dword v1, v[4:5], off
  global_load_dword v2, v[4:5], off
  global_load_dword v3, v[4:5], off
join:
  s_add_u32 s1, s1, 1
  s_cbranch_vccnz head
)");
  EXPECT_EQ(way_of(find_loops(function).at(0), function),
            (std::vector<std::string>{"s_cmp_eq_u32", "s_cbranch_scc1", "global_load_dwordx4", "s_branch",
                                      "s_add_u32", "s_cbranch_vccnz"}));
}

TEST(Loops, TakeOneSideOfAnIfThatMasksLanes) {
  const auto function = function_of(R"(
head:
  s_and_saveexec_b64 s[2:3], vcc
  s_xor_b64 s[2:3], exec, s[2:3]
  s_cbranch_execz flow
  global_load_dword v0, v[4:5], off
flow:
  s_andn2_saveexec_b64 s[2:3], s[2:3]
  s_cbranch_execz join
  global_load_dwordx4 v[0:3], v[4:5], off
join:
  s_or_b64 exec, exec, s[2:3]
  s_cbranch_vccnz head
)");
  EXPECT_EQ(
      way_of(find_loops(function).at(0), function),
      (std::vector<std::string>{"s_and_saveexec_b64", "s_xor_b64", "s_cbranch_execz", "s_andn2_saveexec_b64",
                                "s_cbranch_execz", "global_load_dwordx4", "s_or_b64", "s_cbranch_vccnz"}));
}

TEST(Loops, TakeWhatSomeLaneIsToDo) {
  const auto function = function_of(R"(
head:
  s_and_saveexec_b64 s[2:3], vcc
  s_cbranch_execz join
  v_add_f32_e32 v0, v1, v2
join:
  s_or_b64 exec, exec, s[2:3]
  s_cbranch_vccnz head
)");
  const auto way = way_of(find_loops(function).at(0), function);
  EXPECT_EQ(way.size(), 5u);
  EXPECT_EQ(way.at(2), "v_add_f32_e32");
}

}  // namespace
}  // namespace kernelgen::tool
