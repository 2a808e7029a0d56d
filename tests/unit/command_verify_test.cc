// `kernel-gen verify` on the package of this build.
#include "commands/verify.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/fault.hpp"
#include "kernelgen/package.hpp"
#include "support/package_builder.hpp"
#include "support/printed.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::tool {
namespace {

using Header = kernelgen_package_header;

class Verify : public testing::Test {
 protected:
  Verify() { options_.package = KERNELGEN_TEST_PACKAGE; }
  /// What is printed.
  std::string verify(int exit_code) {
    return test::printed([&](std::FILE* out) { EXPECT_EQ(run_verify(options_, disk_, out), exit_code); });
  }

  /// What verify prints of the package with a record changed and the checksum mended.
  template <class Record, class Change>
  std::string verify_with(const kernelgen_table Header::* table, std::size_t index, const Change& change) {
    const std::vector<std::byte> bytes = test::with_changed_tables(
        test::read_file(KERNELGEN_TEST_PACKAGE), [&](std::byte* tables, const Header& header) {
          std::byte* const at = tables + (header.*table).offset + index * sizeof(Record);
          Record record;
          std::memcpy(&record, at, sizeof record);
          change(record);
          std::memcpy(at, &record, sizeof record);
        });
    const test::TemporaryFile doctored("doctored.kgpkg", bytes);
    options_.package = doctored.path();
    return verify(exit_failure);
  }

  RealDisk disk_;
  VerifyOptions options_;
};

TEST_F(Verify, ShowsEveryOperationOnEveryTarget) {
  options_.json = true;
  const auto report = nlohmann::json::parse(verify(exit_ok));
  EXPECT_EQ(report["ok"], true);
  EXPECT_EQ(report["problems"], nlohmann::json::array());
  bool found = false;
  for (const auto& row : report["operations"]) {
    ASSERT_FALSE(row["targets"].empty());
    for (const auto& [target, ok] : row["targets"].items()) EXPECT_EQ(ok, true) << row["operation"] << target;
    if (row["operation"] != "softmax") continue;
    found = true;
    EXPECT_EQ(row["kernels"], 3 * 5);  // forms and types
    EXPECT_EQ(row["types"]["T"], (std::vector<std::string>{"bf16", "f16", "f32", "f64", "f8e4m3"}));
  }
  EXPECT_TRUE(found);

  options_.json = false;
  const std::string table = verify(exit_ok);
  EXPECT_NE(table.find("softmax "), std::string::npos);
  EXPECT_TRUE(table.ends_with(", all as the manifests say\n")) << table;
}

TEST_F(Verify, NamesWhatThePackageLacks) {
  options_.manifests = {KERNELGEN_SOURCE_DIR "/manifests/candle"};
  const std::string report = verify(exit_failure);
  EXPECT_NE(report.find("kernel affine_f32 of the manifests is missing"), std::string::npos);
  EXPECT_NE(report.find("(by name)"), std::string::npos);
  EXPECT_NE(report.find("WRONG"), std::string::npos);
  EXPECT_EQ(report.find("all as the manifests say"), std::string::npos);
}

TEST_F(Verify, ComparesWithManifestsThatAreNamed) {
  options_.manifests = {KERNELGEN_SOURCE_DIR "/manifests/core"};
  EXPECT_TRUE(verify(exit_ok).ends_with(", all as the manifests say\n"));
  options_.only = {"op=exp"};
  options_.json = true;  // the text has the first problems only
  EXPECT_NE(verify(exit_failure).find("operation log is in the package, but not in the manifests"),
            std::string::npos);
}

TEST_F(Verify, SeesATableThatIsNotWhatItsManifestsMake) {
  const Package package = Package::open(KERNELGEN_TEST_PACKAGE);
  const auto* const operation = package.find_operation("exp");
  ASSERT_NE(operation, nullptr);
  const auto index = static_cast<std::size_t>(operation - package.operations().data());
  const std::string variant = verify_with<std::uint32_t>(&Header::variants, operation->first_variant,
                                                         [](std::uint32_t& id) { id = KERNELGEN_NO_KERNEL; });
  EXPECT_NE(variant.find("operation exp: variant "), std::string::npos) << variant;
  EXPECT_NE(variant.find("the package no kernel"), std::string::npos) << variant;
  EXPECT_NE(variant.find("WRONG"), std::string::npos) << variant;

  const std::string operand = verify_with<kernelgen_operand_record>(
      &Header::operands, operation->first_operand + 1, [](kernelgen_operand_record& y) { y.type = 7; });
  EXPECT_NE(operand.find("operation exp: output: the manifests have 'y: T', the package 'y: f32'"),
            std::string::npos)
      << operand;

  const std::string kind = verify_with<kernelgen_operation_record>(
      &Header::operations, index,
      [](kernelgen_operation_record& exp) { exp.kind = KERNELGEN_OPERATION_OTHER; });
  EXPECT_NE(kind.find("operation exp: kind: the manifests have 'map', the package 'other'"),
            std::string::npos)
      << kind;

  using Digits = std::array<std::uint8_t, KERNELGEN_ELEMENT_CODES>;
  const auto first_digit = package.variables(*operation)[0].first_digit;
  ASSERT_EQ(first_digit % KERNELGEN_ELEMENT_CODES, 0u);
  const std::string digits = verify_with<Digits>(&Header::digits, first_digit / KERNELGEN_ELEMENT_CODES,
                                                 [](Digits& d) { std::swap(d[6], d[7]); });
  EXPECT_NE(digits.find("operation exp: type variables: the manifests have"), std::string::npos) << digits;

  const std::string block = verify_with<kernelgen_kernel_record>(
      &Header::kernels, 0, [](kernelgen_kernel_record& kernel) { kernel.block = 1; });
  EXPECT_NE(block.find("largest block: the manifests have"), std::string::npos) << block;
}

TEST_F(Verify, SeesTargetsAndResourcesThatTheCodeObjectsDoNotHave) {
  const std::string target = verify_with<kernelgen_target_record>(
      &Header::targets, 0, [](kernelgen_target_record& cpu) { cpu.code_object_version = 4; });
  EXPECT_NE(target.find("code object version: built for 0, the package says 4"), std::string::npos) << target;
  const std::string resources = verify_with<kernelgen_resource_record>(
      &Header::resources, 0, [](kernelgen_resource_record& kernel) { kernel.vgprs = 7; });
  EXPECT_NE(resources.find("vgprs: the code object has 0, the package 7"), std::string::npos) << resources;
}

TEST_F(Verify, SeesARecordThatCannotBeRead) {
  const std::string report = verify_with<char>(&Header::provenance, 0, [](char& brace) { brace = 'x'; });
  EXPECT_NE(report.find("provenance: line 1, column 1: not JSON"), std::string::npos) << report;
  EXPECT_EQ(report.find("all as the manifests say"), std::string::npos);
}

TEST_F(Verify, TellsWhenThereIsNoPackage) {
  options_.package = "/nowhere";
  EXPECT_THROW(run_verify(options_, disk_, stdout), BadInput);
}

}  // namespace
}  // namespace kernelgen::tool
