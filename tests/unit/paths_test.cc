// Where the tool finds its installed files.
#include "commands/paths.hpp"

#include <gtest/gtest.h>

#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

TEST(Paths, OfAnInstallTree) {
  MemoryDisk disk;
  disk.add("/usr/share/kernelgen/manifests/targets.json", "{}");
  disk.add("/usr/bin/source-folder", "/elsewhere");
  const Paths paths = default_paths(disk, "/usr/bin/kernel-gen");
  EXPECT_EQ(paths.kernels, "/usr/share/kernelgen/kernels");
  EXPECT_TRUE(paths.generated.empty());
}

TEST(Paths, OfABuildTree) {
  MemoryDisk disk;
  disk.add("/tree/build/tools/source-folder", "/a source tree");
  const Paths paths = default_paths(disk, "/tree/build/tools/kernel-gen");
  EXPECT_EQ(paths.targets, "/a source tree/manifests/targets.json");
  EXPECT_EQ(paths.generated, "/a source tree/generated");
}

TEST(Paths, AProgramAloneNamesWhereItLooked) {
  EXPECT_EQ(default_paths(MemoryDisk(), "/opt/bin/kernel-gen").targets,
            "/opt/share/kernelgen/manifests/targets.json");
}

}  // namespace
}  // namespace kernelgen::tool
