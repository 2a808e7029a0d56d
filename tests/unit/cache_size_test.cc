#include "build/cache_size.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/fault.hpp"
#include "common/cache_folder.hpp"
#include "support/memory_disk.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

/// An entry's file in /cache.
fs::path entry(const std::string& kind, int number) {
  return fs::path("/cache") / kind / "ab" / (std::string(29, '0') + std::to_string(number));
}

TEST(CacheSize, IsMeasured) {
  MemoryDisk disk;
  EXPECT_EQ(measure_cache(disk, "/cache").files, 0u);
  disk.add(entry("objects", 1), "four");
  disk.add(entry("modules", 2), "a program's");
  disk.add("/cache/thesis.txt", "not ours");
  EXPECT_EQ(measure_cache(disk, "/cache").files, 2u);
  EXPECT_EQ(measure_cache(disk, "/cache").bytes, 15u);
}

TEST(CacheSize, WhatWasUsedLongestAgoGoesFirst) {
  MemoryDisk disk;
  disk.add("/cache/CACHEDIR.TAG", cache_tag);
  disk.add(entry("objects", 1), std::string(100, 'x'));
  disk.add(entry("reads", 2), std::string(10, 'x'));
  disk.add("/cache/sources/0123456789abcdef/third.hip", std::string(1, 'x'));
  disk.touch(entry("reads", 2));
  const CacheUse removed = prune_cache(disk, "/cache", {10, std::nullopt});
  EXPECT_EQ(removed.files, 2u);
  EXPECT_EQ(removed.bytes, 101u);
  EXPECT_TRUE(disk.exists(entry("reads", 2)));
  prune_cache(disk, "/cache", {0, std::nullopt});
  EXPECT_EQ(measure_cache(disk, "/cache").files, 0u);
}

TEST(CacheSize, OldEntriesGoWhateverTheirSize) {
  MemoryDisk disk;
  disk.add("/cache/CACHEDIR.TAG", cache_tag);
  disk.add(entry("objects", 1), "old");
  const std::int64_t then = disk.now();
  disk.add(entry("objects", 2), "new");
  const std::int64_t age = disk.now() - then;
  EXPECT_EQ(prune_cache(disk, "/cache", {std::nullopt, age}).files, 1u);
  EXPECT_TRUE(disk.exists(entry("objects", 2)));
}

/// A project whose folders are called as a cache's are, with links to what is elsewhere.
class ForeignFolder : public testing::Test {
 protected:
  ForeignFolder() {
    add(victim_ / "letter.txt");
    add(cache_ / "sources" / "app" / "top.c");
    add(cache_ / "sources" / "0123456789abcdef" / "notes.txt");
    add(cache_ / "objects" / "ab" / "core.o");
    add(victim_ / std::string(30, '0'));
    fs::create_directory_symlink(victim_, cache_ / "objects" / "home");
    fs::create_directory_symlink(victim_, cache_ / "objects" / "cd");
    fs::create_symlink(victim_ / "letter.txt", cache_ / "objects" / "ab" / std::string(30, '1'));
    fs::create_directory_symlink(victim_.parent_path(), cache_ / "blobs");
  }

  static void add(const fs::path& file) {
    fs::create_directories(file.parent_path());
    std::ofstream(file) << file;
  }
  std::size_t files() const {
    std::size_t count = 0;
    for (const auto& found : fs::recursive_directory_iterator(root_.path()))
      count += found.is_regular_file() || found.is_symlink() ? 1 : 0;
    return count;
  }

  const test::TemporaryFolder root_{"cache"};
  const fs::path cache_ = root_.path() / "project", victim_ = root_.path() / "blobs" / "ab";
  RealDisk disk_;
};

TEST_F(ForeignFolder, IsNotPruned) {
  const std::size_t before = files();
  try {
    prune_cache(disk_, cache_, {0, std::nullopt});
    FAIL() << "removed something";
  } catch (const BadInput& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("cache " + cache_.string() + ": it has no CACHEDIR.TAG"), std::string::npos) << text;
    EXPECT_NE(text.find("KERNELGEN_CACHE"), std::string::npos) << text;
  }
  EXPECT_EQ(files(), before);
  // The mark of others is none.
  std::ofstream(cache_ / "CACHEDIR.TAG") << "Signature: 8a477f597d28d172789f06886806bc55\n# ccache\n";
  EXPECT_THROW(prune_cache(disk_, cache_, {0, std::nullopt}), BadInput);
  EXPECT_EQ(files(), before + 1);
}

TEST_F(ForeignFolder, KeepsAllThatIsNoEntryEvenWithAMark) {
  std::ofstream(cache_ / "CACHEDIR.TAG") << cache_tag;
  const std::size_t before = files();
  EXPECT_EQ(measure_cache(disk_, cache_).files, 0u);
  EXPECT_EQ(prune_cache(disk_, cache_, {0, std::nullopt}).files, 0u);
  EXPECT_EQ(files(), before);
  add(cache_ / "objects" / "ab" / std::string(30, '2'));
  EXPECT_EQ(prune_cache(disk_, cache_, {0, std::nullopt}).files, 1u);
  EXPECT_EQ(files(), before);
}

TEST(CacheSize, AnEmptyFolderHasNothingToRemove) {
  MemoryDisk disk;
  EXPECT_EQ(prune_cache(disk, "/nowhere", {0, std::nullopt}).files, 0u);
  disk.make_dirs("/empty");
  EXPECT_EQ(prune_cache(disk, "/empty", {0, std::nullopt}).files, 0u);
}

TEST(CacheSize, IsReadInUnits) {
  EXPECT_EQ(read_size("5G"), std::uint64_t{5} << 30);
  EXPECT_EQ(read_size("500M"), std::uint64_t{500} << 20);
  EXPECT_EQ(read_size("0"), 0u);
  EXPECT_EQ(read_age("30d"), std::int64_t{30} * 86400 * 1'000'000'000);
  for (const char* text : {"", "5", "G", "-1G", "5GB", "5 G", "99999999999999T", "1.5G"})
    EXPECT_FALSE(read_size(text)) << text;
  EXPECT_FALSE(read_age("-1d"));
}

TEST(CacheSize, TheLimitIsTheEnvironments) {
  const auto limit = [](const char* text) {
    return cache_size_limit(
        [text](const char* name) { return std::string(name) == "KERNELGEN_CACHE_SIZE" ? text : ""; });
  };
  EXPECT_EQ(limit(""), std::uint64_t{5} << 30);
  EXPECT_EQ(limit("1G"), std::uint64_t{1} << 30);
  EXPECT_THROW(limit("much"), BadInput);
}

}  // namespace
}  // namespace kernelgen::tool
