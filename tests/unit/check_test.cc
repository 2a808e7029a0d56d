#include "code_object/check.hpp"

#include <gtest/gtest.h>

namespace kernelgen::tool {
namespace {

Target gfx942() {
  Target target;
  target.name = "gfx942";
  target.kind = TargetKind::hip;
  target.machine = 0x4c;
  target.wave_sizes = {64};
  target.code_object_version = 5;
  return target;
}

KernelSet one_kernel() {
  KernelSet set;
  set.modules.push_back({"unary", "", "unary.hpp", "unary.json", "unary.json", 1, 0, 1});
  Kernel kernel;
  kernel.name = "kg_exp_f32";
  kernel.module = 0;
  kernel.arguments = {{"x", "const f32*", 0, 8, true, false}, {"n", "u64", 8, 8, false, false}};
  kernel.kernarg_bytes = 16;
  kernel.block = 256;
  set.kernels.push_back(kernel);
  return set;
}

CodeObject matching() {
  CodeObject object;
  object.processor = "gfx942";
  object.machine = 0x4c;
  object.code_object_version = 5;
  CodeKernel kernel;
  kernel.name = "kg_exp_f32";
  kernel.arguments = {{"", "global_buffer", 0, 8}, {"", "by_value", 8, 8}};
  kernel.kernarg_bytes = 16;
  kernel.wave_size = 64;
  kernel.max_block = 256;
  object.kernels.push_back(kernel);
  return object;
}

std::vector<std::string> check(const CodeObject& object, const KernelSet& set = one_kernel()) {
  return check_code_object(object, gfx942(), set, set.modules[0]);
}

using Lines = std::vector<std::string>;

TEST(Check, SaysNothingWhenAllIsWell) { EXPECT_EQ(check(matching()), Lines{}); }

TEST(Check, AnotherGpusNumberInTheFlags) {
  CodeObject object = matching();
  object.machine = 0x3f;
  EXPECT_EQ(check(object), Lines{"gfx942: code object: machine number: wanted 0x04c, found 0x03f"});
}

TEST(Check, PtxWhereTheTableSaysSo) {
  Target target = gfx942();
  target.kind = TargetKind::cuda;
  CodeObject object = matching();
  object.kind = CodeKind::ptx;
  const KernelSet set = one_kernel();
  EXPECT_EQ(check_code_object(object, target, set, set.modules[0]),
            Lines{"gfx942: code object: kind: wanted cubin, found ptx"});
  target.is_ptx = true;
  EXPECT_EQ(check_code_object(object, target, set, set.modules[0]), Lines{});
}

TEST(Check, NamesArgumentWantedAndFound) {
  CodeObject object = matching();
  object.kernels[0].arguments[1] = {"", "global_buffer", 12, 4};
  EXPECT_EQ(check(object), (Lines{"gfx942: kernel kg_exp_f32: argument n (u64): offset: wanted 8, found 12",
                                  "gfx942: kernel kg_exp_f32: argument n (u64): size: wanted 8, found 4",
                                  "gfx942: kernel kg_exp_f32: argument n (u64): kind: wanted by_value, found "
                                  "global_buffer"}));
  object.kernels[0].arguments.pop_back();
  EXPECT_EQ(check(object), (Lines{"gfx942: kernel kg_exp_f32: arguments: wanted 2, found 1"}));
}

TEST(Check, FindsKernelsMissingAndTooMany) {
  CodeObject object = matching();
  object.kernels[0].name = "other";
  EXPECT_EQ(check(object),
            (Lines{"gfx942: kernel kg_exp_f32 of the manifest is not in the code object of module unary",
                   "gfx942: kernel other is in the code object of module unary, but not in its manifest"}));
}

TEST(Check, HoldsKernelsToTheirBudget) {
  CodeObject object = matching();
  object.kernels[0].vgpr_spills = 3;
  object.kernels[0].scratch_bytes = 16;
  object.kernels[0].vgprs = 65;
  EXPECT_EQ(check(object),
            (Lines{"gfx942: kernel kg_exp_f32: VGPR spills: wanted at most 0, found 3",
                   "gfx942: kernel kg_exp_f32: bytes of scratch: wanted at most 0, found 16"}));
  KernelSet set = one_kernel();
  set.kernels[0].budget = {64, std::nullopt, 3, 16};
  EXPECT_EQ(check(object, set), (Lines{"gfx942: kernel kg_exp_f32: VGPRs: wanted at most 64, found 65"}));
}

TEST(Check, FindsAnotherGpuWaveSizeOrBlock) {
  CodeObject object = matching();
  object.processor = "gfx90a";
  object.code_object_version = 4;
  object.kernels[0].wave_size = 32;
  object.kernels[0].max_block = 128;
  EXPECT_EQ(check(object), (Lines{"gfx942: code object: processor: wanted gfx942, found gfx90a",
                                  "gfx942: code object: code object version: wanted 5, found 4",
                                  "gfx942: kernel kg_exp_f32: largest block: wanted 256, found 128",
                                  "gfx942: kernel kg_exp_f32: wave size: wanted 64, found 32"}));
}

}  // namespace
}  // namespace kernelgen::tool
