// The shipped targets.json, and the selection from it.
#include "manifest/target.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "emit/targets.hpp"

namespace kernelgen::tool {
namespace {

const TargetTable& shipped() {
  static const TargetTable table = read_targets(RealDisk(), KERNELGEN_SOURCE_DIR "/manifests/targets.json");
  return table;
}

std::string expanded(const std::vector<std::string>& names) {
  std::string text;
  for (const Target* target : shipped().expand(names)) text += target->name + ' ';
  return text;
}

TEST(Target, GroupsAndNames) {
  EXPECT_EQ(expanded({"default"}), "cpu-x86-64-v3 cpu-x86-64-v4 gfx90a gfx942 gfx1030 gfx1100 ");
  EXPECT_EQ(expanded({"cpu"}), "cpu-x86-64-v3 cpu-x86-64-v4 ");
  EXPECT_EQ(expanded({"gfx90a"}), "gfx90a ");
  EXPECT_EQ(expanded({}), "");
}

TEST(Target, OrderIsTheTables) {
  EXPECT_EQ(expanded({"gfx1100,cpu,gfx90a"}), "cpu-x86-64-v3 cpu-x86-64-v4 gfx90a gfx1100 ");
  EXPECT_EQ(expanded({"gfx90a", "gfx1100", "cpu,gfx90a"}), expanded({"gfx1100,cpu,gfx90a"}));
}

TEST(Target, GroupsComeFromRows) {
  for (const TargetGroup& group : shipped().groups)
    for (const std::string& member : group.members) {
      const auto& named = shipped().find(member)->groups;
      EXPECT_NE(std::find(named.begin(), named.end(), group.name), named.end())
          << member << " in " << group.name;
    }
  EXPECT_EQ(shipped().groups.front().name, "default");
  EXPECT_EQ(expanded({"cdna"}), "gfx908 gfx90a gfx942 ");
  EXPECT_EQ(expanded({"cuda"}), "sm_80 sm_90 compute_80 ");
}

TEST(Target, OnlyPtxIsPtx) {
  for (const Target& target : shipped().targets)
    EXPECT_EQ(target.is_ptx, target.name.starts_with("compute_")) << target.name;
}

TEST(Target, HipRowsAreConsistent) {
  for (const Target& target : shipped().targets) {
    if (target.kind != TargetKind::hip) continue;
    SCOPED_TRACE(target.name);
    EXPECT_EQ(target.wave_sizes.front(), target.isa >= 10000 ? 32u : 64u);
    EXPECT_NE(target.machine, 0u);
    EXPECT_EQ(target.code_object_version == 6, target.is_generic());
    // Debian's HIP runtime (5.2) loads version 4 only, and knows no GPU from gfx940 or gfx1100 on.
    const bool is_old = target.isa < 9400 || (target.isa >= 10000 && target.isa < 11000);
    EXPECT_EQ(target.code_object_version == 4, is_old && !target.is_generic());
    if (target.generic) {
      EXPECT_TRUE(shipped().find(*target.generic)->is_generic());
      // A generic's code must run where it stands in: never more features than the GPU.
      for (const std::string& feature : shipped().find(*target.generic)->features)
        EXPECT_NE(std::find(target.features.begin(), target.features.end(), feature), target.features.end());
    }
    // gfx is followed by the major number in decimal, then minor and stepping in hexadecimal.
    if (!target.is_generic()) {
      const std::string digits(target.isa_suffix());
      const unsigned low = static_cast<unsigned>(std::stoul(digits.substr(digits.size() - 2), nullptr, 16));
      const unsigned major = static_cast<unsigned>(std::stoul(digits.substr(0, digits.size() - 2)));
      EXPECT_EQ(target.isa, major * 1000 + (low >> 4) * 100 + (low & 15));
    }
  }
}

TEST(Target, Lines) {
  const std::string text = emit_targets(shipped());
  EXPECT_NE(text.find("\nKERNELGEN_TARGET(\"gfx90a\", hip, 9010, 64, \"\", 4)\n"), std::string::npos);
  EXPECT_NE(text.find("\nKERNELGEN_TARGET(\"gfx1100\", hip, 11000, 32, \"gfx11-generic\", 5)\n"),
            std::string::npos);
  EXPECT_NE(text.find("\nKERNELGEN_TARGET(\"cpu-x86-64-v3\", cpu, 0, 1, \"\", 0)\n"), std::string::npos);
  EXPECT_NE(text.find("\nKERNELGEN_TARGET(\"sm_90\", cuda, 90, 32, \"\", 0)\n"), std::string::npos);
}

}  // namespace
}  // namespace kernelgen::tool
