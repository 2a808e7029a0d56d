#include "amdgpu/disassembler.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <initializer_list>

#include "amdgpu/decode.hpp"

// Encodings of instructions on halves of registers, by the RDNA3 ISA document (chapter "Microcode Formats").
namespace kernelgen::amdgpu {
namespace {

Instruction decoded(std::initializer_list<std::uint32_t> words) {
  static const Disassembler disassembler("gfx1100", 11, 32);
  std::vector<std::uint8_t> code(words.size() * sizeof(std::uint32_t));
  std::memcpy(code.data(), words.begin(), code.size());
  const auto [text, size] = disassembler.decode(code, 0);
  EXPECT_EQ(size, code.size()) << text;
  return decode_text(text, {"gfx1100", 11, 0, 0});
}

constexpr std::uint32_t vgpr_source(std::uint32_t index, bool high) {
  return 0x100 | (high ? 0x80 : 0) | index;
}
constexpr std::uint32_t vgpr_field(std::uint32_t index, bool high) { return (high ? 0x80 : 0) | index; }
constexpr std::uint32_t vop1(std::uint32_t opcode, std::uint32_t destination, std::uint32_t source) {
  return 0x7e000000 | destination << 17 | opcode << 9 | source;
}
constexpr std::uint32_t vop2(std::uint32_t opcode, std::uint32_t destination, std::uint32_t x,
                             std::uint32_t y) {
  return opcode << 25 | destination << 17 | y << 9 | x;
}
constexpr std::uint32_t vopc(std::uint32_t opcode, std::uint32_t x, std::uint32_t y) {
  return 0x7c000000 | opcode << 17 | y << 9 | x;
}
constexpr std::uint32_t vop3(std::uint32_t opcode, std::uint32_t op_sel, std::uint32_t destination) {
  return 0xd4000000 | opcode << 16 | op_sel << 11 | destination;
}

void expect_register(const Operand& operand, unsigned index, bool high, const std::string& text) {
  EXPECT_EQ(operand.kind, Operand::Kind::vgpr) << text;
  EXPECT_EQ(operand.index, index) << text;
  EXPECT_EQ(operand.high, high) << text;
}

class Halves : public testing::TestWithParam<int> {
 protected:
  const bool first = (GetParam() & 1) != 0, second = (GetParam() & 2) != 0, third = (GetParam() & 4) != 0;
};

TEST_P(Halves, OfOneSource) {
  constexpr std::uint32_t rcp = 0x54, trunc = 0x5d, convert_u16_to_f16 = 0x50;
  for (const std::uint32_t opcode : {rcp, trunc, convert_u16_to_f16}) {
    const Instruction in = decoded({vop1(opcode, vgpr_field(91, first), vgpr_source(27, second))});
    ASSERT_FALSE(is_unknown(in)) << in.text;
    expect_register(in.destination[0], 91, first, in.text);
    expect_register(in.source[0], 27, second, in.text);
  }
  // Of 32 bits: all 256 registers.
  const Instruction in = decoded({vop1(0x0a, vgpr_field(91, first), 0x100 | 220)});
  EXPECT_TRUE(in.text.starts_with("v_cvt_f16_f32")) << in.text;
  expect_register(in.destination[0], 91, first, in.text);
  expect_register(in.source[0], 220, false, in.text);
}

TEST_P(Halves, OfTwoSources) {
  constexpr std::uint32_t add = 0x32, maximum = 0x39, ldexp = 0x3b;
  for (const std::uint32_t opcode : {add, maximum, ldexp}) {
    const Instruction in =
        decoded({vop2(opcode, vgpr_field(7, first), vgpr_source(127, second), vgpr_field(0, third))});
    ASSERT_FALSE(is_unknown(in)) << in.text;
    expect_register(in.destination[0], 7, first, in.text);
    expect_register(in.source[0], 127, second, in.text);
    expect_register(in.source[1], 0, third, in.text);
  }
}

TEST_P(Halves, UnderDpp) {
  const std::uint32_t quad_perm = 0xff00001b << 8 | vgpr_field(9, second);
  const Instruction in = decoded({vop2(0x36, vgpr_field(7, first), 0xfa, vgpr_field(3, third)), quad_perm});
  EXPECT_TRUE(in.text.starts_with("v_fmac_f16_dpp v7" + std::string(first ? ".h" : "") + ", v9" +
                                  (second ? ".h" : "") + ", v3" + (third ? ".h" : "")))
      << in.text;
}

TEST_P(Halves, OfFusedMultiplyAddsWithAConstant) {
  const auto words = [&](std::uint32_t opcode) {
    return decoded(
        {vop2(opcode, vgpr_field(1, first), vgpr_source(2, second), vgpr_field(3, third)), 0x3c00});
  };
  const Instruction by_constant = words(0x37), plus_constant = words(0x38);
  for (const Instruction* in : {&by_constant, &plus_constant}) {
    ASSERT_FALSE(is_unknown(*in)) << in->text;
    expect_register(in->destination[0], 1, first, in->text);
    expect_register(in->source[0], 2, second, in->text);
  }
  expect_register(by_constant.source[2], 3, third, by_constant.text);
  expect_register(plus_constant.source[1], 3, third, plus_constant.text);
}

TEST_P(Halves, OfComparisons) {
  const Instruction in = decoded({vopc(0x01, vgpr_source(5, first), vgpr_field(6, second))});
  EXPECT_TRUE(in.text.starts_with("v_cmp_lt_f16")) << in.text;
  expect_register(in.source[0], 5, first, in.text);
  expect_register(in.source[1], 6, second, in.text);
}

TEST_P(Halves, ByOpSel) {
  const std::uint32_t sources = (0x100 | 211) | (0x100 | 212) << 9,
                      bits = static_cast<std::uint32_t>(GetParam());
  // Bit 3 is the destination's; a move has one source.
  const Instruction move = decoded({vop3(0x19c, (first ? 1 : 0) | (second ? 8 : 0), 169), 0x100 | 11});
  EXPECT_TRUE(move.text.starts_with("v_mov_b16")) << move.text;
  expect_register(move.destination[0], 169, second, move.text);
  expect_register(move.source[0], 11, first, move.text);

  const Instruction sum = decoded({vop3(0x132, (bits & 3) | (third ? 8 : 0), 210), sources});
  EXPECT_TRUE(sum.text.starts_with("v_add_f16")) << sum.text;
  expect_register(sum.destination[0], 210, third, sum.text);
  expect_register(sum.source[0], 211, first, sum.text);
  expect_register(sum.source[1], 212, second, sum.text);

  const Instruction less = decoded({vop3(0x001, bits & 3, 5), sources});
  EXPECT_TRUE(less.text.starts_with("v_cmp_lt_f16")) << less.text;
  EXPECT_EQ(less.destination[0].index, 5) << less.text;
  expect_register(less.source[0], 211, first, less.text);
  expect_register(less.source[1], 212, second, less.text);
}

INSTANTIATE_TEST_SUITE_P(All, Halves, testing::Range(0, 8));

}  // namespace
}  // namespace kernelgen::amdgpu
