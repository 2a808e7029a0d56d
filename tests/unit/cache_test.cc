#include "build/cache.hpp"
#include "support/memory_disk.hpp"

#include <gtest/gtest.h>

namespace kernelgen::tool {
namespace {

TEST(Cache, GivesBackWhatWasStored) {
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  const Hash128 key = hash128("key");
  EXPECT_FALSE(cache.find(Cache::Kind::object, key));
  cache.store(Cache::Kind::object, key, "object");
  EXPECT_EQ(cache.find(Cache::Kind::object, key), "object");
  EXPECT_FALSE(cache.find(Cache::Kind::object, hash128("other")));
}

TEST(Cache, ADamagedEntryCountsAsMissingAndCanBeReplaced) {
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  const Hash128 key = hash128("key");
  cache.store(Cache::Kind::object, key, "object");
  const std::string whole = disk.read(cache.path(Cache::Kind::object, key));
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    disk.write_atomically(cache.path(Cache::Kind::object, key), damaged);
    EXPECT_FALSE(cache.find(Cache::Kind::object, key)) << i;
    disk.write_atomically(cache.path(Cache::Kind::object, key), whole.substr(0, i));
    EXPECT_FALSE(cache.find(Cache::Kind::object, key)) << i;
  }
  cache.store(Cache::Kind::object, key, "object");
  EXPECT_EQ(cache.find(Cache::Kind::object, key), "object");
}

TEST(Cache, WithoutAFolderItIsOff) {
  MemoryDisk disk;
  Cache cache(disk, {});
  cache.store(Cache::Kind::object, hash128("key"), "object");
  EXPECT_FALSE(cache.find(Cache::Kind::object, hash128("key")));
}

TEST(Cache, KeepsKindsApart) {
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  cache.store(Cache::Kind::object, hash128("key"), "object");
  EXPECT_FALSE(cache.find(Cache::Kind::reads, hash128("key")));
}

TEST(Cache, SaysWhenItCannotWrite) {
  MemoryDisk disk;
  disk.make_dirs("/home/cache");
  disk.read_only = {"/home"};
  Cache cache(disk, "/home/cache");
  EXPECT_THROW(cache.store(Cache::Kind::object, hash128("key"), "object"), DiskError);
}

TEST(Cache, IsSweptOfWhatDeadBuildsLeft) {
  MemoryDisk disk;
  Cache(disk, "/cache").store(Cache::Kind::object, hash128("key"), "object");
  const std::filesystem::path entry = Cache(disk, "/cache").path(Cache::Kind::object, hash128("key"));
  disk.add(entry.string() + ".7-0.tmp", "half");
  disk.add(entry.string() + ".8-0.tmp", "being written");
  disk.add("/cache/sources/0123456789abcdef/a.hip.7-1.tmp", "half");
  const auto writing = disk.claim(entry.string() + ".8-0.tmp");
  sweep_cache(disk, cache_files(disk, "/cache"));
  EXPECT_EQ(disk.list(entry.parent_path()),
            (std::vector<std::filesystem::path>{entry, entry.string() + ".8-0.tmp"}));
  EXPECT_TRUE(disk.list("/cache/sources/0123456789abcdef").empty());
  sweep_cache(disk, cache_files(disk, "/nowhere"));
  sweep_cache(disk, cache_files(disk, {}));
}

TEST(Cache, MarksAFolderThatIsNewOrEmpty) {
  MemoryDisk disk;
  disk.make_dirs("/empty");
  disk.add("/cut short/CACHEDIR.TAG.7-0.tmp", "Sig");
  disk.add("/project/thesis.txt", "mine");
  for (const char* folder : {"/new", "/empty", "/cut short", "/project"}) {
    Cache(disk, folder).store(Cache::Kind::object, hash128("key"), "object");
    EXPECT_EQ(is_marked_cache(disk, folder), std::string(folder) != "/project") << folder;
    EXPECT_EQ(Cache(disk, folder).find(Cache::Kind::object, hash128("key")), "object");
  }
  EXPECT_TRUE(disk.read("/new/CACHEDIR.TAG").starts_with("Signature: 8a477f597d28d172789f06886806bc55\n"));
}

TEST(Cache, AnEntryThatOthersMayHaveWrittenCountsAsMissing) {
  MemoryDisk disk;
  Cache cache(disk, "/cache");
  const Hash128 key = hash128("key");
  cache.store(Cache::Kind::object, key, "object");
  const std::filesystem::path file = cache.path(Cache::Kind::object, key);
  for (const std::filesystem::path& path : {file, file.parent_path(), file.parent_path().parent_path()}) {
    disk.open_to_others = {path};
    EXPECT_FALSE(cache.find(Cache::Kind::object, key)) << path;
  }
  // Folders of an earlier version become this user's alone.
  cache.store(Cache::Kind::object, key, "object");
  EXPECT_EQ(cache.find(Cache::Kind::object, key), "object");
  // The folder that holds all of them may belong to another user and is not changed.
  disk.open_to_others = {"/cache"};
  EXPECT_FALSE(cache.find(Cache::Kind::object, key));
  EXPECT_THROW(cache.store(Cache::Kind::object, key, "object"), DiskError);
}

TEST(Digest, KeepsTextsApart) {
  EXPECT_NE(Digest().add("ab").add("c").finish(), Digest().add("a").add("bc").finish());
  EXPECT_EQ(Digest().add("ab").finish(), Digest().add("ab").finish());
  EXPECT_EQ(hash128("").hex(), "99aa06d3014798d86001c324468d497f");  // xxHash's own test vector
}

}  // namespace
}  // namespace kernelgen::tool
