// Where the tool finds its installed files.
#include "commands/places.hpp"

#include <gtest/gtest.h>

#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

TEST(Places, OfAnInstallTree) {
  MemoryDisk disk;
  disk.add("/usr/share/kernelgen/manifests/targets.json", "{}");
  disk.add("/usr/bin/source-folder", "/elsewhere");
  const Places places = default_places(disk, "/usr/bin/kernel-gen");
  EXPECT_EQ(places.kernels, "/usr/share/kernelgen/kernels");
  EXPECT_TRUE(places.generated.empty());
}

TEST(Places, OfABuildTree) {
  MemoryDisk disk;
  disk.add("/tree/build/tools/source-folder", "/a source tree");
  const Places places = default_places(disk, "/tree/build/tools/kernel-gen");
  EXPECT_EQ(places.targets, "/a source tree/manifests/targets.json");
  EXPECT_EQ(places.generated, "/a source tree/generated");
}

TEST(Places, AProgramAloneNamesWhereItLooked) {
  EXPECT_EQ(default_places(MemoryDisk(), "/opt/bin/kernel-gen").targets,
            "/opt/share/kernelgen/manifests/targets.json");
}

}  // namespace
}  // namespace kernelgen::tool
