#include "build/staging.hpp"

#include <gtest/gtest.h>

#include "base/fault.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

constexpr std::string_view owned[] = {"package", "registry"};

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
  { Staging staging(disk, "/a/b/c/out", owned); }
  EXPECT_TRUE(disk.exists("/a"));
  EXPECT_FALSE(disk.exists("/a/b"));
}

TEST(Staging, ReplacesAFormerBuildOnly) {
  MemoryDisk disk;
  disk.add("/out/package", "old");
  {
    Staging staging(disk, "/out/", owned);
    disk.write_atomically(staging.path() / "registry", "new");
    staging.commit();
  }
  EXPECT_FALSE(disk.exists("/out/package"));
  EXPECT_EQ(disk.read("/out/registry"), "new");

  disk.add("/out/thesis.txt", "mine");
  try {
    Staging(disk, "/out", owned);
    FAIL();
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(),
                 "kernel-gen: error: --out /out: holds 'thesis.txt', which no build wrote; name a new or "
                 "empty folder");
  }
  EXPECT_THROW(Staging(disk, "/out/registry", owned), BadInput);
}

}  // namespace
}  // namespace kernelgen::tool
