// The choice of a package's target for a device: every combination of the relevant names.
#include "device/target_select.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "driver/host_architecture.hpp"
#include "support/expect_error.hpp"
#include "support/package_builder.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using Names = std::vector<std::string>;

std::uint32_t kind_of(std::string_view name) {
  return name.starts_with("cpu") ? 0 : name.starts_with("gfx") ? 1 : 2;
}

std::vector<std::byte> package_of(const Names& names) {
  test::PackageBuilder builder;
  for (const std::string& name : names) builder.add_target(name, kind_of(name), kind_of(name) == 0 ? 1 : 32);
  return builder.finish();
}

/// The target chosen, or "" when none fits.
std::string choose(const Names& names, DeviceKind kind, std::string_view architecture) {
  const std::vector<std::byte> bytes = package_of(names);
  const Package package = Package::from_memory(bytes);
  try {
    return std::string(
        package.text(package.targets()[select_target(package, kind, architecture, "device")].name));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unsupported) << error.what();
    return {};
  }
}

/// For every subset of `order` and `others` in a package, in any order: the first of `order` that is in it is
/// chosen.
void expect_order(DeviceKind kind, std::string_view architecture, const Names& order, const Names& others) {
  Names all = order;
  all.insert(all.end(), others.begin(), others.end());
  ASSERT_LE(all.size(), 12u);
  for (std::uint32_t subset = 0; subset < 1u << all.size(); ++subset) {
    Names names;
    std::string expected;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (((subset >> i) & 1) == 0) continue;
      names.push_back(all[i]);
      if (expected.empty() && i < order.size()) expected = all[i];
    }
    std::reverse(names.begin(), names.end());
    EXPECT_EQ(choose(names, kind, architecture), expected) << architecture << ", subset " << subset;
  }
}

TEST(TargetSelect, HipOrderWithTwoFeaturesAndNoGeneric) {
  expect_order(DeviceKind::hip, "gfx90a:sramecc+:xnack-",
               {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+", "gfx90a:xnack-", "gfx90a"},
               {"gfx90a:sramecc-:xnack-", "gfx90a:xnack+", "gfx90c", "gfx9-generic", "gfx942"});
}

TEST(TargetSelect, HipOrderWithGeneric) {
  expect_order(
      DeviceKind::hip, "gfx906:sramecc-:xnack+",
      {"gfx906:sramecc-:xnack+", "gfx906:sramecc-", "gfx906:xnack+", "gfx906", "gfx9-generic:sramecc-:xnack+",
       "gfx9-generic:sramecc-", "gfx9-generic:xnack+", "gfx9-generic"},
      {"gfx9-generic:xnack-", "gfx900"});
  expect_order(DeviceKind::hip, "gfx1103", {"gfx1103", "gfx11-generic"},
               {"gfx1100", "gfx1102", "gfx10-3-generic", "gfx12-generic"});
}

TEST(TargetSelect, HipGpuThatNoTableKnows) {
  expect_order(DeviceKind::hip, "gfx1399", {"gfx1399"}, {"gfx1100", "gfx12-generic", "sm_90", "cpu-x86-64"});
  EXPECT_TRUE(target_candidates(DeviceKind::hip, "").empty());
  EXPECT_TRUE(target_candidates(DeviceKind::hip, "amdgcn").empty());
  EXPECT_TRUE(target_candidates(DeviceKind::hip, "gfx90a:a:b:c:d:e:f").empty());
}

TEST(TargetSelect, CpuLevels) {
  const Names levels = {"cpu-x86-64-v4", "cpu-x86-64-v3", "cpu-x86-64"};
  expect_order(DeviceKind::cpu, "x86-64-v4", levels, {"gfx90a"});
  expect_order(DeviceKind::cpu, "x86-64-v3", {levels[1], levels[2]}, {levels[0]});
  expect_order(DeviceKind::cpu, "x86-64", {levels[2]}, {levels[0], levels[1]});
  EXPECT_TRUE(target_candidates(DeviceKind::cpu, "riscv64").empty());
}

TEST(TargetSelect, CpuHostIsALevel) {
  EXPECT_FALSE(target_candidates(DeviceKind::cpu, host_architecture()).empty()) << host_architecture();
}

TEST(TargetSelect, CudaOrder) {
  expect_order(DeviceKind::cuda, "sm_89",
               {"sm_89a", "sm_89", "sm_86", "sm_80", "compute_89", "compute_86", "compute_80", "compute_75"},
               {"sm_90", "sm_75", "compute_90"});
  expect_order(DeviceKind::cuda, "sm_120", {"sm_120", "compute_120", "compute_90"}, {"sm_90", "compute_121"});
  for (const char* bad : {"sm_", "sm_9x", "90", "sm_5", "sm_99999999999"})
    EXPECT_TRUE(target_candidates(DeviceKind::cuda, bad).empty()) << bad;
}

TEST(TargetSelect, NameOfAnotherKindDoesNotCount) {
  test::PackageBuilder builder;
  builder.add_target("gfx90a", 2, 32);
  const std::vector<std::byte> bytes = builder.finish();
  const Package package = Package::from_memory(bytes);
  EXPECT_THROW(select_target(package, DeviceKind::hip, "gfx90a", "hip:0"), Error);
}

TEST(TargetSelect, ErrorSaysWhatToBuild) {
  const std::vector<std::byte> bytes = package_of({"cpu-x86-64-v3", "gfx90a"});
  const Package package = Package::from_memory(bytes);
  expect_error(Code::unsupported,
               {"hip:1", "its architecture is gfx1103", "tried gfx1103, gfx11-generic",
                "the package holds cpu-x86-64-v3, gfx90a", "`kernel-gen build --target gfx1103`"},
               [&] { select_target(package, DeviceKind::hip, "gfx1103", "hip:1"); });
  expect_error(Code::unsupported, {"`kernel-gen build --target gfx942`"},
               [&] { select_target(package, DeviceKind::hip, "gfx942:sramecc+:xnack-", "hip:0"); });
  expect_error(Code::unsupported, {"tried sm_90, lower sm", "`kernel-gen build --target sm_90`"},
               [&] { select_target(package, DeviceKind::cuda, "sm_90", "cuda:0"); });
  expect_error(Code::unsupported, {"`kernel-gen build --target cpu-x86-64`"},
               [&] { select_target(package, DeviceKind::cpu, "x86-64", "cpu"); });
}

TEST(TargetSelect, CodeForOtherSettingsOfAFeatureIsNamed) {
  const std::vector<std::byte> bytes = package_of({"gfx90a:xnack+", "gfx90a:sramecc-", "gfx942"});
  const Package package = Package::from_memory(bytes);
  const auto select = [&](std::string_view architecture) {
    select_target(package, DeviceKind::hip, architecture, "hip:0");
  };
  expect_error(Code::unsupported,
               {"gfx90a:xnack+, gfx90a:sramecc- is for other settings of its features", "HSA_XNACK",
                "kernel-gen build --target gfx90a`"},
               [&] { select("gfx90a:sramecc+:xnack-"); });
  const std::string text =
      expect_error(Code::unsupported, {"no kernels for hip:0"}, [&] { select("gfx1100"); });
  EXPECT_EQ(text.find("settings"), std::string::npos) << text;
  EXPECT_EQ(text.find("HSA_OVERRIDE"), std::string::npos) << text;
}

TEST(TargetSelect, AnOverriddenArchitectureIsNamed) {
  ::setenv("HSA_OVERRIDE_GFX_VERSION", "10.3.0", 1);
  const std::vector<std::byte> bytes = package_of({"gfx1100"});
  const Package package = Package::from_memory(bytes);
  expect_error(Code::unsupported, {"its architecture is gfx1030", "HSA_OVERRIDE_GFX_VERSION is \"10.3.0\""},
               [&] { select_target(package, DeviceKind::hip, "gfx1030", "hip:0"); });
  ::unsetenv("HSA_OVERRIDE_GFX_VERSION");
}

}  // namespace
}  // namespace kernelgen
