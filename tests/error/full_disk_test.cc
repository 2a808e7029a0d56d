// A disk that is full at each write of a build in turn: the file is named, earlier files stay, and the next build is right.
#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "workbench.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

using Files = std::map<std::string, std::string>;

/// The files of the package's folder; empty if the folder does not exist.
Files package_of(const Workbench& bench) {
  Files files;
  if (bench.disk.exists("/out"))
    for (const fs::path& file : bench.disk.list("/out")) files[file.string()] = bench.disk.read(file);
  return files;
}

std::vector<fs::path> names_beside(const Workbench& bench) { return bench.disk.list("/"); }

/// Whether a former package is there, whether the disk stays full, and whether folders can be exchanged in one step.
class FullDisk : public testing::TestWithParam<std::tuple<bool, bool, bool>> {
 protected:
  /// A bench about to build; with a former package, of another source.
  void begin(Workbench& bench) const {
    bench.disk.make_dirs("/home/me");
    if (!std::get<0>(GetParam())) return;
    bench.disk.can_exchange = std::get<2>(GetParam());
    ASSERT_EQ(bench.build(), Lines{});
    bench.disk.add("/k/a.hpp", "int changed;");
  }
};

TEST_P(FullDisk, AtEachWriteInTurn) {
  const auto [has_former, stays_full, can_exchange] = GetParam();
  Workbench whole;
  begin(whole);
  const Files former = package_of(whole);
  ASSERT_EQ(whole.build(), Lines{});
  const Files wanted = package_of(whole);
  ASSERT_NE(former, wanted);
  int refused_builds = 0;
  for (std::size_t room = 0;; ++room) {
    SCOPED_TRACE(testing::Message() << "room for " << room << " writes");
    Workbench bench;
    begin(bench);
    const std::vector<fs::path> names = names_beside(bench);
    std::size_t writes = 0;
    std::vector<std::string> refused;
    bench.disk.before_change = [&](std::string_view what, const fs::path& path) {
      if (writes++ < room || (!stays_full && !refused.empty())) return;
      refused.push_back(path.string());
      throw DiskError(what, path, "No space left on device");
    };
    const Lines lines = bench.build();
    bench.disk.before_change = nullptr;
    if (refused.empty()) {
      EXPECT_GT(room, 10u) << "fewer writes than a build has";
      break;
    }
    if (lines.empty()) {
      // The cache can do without.
      EXPECT_EQ(package_of(bench), wanted);
    } else {
      ++refused_builds;
      ASSERT_EQ(lines.size(), 1u);
      EXPECT_NE(lines[0].find("No space left on device"), std::string::npos) << lines[0];
      EXPECT_NE(lines[0].find("cannot "), std::string::npos) << lines[0];
      EXPECT_TRUE(std::ranges::any_of(refused, [&](const std::string& path) {
        return lines[0].find(path) != std::string::npos;
      })) << lines[0];
      // Where folders cannot be exchanged each file takes its place by itself.
      if (can_exchange || !has_former) {
        EXPECT_EQ(package_of(bench), former);
      }
      EXPECT_EQ(names_beside(bench), names);
    }
    EXPECT_EQ(bench.build(), Lines{});
    EXPECT_EQ(package_of(bench), wanted);
  }
  EXPECT_GT(refused_builds, 5) << "of these many writes a package consists";
}

INSTANTIATE_TEST_SUITE_P(All, FullDisk, testing::Combine(testing::Bool(), testing::Bool(), testing::Bool()));

}  // namespace
}  // namespace kernelgen::tool
