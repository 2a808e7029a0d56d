// `kernel-gen ls` on the shipped manifests and on the package of this build.
#include "commands/ls.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "support/printed.hpp"

namespace kernelgen::tool {
namespace {

class List : public testing::Test {
 protected:
  List() {
    options_.places.manifests = {KERNELGEN_SOURCE_DIR "/manifests/core"};
    options_.places.kernels = options_.places.shipped_kernels = KERNELGEN_SOURCE_DIR "/kernels";
    options_.places.targets = KERNELGEN_SOURCE_DIR "/manifests/targets.json";
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
         {"exp +10  floats +contiguous", "affine +20  all +contiguous", "copy +16  all +cont",
          "cast +200  S: all, D: all +contiguous", "gather +40  T: all, Id: integers +elements"})
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
    EXPECT_FALSE(package[i]["types"].empty()) << package[i]["operation"];
  }
}

}  // namespace
}  // namespace kernelgen::tool
