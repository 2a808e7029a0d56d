// What the commands on packages say of packages and options that will not do.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>

#include "base/fault.hpp"
#include "commands/conform.hpp"
#include "commands/diff.hpp"
#include "support/made_package.hpp"
#include "support/printed.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::tool {
namespace {

/// A package on the disk, and the lines of a command that refuses it.
class PackageToolsError : public testing::Test {
 protected:
  PackageToolsError() {
    test::MadePackage made;
    made.manifests = {test::symbols_manifest("one", {"first"})};
    const std::string bytes = made.bytes();
    file_.emplace("package.kgpkg", std::as_bytes(std::span(bytes)));
  }

  template <class Run>
  static std::string refusal(const Run& run) {
    std::string text;
    const std::string printed = test::printed([&](std::FILE* out) {
      try {
        run(out);
      } catch (const BadInput& error) {
        text = error.what();
      }
    });
    EXPECT_EQ(printed, "");
    return text;
  }
  std::string path() const { return file_->path().string(); }

  RealDisk disk_;
  std::optional<test::TemporaryFile> file_;
};

TEST_F(PackageToolsError, Diff) {
  const auto diff = [&](const char* after, const std::string& target, std::vector<std::string> fail_on) {
    return refusal([&](std::FILE* out) {
      run_diff({path(), after ? after : path(), target, std::move(fail_on), false}, disk_, out);
    });
  };
  EXPECT_EQ(diff("nowhere", "", {}),
            "kernel-gen: error: nowhere: no package is there; 'kernel-gen build' writes one");
  EXPECT_EQ(diff(nullptr, "gfx90b", {}),
            "kernel-gen: error: " + path() + ": holds no target 'gfx90b' (did you mean 'gfx90a'?)");
  EXPECT_EQ(diff(nullptr, "", {"spill"}),
            "kernel-gen: error: --fail-on spill: there is no figure 'spill'; there are size, vgprs, agprs, "
            "sgprs, spills, "
            "lds, scratch, package, added, removed (did you mean 'spills'?)");
  for (const char* growth : {"5%", "+", "+x%", "+5%%", "-5%", "+-5", "+nan", "+inf", "+5 %", ""})
    EXPECT_EQ(diff(nullptr, "", {std::string("size:") + growth}),
              fmt::format("kernel-gen: error: --fail-on size:{}: '{}' is no growth; +5% and +1024 are",
                          growth, growth));
}

TEST_F(PackageToolsError, Conform) {
  const auto conform = [&](const std::filesystem::path& before, const std::filesystem::path& after) {
    ConformOptions options;
    options.before = before;
    options.after = after;
    options.places.manifests = {"nowhere"};
    return refusal([&](std::FILE* out) { run_conform(options, disk_, out); });
  };
  EXPECT_EQ(conform("nowhere", path()),
            "kernel-gen: error: nowhere: no package is there; 'kernel-gen build' writes one");
  EXPECT_EQ(conform(path(), "there"),
            "kernel-gen: error: there: no package is there; 'kernel-gen build' writes one");
  EXPECT_EQ(conform(path(), ""), "kernel-gen: error: nowhere: there is no such folder of manifests");
}

}  // namespace
}  // namespace kernelgen::tool
