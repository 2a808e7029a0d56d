#include "build/staging.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <functional>

#include "base/fault.hpp"
#include "support/memory_disk.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view owned[] = {"package", "registry"};

/// Names in a folder.
std::vector<std::string> names(const Disk& disk, const fs::path& folder) {
  std::vector<std::string> names;
  for (const fs::path& path : disk.list(folder)) names.push_back(path.filename().string());
  return names;
}

std::string complaint(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const BadInput& error) {
    return error.what();
  }
}

void build(Disk& disk, const fs::path& out, const std::string& bytes) {
  Staging staging(disk, out, owned);
  disk.write_atomically(staging.path() / "package", bytes);
  staging.commit();
}

TEST(Staging, AppearsWholeOnCommit) {
  MemoryDisk disk;
  {
    Staging staging(disk, "/a/b/out", owned);
    disk.write_atomically(staging.path() / "package", "new");
    EXPECT_FALSE(disk.exists("/a/b/out"));
    staging.commit();
  }
  EXPECT_EQ(disk.read("/a/b/out/package"), "new");
  EXPECT_EQ(disk.list("/a/b").size(), 1u);
}

TEST(Staging, LeavesNothingWithoutCommit) {
  MemoryDisk disk;
  disk.make_dirs("/a");
  {
    Staging staging(disk, "/a/b/c/out", owned);
  }
  EXPECT_TRUE(disk.exists("/a"));
  EXPECT_FALSE(disk.exists("/a/b"));
}

TEST(Staging, LeavesWhatOthersPutIntoAFolderItMade) {
  MemoryDisk disk;
  {
    Staging staging(disk, "/par/deep/a", owned);
    disk.add("/par/b/package", "another build's");
  }
  EXPECT_EQ(disk.read("/par/b/package"), "another build's");
  EXPECT_FALSE(disk.exists("/par/deep"));
}

TEST(Staging, ReplacesAFormerBuildOnly) {
  MemoryDisk disk;
  disk.add("/out/package", "old");
  {
    Staging staging(disk, "/out/", owned);
    disk.write_atomically(staging.path() / "registry", "new");
    staging.commit();
  }
  EXPECT_EQ(names(disk, "/out"), std::vector<std::string>{"registry"});
  EXPECT_EQ(disk.list("/"), std::vector<fs::path>{"/out"});

  disk.add("/out/thesis.txt", "mine");
  EXPECT_EQ(complaint([&] { Staging(disk, "/out", owned); }),
            "kernel-gen: error: --out /out: holds 'thesis.txt', which no build wrote; name a new or "
            "empty folder");
  EXPECT_THROW(Staging(disk, "/out/registry", owned), BadInput);
}

TEST(Staging, LooksAgainForForeignFilesBeforeItReplaces) {
  MemoryDisk disk;
  disk.add("/out/package", "old");
  {
    Staging staging(disk, "/out", owned);
    disk.add("/out/thesis.txt", "begun while compilers ran");
    EXPECT_THROW(staging.commit(), BadInput);
  }
  EXPECT_EQ(names(disk, "/out"), (std::vector<std::string>{"package", "thesis.txt"}));
  EXPECT_EQ(disk.list("/"), std::vector<fs::path>{"/out"});
}

TEST(Staging, AnotherBuildMayBeFirst) {
  MemoryDisk disk;
  {
    Staging staging(disk, "/out", owned);
    disk.write_atomically(staging.path() / "package", "second");
    disk.add("/out/registry", "first");
    staging.commit();
  }
  EXPECT_EQ(names(disk, "/out"), std::vector<std::string>{"package"});
}

TEST(Staging, WithoutExchangeEachFileIsReplaced) {
  MemoryDisk disk;
  disk.can_exchange = false;
  disk.add("/out/package", "old");
  disk.add("/out/registry", "old");
  build(disk, "/out", "new");
  EXPECT_EQ(names(disk, "/out"), std::vector<std::string>{"package"});
  EXPECT_EQ(disk.read("/out/package"), "new");
  EXPECT_EQ(disk.list("/"), std::vector<fs::path>{"/out"});
}

TEST(Staging, WithoutExchangeFoldersAreReplacedToo) {
  MemoryDisk disk;
  disk.can_exchange = false;
  disk.add("/out/package/old/file", "old");
  {
    Staging staging(disk, "/out", owned);
    disk.make_dirs(staging.path() / "package" / "new");
    disk.write_atomically(staging.path() / "package" / "new" / "file", "new");
    staging.commit();
  }
  EXPECT_EQ(names(disk, "/out/package"), std::vector<std::string>{"new"});
  EXPECT_EQ(disk.read("/out/package/new/file"), "new");
  EXPECT_EQ(disk.list("/"), std::vector<fs::path>{"/out"});
}

TEST(Staging, SweepsWhatDeadBuildsLeft) {
  MemoryDisk disk;
  disk.add("/w/.out.kernelgen-7-1/objects/a.o", "");
  disk.add("/w/.out.kernelgen-8-1/package", "");
  disk.add("/w/.other.kernelgen-7-1/package", "");
  disk.add("/w/.out.2024/notes", "mine");
  disk.add("/w/out/.out.kernelgen-9-1/package", "");
  const auto alive = disk.claim("/w/.out.kernelgen-8-1");
  build(disk, "/w/out", "new");
  EXPECT_EQ(names(disk, "/w"),
            (std::vector<std::string>{".other.kernelgen-7-1", ".out.2024", ".out.kernelgen-8-1", "out"}));
  EXPECT_EQ(names(disk, "/w/out"), std::vector<std::string>{"package"});
}

TEST(Staging, TwoBuildsOfOneProcessIdKeepApart) {
  MemoryDisk disk;
  Staging one(disk, "/out", owned), other(disk, "/out", owned);
  EXPECT_NE(one.path(), other.path());
}

TEST(Staging, NeedsAName) {
  MemoryDisk disk;
  EXPECT_EQ(complaint([&] { Staging(disk, "", owned); }), "kernel-gen: error: --out '': name a folder");
}

/// On the real file system, in a fresh folder that is the current one.
class RealStaging : public testing::Test {
 protected:
  void SetUp() override {
    former_ = fs::current_path();
    fs::current_path(root_);
  }
  void TearDown() override { fs::current_path(former_); }

  RealDisk disk_;
  const test::TemporaryFolder temporary_{"staging"};
  const fs::path root_ = temporary_.path();
  fs::path former_;
};

TEST_F(RealStaging, FollowsALinkAndKeepsIt) {
  fs::create_directory("real");
  fs::create_directory_symlink("real", "link");
  fs::create_directory_symlink("later", "dangling");
  for (const char* bytes : {"1", "2"}) {
    build(disk_, "link", bytes);
    build(disk_, "dangling/", bytes);
    EXPECT_EQ(disk_.read("real/package"), bytes);
    EXPECT_EQ(disk_.read("later/package"), bytes);
  }
  EXPECT_TRUE(fs::is_symlink("link"));
  EXPECT_TRUE(fs::is_symlink("dangling"));
  EXPECT_EQ(names(disk_, "."), (std::vector<std::string>{"dangling", "later", "link", "real"}));
}

TEST_F(RealStaging, TheCurrentFolderStaysTheSameFolder) {
  fs::create_directory("out");
  fs::current_path("out");
  for (const char* bytes : {"1", "2"}) {
    build(disk_, ".", bytes);
    EXPECT_EQ(disk_.read("package"), bytes) << "as seen by a process whose current folder this is";
  }
  fs::current_path(root_);
  build(disk_, "./out/", "3");
  EXPECT_EQ(disk_.read("out/package"), "3");
  EXPECT_EQ(names(disk_, "."), std::vector<std::string>{"out"});
}

TEST_F(RealStaging, AnOpenFolderSeesOldOrNew) {
  build(disk_, "out", "old");
  Staging staging(disk_, "out", owned);
  disk_.write_atomically(staging.path() / "package", "new");
  const fs::path aside = staging.path();
  staging.commit();
  EXPECT_EQ(disk_.read("out/package"), "new");
  EXPECT_EQ(disk_.read(aside / "package"), "old") << "they changed places in one step";
}

TEST_F(RealStaging, ADeadProcessHoldsNoClaim) {
  const auto claim = [&] { return disk_.claim("leftover"); };
  EXPECT_EQ(claim(), nullptr) << "nothing is there";
  fs::create_directory("leftover");
  {
    const auto held = claim();
    ASSERT_NE(held, nullptr);
    EXPECT_EQ(claim(), nullptr);
  }
  EXPECT_NE(claim(), nullptr);
}

}  // namespace
}  // namespace kernelgen::tool
