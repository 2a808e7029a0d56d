#include "build/cache_size.hpp"

#include <gtest/gtest.h>

#include "base/fault.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

TEST(CacheSize, IsMeasured) {
  MemoryDisk disk;
  EXPECT_EQ(measure_cache(disk, "/cache").files, 0u);
  disk.add("/cache/objects/aa/first", "four");
  disk.add("/cache/modules/bb/second", "a program's");
  disk.add("/cache/thesis.txt", "not ours");
  EXPECT_EQ(measure_cache(disk, "/cache").files, 2u);
  EXPECT_EQ(measure_cache(disk, "/cache").bytes, 15u);
}

TEST(CacheSize, WhatWasUsedLongestAgoGoesFirst) {
  MemoryDisk disk;
  disk.add("/cache/objects/aa/first", std::string(100, 'x'));
  disk.add("/cache/reads/bb/second", std::string(10, 'x'));
  disk.add("/cache/sources/cc/third.hip", std::string(1, 'x'));
  disk.touch("/cache/reads/bb/second");
  const CacheUse removed = prune_cache(disk, "/cache", {10, std::nullopt});
  EXPECT_EQ(removed.files, 2u);
  EXPECT_EQ(removed.bytes, 101u);
  EXPECT_TRUE(disk.exists("/cache/reads/bb/second"));
  prune_cache(disk, "/cache", {0, std::nullopt});
  EXPECT_EQ(measure_cache(disk, "/cache").files, 0u);
}

TEST(CacheSize, OldEntriesGoWhateverTheirSize) {
  MemoryDisk disk;
  disk.add("/cache/objects/aa/first", "old");
  const std::int64_t then = disk.now();
  disk.add("/cache/objects/aa/second", "new");
  const std::int64_t age = disk.now() - then;
  EXPECT_EQ(prune_cache(disk, "/cache", {std::nullopt, age}).files, 1u);
  EXPECT_TRUE(disk.exists("/cache/objects/aa/second"));
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
