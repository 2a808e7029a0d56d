// The CPU dialect is vectorised: contiguous f32 kernels compute in packed registers and call nothing in their
// loops.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "code_object/disassembly.hpp"
#include "code_object/loops.hpp"
#include "kernelgen/package.hpp"

namespace kernelgen {
namespace {

using tool::Instruction;

/// A kernel's instructions in the embedded package's code for its first CPU target.
std::vector<Instruction> instructions_of(std::string_view kernel) {
  const Package package = Package::embedded();
  const auto targets = package.targets();
  const auto cpu = std::ranges::find(targets, 0u, &kernelgen_target_record::kind);
  const auto id = package.find_kernel(kernel);
  if (cpu == targets.end() || !id)
    throw std::runtime_error("the embedded package lacks " + std::string(kernel));
  const auto code =
      package.code(static_cast<std::uint32_t>(cpu - targets.begin()), package.kernels()[*id].module);
  return tool::disassemble(code).at(std::string(kernel));
}

bool is_call(const Instruction& instruction) { return instruction.mnemonic.starts_with("call"); }

/// Packed single-precision arithmetic on 32- or 64-byte registers.
bool is_packed_arithmetic(const Instruction& instruction) {
  const std::string_view name = instruction.mnemonic;
  const bool arithmetic = name.starts_with("vfm") || name.starts_with("vfnm") || name.starts_with("vmul") ||
                          name.starts_with("vadd") || name.starts_with("vsub");
  const bool wide = instruction.operands.find("%ymm") != std::string::npos ||
                    instruction.operands.find("%zmm") != std::string::npos;
  return arithmetic && name.ends_with("ps") && wide;
}

class CpuVector : public testing::TestWithParam<const char*> {};

TEST_P(CpuVector, LoopsArePackedAndCallNothing) {
  const std::vector<Instruction> function = instructions_of(GetParam());
  const std::vector<tool::Loop> loops = tool::find_loops(function);
  ASSERT_FALSE(loops.empty());
  bool packed = false;
  for (const tool::Loop& loop : loops)
    for (const tool::Loop::Block& block : loop.blocks)
      for (std::size_t i = block.begin; i < block.end; ++i) {
        packed = packed || is_packed_arithmetic(function[i]);
        EXPECT_FALSE(is_call(function[i]))
            << function[i].mnemonic << " " << function[i].operands << " in a loop";
      }
  EXPECT_TRUE(packed);
}

INSTANTIATE_TEST_SUITE_P(ElementWise, CpuVector,
                         testing::Values("kg_exp_f32", "kg_silu_f32", "kg_gelu_f32", "kg_tanh_f32",
                                         "kg_sigmoid_f32", "kg_silu_mul_f32"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace kernelgen
