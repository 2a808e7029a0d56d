// Blobs of a package: parts of a manifest module are stored together, with the same grouping for every target.
#include "build/blobs.hpp"

#include <gtest/gtest.h>

#include "kernelgen/package.hpp"

namespace kernelgen::tool {
namespace {

/// Modules of two manifests for two targets; the third module is the same code on both.
struct Sample {
  KernelSet set;
  Target one, other;
  std::vector<BuiltTarget> targets;

  Sample() {
    for (const char* manifest : {"a.json", "a.json", "a.json", "b.json"}) {
      Module module = {};
      module.name = "m" + std::to_string(set.modules.size());
      module.manifest = manifest;
      set.modules.push_back(module);
    }
    one.name = "gfx90a";
    other.name = "gfx942";
    for (Target* target : {&one, &other}) {
      target->kind = TargetKind::hip;
      target->wave_sizes = {64};
    }
    targets = {{&one, {code('a', 9), code('b', 3000), code('c', 40), code('d', 50)}},
               {&other, {code('e', 9), code('f', 3000), code('c', 40), code('d', 50)}}};
  }

  static BuiltObject code(char letter, std::size_t bytes) { return {std::string(bytes, letter), {}}; }
};

TEST(Blobs, OneAnObject) {
  const Sample sample;
  const BlobPlan plan = plan_blobs(sample.set, sample.targets, Grouping::object);
  // Two of the eight objects are as two others.
  EXPECT_EQ(plan.blobs.size(), 6u);
  ASSERT_EQ(plan.objects.size(), 8u);
  for (std::size_t i = 0; i < plan.objects.size(); ++i) {
    const auto& object = plan.objects[i];
    EXPECT_EQ(object.offset, 0u);
    EXPECT_EQ(plan.blobs[object.blob].bytes, sample.targets[i / 4].objects[i % 4].bytes);
    EXPECT_EQ(plan.blobs[object.blob].group, i % 4);
    EXPECT_EQ(plan.blobs[object.blob].name, hash128(plan.blobs[object.blob].bytes));
  }
}

TEST(Blobs, PartsOfAManifestTogether) {
  const Sample sample;
  const BlobPlan plan = plan_blobs(sample.set, sample.targets, Grouping::manifest);
  ASSERT_EQ(plan.blobs.size(), 3u);
  ASSERT_EQ(plan.objects.size(), 8u);
  for (std::size_t i = 0; i < plan.objects.size(); ++i) {
    const auto& object = plan.objects[i];
    EXPECT_EQ(object.offset % 16, 0u);
    EXPECT_EQ(plan.blobs[object.blob].bytes.substr(object.offset, object.bytes),
              sample.targets[i / 4].objects[i % 4].bytes);
  }
  EXPECT_EQ(plan.objects[0].blob, plan.objects[2].blob);
  EXPECT_NE(plan.objects[0].blob, plan.objects[4].blob);
  EXPECT_EQ(plan.objects[3].blob, plan.objects[7].blob);
  EXPECT_EQ(plan.blobs[0].group, plan.blobs[2].group);
}

TEST(Blobs, NoMoreAtOnceThanDecodesInTime) {
  Sample sample;
  // On one target alone: the others' are cut at the same module.
  sample.targets[1].objects[1].bytes.resize(max_group_bytes - 10);
  const BlobPlan plan = plan_blobs(sample.set, sample.targets, Grouping::manifest);
  EXPECT_EQ(plan.objects[4].blob, plan.objects[5].blob);
  EXPECT_NE(plan.objects[5].blob, plan.objects[6].blob);
  EXPECT_EQ(plan.objects[0].blob, plan.objects[1].blob);
  EXPECT_NE(plan.objects[1].blob, plan.objects[2].blob);
}

TEST(Blobs, SolidPackagesHaveOneForEachTarget) {
  const Sample sample;
  const BlobPlan plan = plan_blobs(sample.set, sample.targets, Grouping::target);
  ASSERT_EQ(plan.blobs.size(), 2u);
  EXPECT_EQ(plan.blobs[0].group, plan.blobs[1].group);
  for (std::size_t i = 0; i < plan.objects.size(); ++i) EXPECT_EQ(plan.objects[i].blob, i / 4);
}

TEST(Blobs, PackagesGiveTheirObjects) {
  const Sample sample;
  for (const char* compression : {"none", "zstd:1", "solid:1"}) {
    SCOPED_TRACE(compression);
    const std::string bytes = write_package(sample.set, sample.targets, "{}", *Packing::parse(compression));
    std::vector<std::uint64_t> storage((bytes.size() + 7) / 8);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(storage.data()));
    const Package package =
        Package::from_memory({reinterpret_cast<const std::byte*>(storage.data()), bytes.size()});
    package.check_blobs();
    for (std::uint32_t i = 0; i < 8; ++i) {
      const PackageCode code = package.code(i / 4, i % 4);
      EXPECT_EQ(std::string(reinterpret_cast<const char*>(code.data()), code.size()),
                sample.targets[i / 4].objects[i % 4].bytes);
    }
  }
}

}  // namespace
}  // namespace kernelgen::tool
