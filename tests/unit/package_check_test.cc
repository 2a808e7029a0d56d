// A package's tables compared with manifests that it was not made from.
#include "build/package_check.hpp"

#include <gtest/gtest.h>

#include "build/package_writer.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

const std::string exp_row =
    R"j({"op": "exp", "types": {"T": ["f16", "f32"]}, "inputs": ["x: T"], "output": "T", "expr": "exp(x)"})j";

KernelSet set_of(const std::string& operations, const std::string& module = "a") {
  MemoryDisk disk;
  disk.add("k/a.hpp", "");
  disk.add("m/a.json",
           R"({"module": ")" + module + R"(", "header": "a.hpp", "operations": [)" + operations + "]}");
  return expand(read_manifests(disk, {"m"}, "k"));
}

/// The findings of check_tables for a package made from other operations than expected.
std::vector<std::string> findings(const KernelSet& packed, const KernelSet& meant) {
  Target cpu;
  cpu.name = "cpu-x86-64-v3";
  cpu.kind = TargetKind::cpu;
  cpu.wave_sizes = {1};
  const std::string bytes = write_package(packed, {{&cpu, {{"code", {}}}}}, "{}");
  std::vector<std::uint64_t> storage((bytes.size() + 7) / 8);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(storage.data()));
  const Package package =
      Package::from_memory({reinterpret_cast<const std::byte*>(storage.data()), bytes.size()});
  std::vector<std::string> texts;
  for (const Finding& finding : check_tables(package, meant)) texts.push_back(finding.text);
  return texts;
}

std::vector<std::string> findings(const std::string& packed) {
  return findings(set_of(packed), set_of(exp_row));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

using Lines = std::vector<std::string>;

TEST(PackageCheck, SaysNothingOfWhatTheManifestsMake) {
  EXPECT_EQ(findings(exp_row), Lines{});
  // The order of manifests does not matter to those who look things up by name.
  const std::string neg = replaced(exp_row, "exp", "neg");
  EXPECT_EQ(findings(set_of(exp_row + "," + neg), set_of(neg + "," + exp_row)), Lines{});
}

TEST(PackageCheck, SeesWhatIsMissingAndWhatIsForeign) {
  EXPECT_EQ(findings(set_of(exp_row), set_of(exp_row, "b")),
            (Lines{"module b of the manifests is missing",
                   "kernel kg_exp_f16: module: the manifests have b, the package a",
                   "kernel kg_exp_f16_strided: module: the manifests have b, the package a",
                   "kernel kg_exp_f32: module: the manifests have b, the package a",
                   "kernel kg_exp_f32_strided: module: the manifests have b, the package a",
                   "module a is in the package, but not in the manifests"}));
  const Lines renamed = findings(replaced(exp_row, "\"exp\"", "\"neg\""));
  EXPECT_EQ(renamed.front(), "kernel kg_exp_f16 of the manifests is missing");
  EXPECT_EQ(renamed[4], "operation exp of the manifests is missing");
  EXPECT_EQ(renamed[5], "kernel kg_neg_f16 is in the package, but not in the manifests");
  EXPECT_EQ(renamed.back(), "operation neg is in the package, but not in the manifests");
}

TEST(PackageCheck, SeesOtherOperands) {
  EXPECT_EQ(
      findings(replaced(exp_row, "\"output\": \"T\"", "\"output\": \"u8\"")),
      (Lines{"kernel kg_exp_f16: argument 1: the manifests have 'f16* y at 8, 8 bytes, written', the package "
             "'u8* y at 8, 8 bytes, written'",
             "kernel kg_exp_f16_strided: argument 1: the manifests have 'f16* y at 8, 8 bytes, written', the "
             "package 'u8* y at 8, 8 bytes, written'",
             "kernel kg_exp_f32: argument 1: the manifests have 'f32* y at 8, 8 bytes, written', the package "
             "'u8* y at 8, 8 bytes, written'",
             "kernel kg_exp_f32_strided: argument 1: the manifests have 'f32* y at 8, 8 bytes, written', the "
             "package 'u8* y at 8, 8 bytes, written'",
             "operation exp: output: the manifests have 'y: T', the package 'y: u8'"}));
  const Lines scaled = findings(replaced(exp_row, "\"output\"", "\"scalars\": [\"a: f32\"], \"output\""));
  EXPECT_EQ(scaled.front(), "kernel kg_exp_f16: arguments: the manifests have 3, the package 4");
  EXPECT_EQ(scaled.back(), "operation exp: scalars: the manifests have '', the package 'a: f32'");
}

TEST(PackageCheck, SeesOtherTypeVariablesAndForms) {
  EXPECT_EQ(
      findings(replaced(exp_row, "\"f16\", \"f32\"", "\"f32\", \"f16\"")),
      Lines{"operation exp: type variables: the manifests have 'T: f16 f32', the package 'T: f32 f16'"});
  const std::string form = R"j("forms": {"wide": {"args": ["x: const T*"], "body": "g(x)"}}, "expr")j";
  const Lines wide = findings(replaced(exp_row, "\"expr\"", form));
  EXPECT_EQ(
      wide.front(),
      "operation exp: forms: the manifests have 'contiguous, strided', the package 'contiguous, strided, "
      "wide'");
  EXPECT_EQ(wide.back(), "kernel kg_exp_f32_wide is in the package, but not in the manifests");
}

TEST(PackageCheck, SeesOtherVariantsAndBlocks) {
  KernelSet packed = set_of(exp_row);
  std::swap(packed.operations[0].variants[0], packed.operations[0].variants[2]);
  packed.operations[0].variants[3] = KERNELGEN_NO_KERNEL;
  packed.kernels[1].block = 64;
  EXPECT_EQ(
      findings(packed, set_of(exp_row)),
      (Lines{"kernel kg_exp_f16_strided: largest block: the manifests have 256, the package 64",
             "operation exp: variant f16 contiguous: the manifests have kg_exp_f16, the package kg_exp_f32",
             "operation exp: variant f32 contiguous: the manifests have kg_exp_f32, the package kg_exp_f16",
             "operation exp: variant f32 strided: the manifests have kg_exp_f32_strided, the package no "
             "kernel"}));
}

TEST(PackageCheck, ComparesTargetsWithTheirRows) {
  Target gpu;
  gpu.name = "gfx942";
  gpu.kind = TargetKind::hip;
  gpu.wave_sizes = {64};
  gpu.code_object_version = 5;
  EXPECT_EQ(target_objection({0, 1, 64, 5}, gpu), "");
  EXPECT_EQ(target_objection({0, 2, 64, 5}, gpu), "kind: built for 1, the package says 2");
  EXPECT_EQ(target_objection({0, 1, 32, 5}, gpu), "wave size: built for 64, the package says 32");
  EXPECT_EQ(target_objection({0, 1, 64, 4}, gpu), "code object version: built for 5, the package says 4");
}

}  // namespace
}  // namespace kernelgen::tool
