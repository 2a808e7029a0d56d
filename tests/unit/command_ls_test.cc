// `kernel-gen ls` on the shipped manifests, on the package of this build and on a model.
#include "commands/ls.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "base/fault.hpp"
#include "support/printed.hpp"
#include "support/sample_gguf.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::tool {
namespace {

class List : public testing::Test {
 protected:
  List() {
    options_.paths.manifests = {KERNELGEN_SOURCE_DIR "/manifests/core"};
    options_.paths.kernels = options_.paths.shipped_kernels = KERNELGEN_SOURCE_DIR "/kernels";
    options_.paths.targets = KERNELGEN_SOURCE_DIR "/manifests/targets.json";
  }
  /// What is printed.
  std::string list() {
    return test::printed([&](std::FILE* out) { EXPECT_EQ(run_ls(options_, disk_, out), 0); });
  }

  RealDisk disk_;
  ListOptions options_;
};

TEST_F(List, NamesTheDtypesOfEachOperation) {
  for (const char* package : {"", KERNELGEN_TEST_PACKAGE}) {
    options_.package = package;
    const std::string text = list();
    for (const char* row :
         {"exp +10  floats +contiguous", "affine +18  all +contiguous", "copy +16  all +cont",
          "cast +172  S: all, D: all +contiguous", "gather +8  all +elements"})
      EXPECT_TRUE(std::regex_search(text, std::regex(row))) << row << "\nin\n" << text;
  }
}

TEST_F(List, SaysTheSameOfManifestsAndPackageInJson) {
  options_.json = true;
  const auto manifests = nlohmann::ordered_json::parse(list());
  options_.package = KERNELGEN_TEST_PACKAGE;
  const auto package = nlohmann::ordered_json::parse(list());
  ASSERT_EQ(manifests.size(), package.size());
  for (std::size_t i = 0; i < package.size(); ++i) {
    EXPECT_EQ(manifests[i]["operation"], package[i]["operation"]);
    EXPECT_EQ(manifests[i]["types"], package[i]["types"]) << package[i]["operation"];
    // One without variables has one kernel.
    EXPECT_TRUE(!package[i]["types"].empty() || package[i]["kernels"].size() == 1) << package[i]["operation"];
  }
}

TEST_F(List, ShowsMetadataAndTensorsOfAModel) {
  const test::TemporaryFile file("sample.gguf", test::bytes_of_file(test::sample_gguf()));
  options_.package = file.path();
  const std::string text = list();
  for (const char* row :
       {"general.architecture +text +llama", "a.u64 +u64 +1.8446744073709552e\\+19", "a.f32 +f32 +0.5",
        "tokens +text\\[3\\] +\\[, one, zwölf\\]", "nested +array\\[3\\] +\\[\\[1, 2\\], \\[\\], \\[3\\]\\]",
        "scales +f32 +\\[2, 3\\] +24", "codes +type 255 \\(not loadable\\) +\\[8\\] +unknown",
        "GGUF 3: 17 metadata keys, 3 tensors, "})
    EXPECT_TRUE(std::regex_search(text, std::regex(row))) << row << "\nin\n" << text;
  options_.json = true;
  const auto json = nlohmann::json::parse(list());
  EXPECT_EQ(json["version"], 3);
  EXPECT_EQ(json["metadata"][0]["value"], "llama");
  EXPECT_EQ(json["tensors"][0]["shape"], nlohmann::json({2, 3}));
  EXPECT_EQ(json["tensors"][0]["bytes"], 24);
  EXPECT_EQ(json["tensors"][2]["loadable"], false);
}

TEST_F(List, RefusesKernelsOfAModel) {
  const test::TemporaryFile file("sample.gguf", test::bytes_of_file(test::sample_gguf()));
  options_.package = file.path();
  options_.kernels_of = "*";
  EXPECT_THROW(list(), BadInput);
  options_.kernels_of.clear();
  options_.package = "/nonexistent/model.gguf";
  EXPECT_THROW(list(), BadInput);
}

}  // namespace
}  // namespace kernelgen::tool
