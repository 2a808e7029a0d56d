#include "build/cache.hpp"
#include "support/memory_disk.hpp"

#include <gtest/gtest.h>

namespace kernelgen::tool {
namespace {

/// A disk that refuses to write, as a read-only home does.
class ReadOnlyDisk final : public Disk {
 public:
  bool exists(const std::filesystem::path&) const override { return false; }
  bool is_directory(const std::filesystem::path&) const override { return false; }
  std::filesystem::path resolve(const std::filesystem::path& path) const override { return path; }
  std::string read(const std::filesystem::path&) const override { throw DiskError("nothing"); }
  std::vector<std::filesystem::path> list(const std::filesystem::path&) const override { return {}; }
  void write_atomically(const std::filesystem::path&, std::string_view) override {
    throw DiskError("read-only");
  }
  void make_dirs(const std::filesystem::path&) override { throw DiskError("read-only"); }
  void rename(const std::filesystem::path&, const std::filesystem::path&) override {
    throw DiskError("read-only");
  }
  void remove_tree(const std::filesystem::path&) override {}
};

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
  ReadOnlyDisk disk;
  ObjectCache cache(disk, "/cache");
  EXPECT_THROW(cache.store(hash128("key"), "object"), DiskError);
}

TEST(Digest, KeepsTextsApart) {
  EXPECT_NE(Digest().add("ab").add("c").finish(), Digest().add("a").add("bc").finish());
  EXPECT_EQ(Digest().add("ab").finish(), Digest().add("ab").finish());
  EXPECT_EQ(hash128("").hex(), "99aa06d3014798d86001c324468d497f");  // xxHash's own test vector
}

}  // namespace
}  // namespace kernelgen::tool
