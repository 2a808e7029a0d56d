// Both disks behave alike; the real one works in a fresh folder.
#include "base/disk.hpp"
#include "support/memory_disk.hpp"
#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <memory>

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

class DiskTest : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam()) {
      std::string name = (fs::temp_directory_path() / "kernelgen-disk-XXXXXX").string();
      ASSERT_NE(::mkdtemp(name.data()), nullptr);
      root_ = name;
      disk_ = std::make_unique<RealDisk>();
    } else {
      disk_ = std::make_unique<MemoryDisk>();
      root_ = "/root";
      disk_->make_dirs(root_);
    }
  }
  void TearDown() override { disk_->remove_tree(root_); }

  std::unique_ptr<Disk> disk_;
  fs::path root_;
};

TEST_P(DiskTest, WritesAndReads) {
  const std::string bytes("a\0b\n", 4);
  disk_->write_atomically(root_ / "f", bytes);
  EXPECT_EQ(disk_->read(root_ / "f"), bytes);
  disk_->write_atomically(root_ / "f", "");
  EXPECT_EQ(disk_->read(root_ / "f"), "");
  EXPECT_TRUE(disk_->exists(root_ / "f"));
  EXPECT_FALSE(disk_->is_directory(root_ / "f"));
  EXPECT_EQ(disk_->list(root_).size(), 1u) << "no temporary file remains";
}

TEST_P(DiskTest, ListsSorted) {
  disk_->make_dirs(root_ / "b" / "deep");
  disk_->write_atomically(root_ / "c", "");
  disk_->write_atomically(root_ / "a", "");
  disk_->write_atomically(root_ / "b" / "x", "");
  EXPECT_EQ(disk_->list(root_), (std::vector<fs::path>{root_ / "a", root_ / "b", root_ / "c"}));
  EXPECT_EQ(disk_->list(root_ / "b"), (std::vector<fs::path>{root_ / "b" / "deep", root_ / "b" / "x"}));
}

TEST_P(DiskTest, RenamesFolders) {
  disk_->make_dirs(root_ / "old" / "sub");
  disk_->write_atomically(root_ / "old" / "sub" / "f", "1");
  disk_->rename(root_ / "old", root_ / "new");
  EXPECT_FALSE(disk_->exists(root_ / "old"));
  EXPECT_TRUE(disk_->is_directory(root_ / "new" / "sub"));
  EXPECT_EQ(disk_->read(root_ / "new" / "sub" / "f"), "1");
}

TEST_P(DiskTest, RenameReplacesFiles) {
  disk_->write_atomically(root_ / "a", "1");
  disk_->write_atomically(root_ / "b", "2");
  disk_->rename(root_ / "a", root_ / "b");
  EXPECT_EQ(disk_->read(root_ / "b"), "1");
  EXPECT_FALSE(disk_->exists(root_ / "a"));
}

TEST_P(DiskTest, RemovesTrees) {
  disk_->make_dirs(root_ / "d" / "e");
  disk_->write_atomically(root_ / "d" / "e" / "f", "");
  disk_->write_atomically(root_ / "d2", "");
  disk_->remove_tree(root_ / "d");
  disk_->remove_tree(root_ / "never was");
  EXPECT_FALSE(disk_->exists(root_ / "d"));
  EXPECT_TRUE(disk_->exists(root_ / "d2"));
}

TEST_P(DiskTest, SaysWhichFoldersItMade) {
  EXPECT_EQ(disk_->make_dirs(root_ / "a" / "b"), (std::vector<fs::path>{root_ / "a", root_ / "a" / "b"}));
  EXPECT_EQ(disk_->make_dirs(root_ / "a" / "c"), (std::vector<fs::path>{root_ / "a" / "c"}));
  EXPECT_TRUE(disk_->make_dirs(root_ / "a").empty());
  disk_->write_atomically(root_ / "f", "");
  EXPECT_THROW(disk_->make_dirs(root_ / "f" / "g"), DiskError);
}

TEST_P(DiskTest, RemovesAFolderOnlyWhereItIsEmpty) {
  disk_->make_dirs(root_ / "d" / "e");
  EXPECT_FALSE(disk_->remove_empty(root_ / "d"));
  EXPECT_TRUE(disk_->remove_empty(root_ / "d" / "e"));
  EXPECT_TRUE(disk_->remove_empty(root_ / "d"));
  EXPECT_FALSE(disk_->remove_empty(root_ / "d"));
}

TEST_P(DiskTest, ExchangesFolders) {
  for (const char* name : {"a", "b"}) {
    disk_->make_dirs(root_ / name);
    disk_->write_atomically(root_ / name / name, name);
  }
  if (!disk_->exchange(root_ / "a", root_ / "b")) GTEST_SKIP() << "not on this file system";
  EXPECT_EQ(disk_->read(root_ / "a" / "b"), "b");
  EXPECT_EQ(disk_->read(root_ / "b" / "a"), "a");
}

TEST_P(DiskTest, AClaimIsHeldByOne) {
  disk_->make_dirs(root_ / "d");
  EXPECT_EQ(disk_->claim(root_ / "none"), nullptr);
  auto claim = disk_->claim(root_ / "d");
  EXPECT_NE(claim, nullptr);
  EXPECT_EQ(disk_->claim(root_ / "d"), nullptr);
  claim.reset();
  EXPECT_NE(disk_->claim(root_ / "d"), nullptr);
}

TEST_P(DiskTest, RefusesWithTheName) {
  const auto message = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const DiskError& error) {
      return error.what();
    }
    return "";
  };
  const fs::path missing = root_ / "none";
  EXPECT_EQ(message([&] { disk_->read(missing); }),
            "cannot read " + missing.string() + ": No such file or directory");
  EXPECT_EQ(message([&] { disk_->list(missing); }),
            "cannot list " + missing.string() + ": No such file or directory");
  EXPECT_EQ(message([&] { disk_->write_atomically(missing / "f", ""); }),
            "cannot write " + (missing / "f").string() + ": No such file or directory");
  EXPECT_EQ(
      message([&] { disk_->rename(missing, root_ / "x"); }),
      "cannot rename " + missing.string() + " to " + (root_ / "x").string() + ": No such file or directory");
}

TEST_P(DiskTest, ResolvesDots) {
  disk_->make_dirs(root_ / "d");
  EXPECT_EQ(disk_->resolve(root_ / "d" / ".." / "d" / "." / "none"), disk_->resolve(root_) / "d" / "none");
}

INSTANTIATE_TEST_SUITE_P(Disk, DiskTest, testing::Bool(),
                         [](const auto& info) { return info.param ? "Real" : "Memory"; });

TEST(RealDisk, ResolvesLinks) {
  RealDisk disk;
  std::string name = (fs::temp_directory_path() / "kernelgen-disk-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const fs::path root = disk.resolve(name);
  disk.make_dirs(root / "in");
  disk.write_atomically(root / "out", "");
  fs::create_symlink(root / "out", root / "in" / "link");
  EXPECT_EQ(disk.resolve(root / "in" / "link"), root / "out");
  disk.remove_tree(root);
}

TEST(RealDisk, ReadsRegularFilesOnly) {
  RealDisk disk;
  std::string name = (fs::temp_directory_path() / "kernelgen-disk-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const fs::path pipe = fs::path(name) / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const auto message = [&](const fs::path& path) -> std::string {
    try {
      disk.read(path);
      return "";
    } catch (const ReadError& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message(pipe), "cannot read " + pipe.string() + ": it is a pipe, not a file");
  EXPECT_EQ(message(name), "cannot read " + name + ": it is a folder");
  EXPECT_EQ(message("/dev/null"), "cannot read /dev/null: it is a device or a socket, not a file");
  disk.remove_tree(name);
}

TEST(RealDisk, NobodyElseWritesToItsFilesWhateverTheUmask) {
  RealDisk disk;
  const test::TemporaryFolder folder("disk");
  const mode_t before = ::umask(0);
  disk.write_atomically(folder.path() / "f", "x");
  disk.make_dirs(folder.path() / "d");
  ::umask(before);
  EXPECT_TRUE(disk.is_trusted(folder.path() / "f"));
  EXPECT_FALSE(disk.is_trusted(folder.path() / "d"));
  disk.keep_others_out(folder.path() / "d");
  EXPECT_TRUE(disk.is_trusted(folder.path() / "d"));
  EXPECT_FALSE(disk.is_trusted(folder.path() / "none"));
}

TEST(RealDisk, ReplacesRegularFilesOnly) {
  RealDisk disk;
  const test::TemporaryFolder folder("disk");
  const fs::path pipe = folder.path() / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THROW(disk.write_atomically(pipe, "x"), DiskError);
  EXPECT_TRUE(fs::is_fifo(pipe));
}

TEST(RealDisk, SaysWhatIsAtAPathItself) {
  RealDisk disk;
  const test::TemporaryFolder folder("disk");
  disk.write_atomically(folder.path() / "f", "");
  fs::create_symlink(folder.path() / "f", folder.path() / "link");
  EXPECT_EQ(disk.type(folder.path()), FileType::folder);
  EXPECT_EQ(disk.type(folder.path() / "f"), FileType::file);
  EXPECT_EQ(disk.type(folder.path() / "link"), FileType::other);
  EXPECT_EQ(disk.type(folder.path() / "none"), FileType::none);
}

TEST(RealDisk, FilesAreReadableByOthers) {
  RealDisk disk;
  std::string name = (fs::temp_directory_path() / "kernelgen-disk-XXXXXX").string();
  ASSERT_NE(::mkdtemp(name.data()), nullptr);
  const fs::path file = fs::path(name) / "f";
  disk.write_atomically(file, "x");
  EXPECT_NE(fs::status(file).permissions() & fs::perms::owner_read, fs::perms::none);
  EXPECT_EQ(fs::status(file).permissions() & fs::perms::owner_exec, fs::perms::none);
  disk.remove_tree(name);
}

}  // namespace
}  // namespace kernelgen::tool
