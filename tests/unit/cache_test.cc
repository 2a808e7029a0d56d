#include "build/cache.hpp"
#include "support/memory_disk.hpp"

#include <gtest/gtest.h>

namespace kernelgen::tool {
namespace {

TEST(ObjectCache, GivesBackWhatWasStored) {
  MemoryDisk disk;
  ObjectCache cache(disk, "/cache");
  const Hash128 key = hash128("key");
  EXPECT_FALSE(cache.find(key));
  cache.store(key, "object");
  EXPECT_EQ(cache.find(key), "object");
  EXPECT_FALSE(cache.find(hash128("other")));
}

TEST(ObjectCache, ADamagedEntryCountsAsMissingAndCanBeReplaced) {
  MemoryDisk disk;
  ObjectCache cache(disk, "/cache");
  const Hash128 key = hash128("key");
  cache.store(key, "object");
  const std::string whole = disk.read(cache.path(key));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    disk.write_atomically(cache.path(key), damaged);
    EXPECT_FALSE(cache.find(key)) << i;
    disk.write_atomically(cache.path(key), whole.substr(0, i));
    EXPECT_FALSE(cache.find(key)) << i;
  }
  cache.store(key, "object");
  EXPECT_EQ(cache.find(key), "object");
}

TEST(ObjectCache, WithoutAFolderItIsOff) {
  MemoryDisk disk;
  ObjectCache cache(disk, {});
  cache.store(hash128("key"), "object");
  EXPECT_FALSE(cache.find(hash128("key")));
}

TEST(ObjectCache, SaysWhenItCannotWrite) {
  MemoryDisk disk;
  disk.make_dirs("/home/cache");
  disk.read_only = {"/home"};
  ObjectCache cache(disk, "/home/cache");
  EXPECT_THROW(cache.store(hash128("key"), "object"), DiskError);
}

TEST(ObjectCache, IsSweptOfWhatDeadBuildsLeft) {
  MemoryDisk disk;
  ObjectCache(disk, "/cache").store(hash128("key"), "object");
  const std::filesystem::path entry = ObjectCache(disk, "/cache").path(hash128("key"));
  disk.add(entry.string() + ".7-0.tmp", "half");
  disk.add(entry.string() + ".8-0.tmp", "being written");
  disk.add("/cache/sources/ab/a.hip.7-1.tmp", "half");
  const auto writing = disk.claim(entry.string() + ".8-0.tmp");
  sweep_cache(disk, "/cache");
  EXPECT_EQ(disk.list(entry.parent_path()),
            (std::vector<std::filesystem::path>{entry, entry.string() + ".8-0.tmp"}));
  EXPECT_TRUE(disk.list("/cache/sources/ab").empty());
  sweep_cache(disk, "/nowhere");
  sweep_cache(disk, {});
}

TEST(Digest, KeepsTextsApart) {
  EXPECT_NE(Digest().add("ab").add("c").finish(), Digest().add("a").add("bc").finish());
  EXPECT_EQ(Digest().add("ab").finish(), Digest().add("ab").finish());
  EXPECT_EQ(hash128("").hex(), "99aa06d3014798d86001c324468d497f");  // xxHash's own test vector
}

}  // namespace
}  // namespace kernelgen::tool
