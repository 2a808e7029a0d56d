#include "plan/scan.hpp"
#include "plan/scan_plan.hpp"
#include "plan_devices.hpp"

namespace kernelgen::test {
namespace {

TEST(ScanPlan, OneLongRowFillsEachGpu) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const ScanPlan plan = plan_scan({1, 1 << 24, 1, 4}, device);
    EXPECT_EQ(plan.part, kg::scan_part(4));
    EXPECT_EQ(blocks_of(plan.shape), plan.parts);
    EXPECT_EQ(plan.part % 64, 0);
  }
  EXPECT_EQ(plan_scan({1, 1 << 20, 1, 4}, hopper).parts, 256);
  EXPECT_EQ(plan_scan({8, 1 << 20, 1, 4}, hopper).part, kg::scan_part(4));
  EXPECT_EQ(plan_scan({8, 1 << 17, 1, 4}, hopper).part, 4096);
  EXPECT_EQ(plan_scan({1, 10'000, 1, 4}, hopper).parts, 9);
}

TEST(ScanPlan, ABlockHoldsAPart) {
  for (const unsigned bytes : {1u, 2u, 4u, 8u}) {
    const std::int64_t accesses = kg::scan_held(bytes) * kg::block_threads;
    EXPECT_LT(kg::scan_part(bytes), accesses * kg::scan_neighbours(bytes) - kg::scan_neighbours(bytes));
    for (const DeviceTraits& device : gpus)
      EXPECT_LE(plan_scan({3, 1 << 30, 1, bytes}, device).part, kg::scan_part(bytes));
  }
}

TEST(ScanPlan, TheSameRowsAreSplitOnLargerGpusOnly) {
  EXPECT_EQ(plan_scan({16, 1 << 20, 1, 4}, apu).parts, 1);
  for (const DeviceTraits& device : {mi, radeon, hopper}) {
    const ScanPlan plan = plan_scan({16, 1 << 20, 1, 4}, device);
    EXPECT_GE(blocks_of(plan.shape), 2 * device.compute_units) << name_of(device);
  }
}

/// A second launch would take longer than four iterations of a block.
TEST(ScanPlan, AShortRowIsNotSplit) {
  for (const DeviceTraits& device : gpus) {
    EXPECT_EQ(plan_scan({1, 4096, 1, 4}, device).parts, 1);
    EXPECT_GT(plan_scan({1, 4097, 1, 4}, device).parts, 1);
  }
}

TEST(ScanPlan, FewColumnsAreSplit) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const ScanPlan plan = plan_scan({1, 1 << 20, 32, 4}, device);
    EXPECT_GE(plan.parts, device.compute_units);
    EXPECT_GE(plan.part, 64);
  }
}

TEST(ScanPlan, CpuThreadsShareLongRows) {
  EXPECT_EQ(plan_scan({1, 1 << 20, 1, 4}, cpu(4)).parts, 8);
  EXPECT_EQ(plan_scan({4, 1 << 20, 1, 4}, cpu(4)).parts, 1);
  EXPECT_EQ(plan_scan({1, 1 << 20, 1, 4}, cpu(1)).parts, 1);
}

TEST(ScanPlan, AnySizeHasAValidLaunch) {
  Sizes size;
  SCOPED_TRACE(Sizes::seed);
  for (int i = 0; i < 4000; ++i) {
    const ScanProblem problem{size(1 << 20), size(1ll << 38), size.flip() ? 1 : size(1 << 20),
                              1u << size(4) / 2};
    if (std::log2(problem.outer) + std::log2(problem.n) + std::log2(problem.inner) > 45) continue;
    for (const DeviceTraits& device : devices) {
      const ScanPlan plan = plan_scan(problem, device);
      const ColumnPartialsPlan partials = plan_column_partials(problem, plan, device);
      ASSERT_TRUE(is_valid(plan.shape) && is_valid(partials.shape) && is_group(plan.group) &&
                  is_group(partials.across) && is_group(partials.prefix_group) &&
                  (plan.parts - 1) * plan.part < problem.n && plan.parts * plan.part >= problem.n)
          << problem.outer << " of " << problem.n << " by " << problem.inner << " on " << name_of(device);
      if (!problem.are_rows()) {
        ASSERT_TRUE(is_valid(partials.prefix_shape));
      }
      if (plan.parts > 1) {
        ASSERT_LE(plan.part, device.on_cpu() || !problem.are_rows() ? std::int64_t{1} << 30
                                                                    : kg::scan_part(problem.element_bytes));
      }
    }
  }
}

}  // namespace
}  // namespace kernelgen::test
