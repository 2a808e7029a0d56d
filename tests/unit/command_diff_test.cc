// `kernel-gen diff`: the differences it reports, and its limits for continuous integration.
#include "commands/diff.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/fault.hpp"
#include "support/made_package.hpp"
#include "support/printed.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::tool {
namespace {

using Json = nlohmann::json;

class Diff : public testing::Test {
 protected:
  Diff() {
    before_.manifests = after_.manifests = {test::symbols_manifest("one", {"first", "second"})};
    before_.targets = after_.targets = {"gfx90a", "gfx942"};
  }

  std::string diff(int exit_code, std::vector<std::string> fail_on = {}) {
    const std::string old = before_.bytes(), now = after_.bytes();
    const test::TemporaryFile a("before.kgpkg", std::as_bytes(std::span(old))),
        b("after.kgpkg", std::as_bytes(std::span(now)));
    options_.before = a.path();
    options_.after = b.path();
    options_.fail_on = std::move(fail_on);
    const RealDisk disk;
    return test::printed([&](std::FILE* out) { EXPECT_EQ(run_diff(options_, disk, out), exit_code); });
  }
  Json json(int exit_code, std::vector<std::string> fail_on = {}) {
    options_.json = true;
    return Json::parse(diff(exit_code, std::move(fail_on)));
  }
  /// One kernel on one target has another figure, as the metadata calls it.
  void change(const std::string& figure, int value) {
    after_.change = [=](const std::string& target, Json& kernel) {
      if (target == "gfx942" && kernel[".name"] == "second") kernel[figure] = value;
    };
  }

  test::MadePackage before_, after_;
  DiffOptions options_;
};

TEST_F(Diff, FindsNothingBetweenAPackageAndItself) {
  const Json report = json(exit_ok, {"size", "vgprs", "agprs", "sgprs", "spills", "lds", "scratch", "package",
                                     "added", "removed"});
  EXPECT_EQ(report["changes"], Json::array());
  EXPECT_EQ(report["kernels"], (Json{{"added", Json::array()}, {"removed", Json::array()}}));
  EXPECT_EQ(report["targets"], report["kernels"]);
  EXPECT_EQ(report["failed"], Json::array());
}

TEST_F(Diff, NamesTheKernelTheTargetAndTheFigure) {
  const std::pair<const char*, const char*> figures[] = {{".vgpr_count", "vgprs"},
                                                         {".agpr_count", "agprs"},
                                                         {".sgpr_count", "sgprs"},
                                                         {".vgpr_spill_count", "spills"},
                                                         {".sgpr_spill_count", "spills"},
                                                         {".group_segment_fixed_size", "lds"},
                                                         {".private_segment_fixed_size", "scratch"}};
  for (const auto& [key, figure] : figures) {
    change(key, 300);
    const Json report = json(exit_failure, {figure});
    ASSERT_EQ(report["changes"].size(), 1u) << report;
    const Json& row = report["changes"][0];
    EXPECT_EQ(row["target"], "gfx942");
    EXPECT_EQ(row["kernel"], "second");
    EXPECT_EQ(row["figure"], figure);
    EXPECT_EQ(row["after"], 300);
    EXPECT_EQ(json(exit_ok, {figure == std::string("lds") ? "spills" : "lds"})["failed"], Json::array());
  }
  options_.json = false;
  const std::string text = diff(exit_failure, {"scratch"});
  EXPECT_NE(text.find("gfx942  second  scratch       0    300  +300\n"), std::string::npos) << text;
  EXPECT_NE(text.find("failed: gfx942: kernel second: scratch grew from 0 to 300, +300: more than scratch\n"),
            std::string::npos)
      << text;
}

TEST_F(Diff, MeasuresGrowthByShareAndByNumber) {
  before_.code_bytes = {{"first", 1000}, {"second", 1000}};
  after_.code_bytes = {{"first", 1050}, {"second", 900}};
  EXPECT_EQ(json(exit_ok)["changes"].size(), 4u);
  EXPECT_EQ(json(exit_ok, {"size:+5%"})["failed"].size(), 0u);
  EXPECT_EQ(json(exit_ok, {"size:+50"})["failed"].size(), 0u);
  EXPECT_EQ(json(exit_failure, {"size:+4.9%"})["failed"].size(), 2u);
  EXPECT_EQ(json(exit_failure, {"size:+49"})["failed"].size(), 2u);
  EXPECT_EQ(json(exit_failure, {"spills", "size"})["failed"].size(), 2u);
  options_.target = "gfx90a";
  EXPECT_EQ(json(exit_failure, {"size"})["failed"].size(), 1u);
}

TEST_F(Diff, SaysWhereFewerWavesFit) {
  options_.machines = KERNELGEN_SOURCE_DIR "/manifests/machines.json";
  before_.change = [](const std::string&, Json& kernel) { kernel[".vgpr_count"] = 64; };
  after_.change = [](const std::string& target, Json& kernel) {
    kernel[".vgpr_count"] = target == "gfx942" && kernel[".name"] == "second" ? 128 : 64;
  };
  // A SIMD of CDNA has 512 registers a lane.
  const Json report = json(exit_failure, {"occupancy"});
  ASSERT_EQ(report["changes"].size(), 2u) << report;
  EXPECT_EQ(
      report["changes"][1],
      (Json{
          {"target", "gfx942"}, {"kernel", "second"}, {"figure", "occupancy"}, {"before", 8}, {"after", 4}}));
  EXPECT_EQ(report["failed"],
            Json::array({"gfx942: kernel second: occupancy fell from 8 to 4, -50.0 %: more than "
                         "occupancy"}));
  EXPECT_EQ(json(exit_ok, {"occupancy:-4"})["failed"].size(), 0u);
  EXPECT_EQ(json(exit_failure, {"occupancy:-3"})["failed"].size(), 1u);
  EXPECT_EQ(json(exit_ok, {"occupancy:-50%"})["failed"].size(), 0u);
  EXPECT_EQ(json(exit_failure, {"occupancy:-49%"})["failed"].size(), 1u);
  std::swap(before_, after_);
  EXPECT_EQ(json(exit_ok, {"occupancy"})["failed"].size(), 0u) << "more waves are welcome";
  EXPECT_THROW(diff(exit_ok, {"occupancy:+1"}), BadInput);
  before_.targets = after_.targets = {"gfx900"};
  EXPECT_THROW(diff(exit_ok, {"occupancy"}), BadInput) << "nothing is known of its registers";
}

TEST_F(Diff, NamesWhatCameAndWhatWent) {
  after_.manifests = {test::symbols_manifest("one", {"second", "third"})};
  after_.targets = {"gfx942", "gfx1100"};
  const Json report = json(exit_failure, {"added", "removed"});
  EXPECT_EQ(report["targets"], (Json{{"added", {"gfx1100"}}, {"removed", {"gfx90a"}}}));
  EXPECT_EQ(report["kernels"], (Json{{"added", {"third"}}, {"removed", {"first"}}}));
  EXPECT_EQ(report["failed"], (Json{"kernel third was added", "kernel first was removed"}));
  options_.json = false;
  const std::string text = diff(exit_ok);
  EXPECT_TRUE(
      text.starts_with("1 target added: gfx1100\n1 target removed: gfx90a\n1 kernel added: third\n"
                       "1 kernel removed: first\n"))
      << text;
}

TEST_F(Diff, FollowsAKernelThatMovedToAnotherModule) {
  before_.manifests = {test::symbols_manifest("one", {"first"}),
                       test::symbols_manifest("two", {"second", "third"})};
  after_.manifests = {test::symbols_manifest("one", {"first", "second"}),
                      test::symbols_manifest("two", {"third"})};
  change(".vgpr_count", 99);
  const Json report = json(exit_ok);
  ASSERT_EQ(report["changes"].size(), 1u) << report;
  EXPECT_EQ(report["changes"][0]["figure"], "vgprs");
}

TEST_F(Diff, MeasuresThePackage) {
  after_.manifests.push_back(test::symbols_manifest("two", {"third"}));
  const Json report = json(exit_failure, {"package"});
  EXPECT_LT(report["bytes"]["before"], report["bytes"]["after"]);
  EXPECT_EQ(report["failed"].size(), 1u);
  EXPECT_EQ(json(exit_ok, {"package:+100000"})["failed"].size(), 0u);
}

}  // namespace
}  // namespace kernelgen::tool
