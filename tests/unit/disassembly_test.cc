// Disassembled machine code: instructions, branch targets, and code that LLVM cannot read.
#include "code_object/disassembly.hpp"

#include <gtest/gtest.h>

#include "code_object/code_object.hpp"
#include "metadata_elf.hpp"
#include "support/assembled.hpp"

namespace kernelgen::tool {
namespace {

std::string spelled(const Instruction& instruction) {
  return instruction.mnemonic + (instruction.operands.empty() ? "" : " ") + instruction.operands;
}

std::string refusal(std::string_view bytes) {
  try {
    disassemble(std::as_bytes(std::span(bytes)));
    return "";
  } catch (const BadCodeObject& error) {
    return error.what();
  }
}

TEST(Disassembly, SpellsInstructionsAndSaysWhereBranchesLead) {
  for (const char* processor : {"gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201"}) {
    const std::uint32_t wave = processor[3] == '1' ? 32 : 64;
    const auto code = test::assembled(processor, {.body = R"(
  s_branch forward
back:
  v_add_f32_e32 v0, 0x41200000, v1
forward:
  s_cbranch_scc0 back
)",
                                                  .wave_size = wave});
    const auto functions = disassemble(code);
    ASSERT_EQ(functions.size(), 1u) << processor;
    const auto& code_of_k = functions.at("k");
    ASSERT_EQ(code_of_k.size(), 4u) << processor;
    EXPECT_EQ(spelled(code_of_k[1]), "v_add_f32_e32 v0, 0x41200000, v1");
    EXPECT_EQ(code_of_k[1].size, 8u);
    EXPECT_EQ(code_of_k[1].goes_to, std::nullopt);
    EXPECT_EQ(code_of_k[0].goes_to, code_of_k[2].address);
    EXPECT_EQ(code_of_k[2].goes_to, code_of_k[1].address);
    EXPECT_EQ(spelled(code_of_k[3]), "s_endpgm");
  }
}

TEST(Disassembly, KnowsTheWidthOfWaves) {
  const char* body = "v_cmp_lt_f32_e32 %, v0, v1\n";
  for (const std::uint32_t wave : {32u, 64u}) {
    std::string text = body;
    text.replace(text.find('%'), 1, wave == 32 ? "vcc_lo" : "vcc");
    const auto code = test::assembled("gfx1100", {.body = text, .wave_size = wave});
    EXPECT_EQ(disassemble(code).at("k")[0].operands, wave == 32 ? "vcc_lo, v0, v1" : "vcc, v0, v1");
  }
}

TEST(Disassembly, GoesPastWhatIsNoInstruction) {
  const auto code = test::assembled("gfx942", {.body = ".long 0xffffffff\n s_nop 0\n"});
  const auto functions = disassemble(code);
  const auto& instructions = functions.at("k");
  ASSERT_EQ(instructions.size(), 3u);
  EXPECT_EQ(instructions[0].mnemonic, "(unknown)");
  EXPECT_EQ(instructions[1].mnemonic, "s_nop");
}

TEST(Disassembly, RefusesWhatLlvmDoesNotRead) {
  EXPECT_EQ(refusal(".version 8.0\n.target sm_80\n"), "LLVM disassembles no ptx");
  EXPECT_EQ(refusal("plain text"), "neither an ELF file nor PTX");
  // Either would end the process inside LLVM.
  for (const std::string name : {"gfx9999", "gfx701"}) {
    const std::string why = refusal(code_object_of({kernel_metadata("k")}, name).bytes());
    EXPECT_NE(why.find("disassembles no code for '" + name + "'"), std::string::npos) << why;
  }
}

}  // namespace
}  // namespace kernelgen::tool
