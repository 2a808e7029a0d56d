// `kernel-gen verify` on the package of this build.
#include "commands/verify.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/fault.hpp"

namespace kernelgen::tool {
namespace {

class Verify : public testing::Test {
 protected:
  Verify() {
    options_.package = KERNELGEN_TEST_PACKAGE;
    options_.places.manifests = {KERNELGEN_SOURCE_DIR "/manifests/core"};
    options_.places.kernels = options_.places.shipped_kernels = KERNELGEN_SOURCE_DIR "/kernels";
    options_.places.targets = KERNELGEN_SOURCE_DIR "/manifests/targets.json";
  }
  /// What is printed.
  std::string verify(int exit_code) {
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* out = open_memstream(&text, &size);
    EXPECT_EQ(run_verify(options_, disk_, out), exit_code);
    std::fclose(out);
    std::string printed(text, size);
    std::free(text);
    return printed;
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
    EXPECT_EQ(row["kernels"], 5);
    EXPECT_EQ(row["types"]["T"], (std::vector<std::string>{"bf16", "f16", "f32", "f64", "f8e4m3"}));
  }
  EXPECT_TRUE(found);

  options_.json = false;
  const std::string table = verify(exit_ok);
  EXPECT_NE(table.find("softmax "), std::string::npos);
  EXPECT_TRUE(table.ends_with(", all as the manifests say\n")) << table;
}

TEST_F(Verify, NamesWhatThePackageLacks) {
  options_.places.manifests = {KERNELGEN_SOURCE_DIR "/manifests/candle"};
  const std::string report = verify(exit_failure);
  EXPECT_NE(report.find("kernel affine_f32 of the manifests is missing"), std::string::npos);
  EXPECT_NE(report.find("(by name)"), std::string::npos);
  EXPECT_NE(report.find("WRONG"), std::string::npos);
  EXPECT_EQ(report.find("all as the manifests say"), std::string::npos);
}

TEST_F(Verify, TellsWhenThereIsNoPackage) {
  options_.package = "/nowhere";
  EXPECT_THROW(run_verify(options_, disk_, stdout), BadInput);
}

}  // namespace
}  // namespace kernelgen::tool
