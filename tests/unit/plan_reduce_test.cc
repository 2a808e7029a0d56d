#include "plan/reduce_plan.hpp"
#include "plan_devices.hpp"

namespace kernelgen::test {
namespace {

ReduceProblem rows(std::int64_t outputs, std::int64_t count) {
  return {kg::StateKind::sum, 4, true, outputs, count, outputs, count, 1, 1};
}
ReduceProblem columns(std::int64_t outputs, std::int64_t count) {
  return {kg::StateKind::sum, 4, true, outputs, count, outputs, 1, outputs, 1};
}

TEST(ReducePlan, OneLongRowFillsEachGpu) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const ReducePlan plan = plan_reduce(rows(1, 1 << 28), device);
    EXPECT_FALSE(plan.by_columns);
    EXPECT_EQ(plan.splits, 8 * device.compute_units);
    EXPECT_EQ(blocks_of(plan.shape), plan.splits);
    EXPECT_EQ(plan.shape.block[0], 256u);
  }
}

TEST(ReducePlan, RowsThatFillTheGpuAreNotSplit) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const ReducePlan plan = plan_reduce(rows(8 * device.compute_units, 1 << 20), device);
    EXPECT_EQ(plan.splits, 1u);
    EXPECT_EQ(blocks_of(plan.shape), 8 * device.compute_units);
  }
}

/// 200 rows are enough for an APU, and too few for the others.
TEST(ReducePlan, TheSameRowsAreSplitOnLargerGpusOnly) {
  EXPECT_EQ(plan_reduce(rows(200, 1 << 20), apu).splits, 1u);
  for (const DeviceTraits& device : {mi, radeon, hopper}) {
    const ReducePlan plan = plan_reduce(rows(200, 1 << 20), device);
    EXPECT_GT(plan.splits, 1u);
    EXPECT_GE(blocks_of(plan.shape), 8 * device.compute_units);
  }
}

TEST(ReducePlan, LongColumnsFillEachGpu) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const ReducePlan plan = plan_reduce(columns(256, 1 << 20), device);
    EXPECT_TRUE(plan.by_columns);
    EXPECT_GE(blocks_of(plan.shape), 8 * device.compute_units);
  }
}

TEST(ReducePlan, ColumnsOfASquareOf512TakeOneLaunch) {
  const ReducePlan plan = plan_reduce(columns(512, 512), hopper);
  EXPECT_TRUE(plan.by_columns);
  EXPECT_EQ(plan.splits, 1u);
  EXPECT_EQ(blocks_of(plan.shape), 32);
}

TEST(ReducePlan, ThreadsShareAColumnOnlyIfItIsLongOrBlocksAreFew) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    EXPECT_EQ(plan_reduce(columns(2'000'000, 33), device).group, 256u);
    EXPECT_EQ(plan_reduce(columns(2'000'000, 80), device).group, 128u);
    EXPECT_EQ(plan_reduce(columns(2'000'000, 1000), device).group, 32u);
    EXPECT_EQ(plan_reduce(columns(128 * device.compute_units, 33), device).group, 32u);
  }
}

TEST(ReducePlan, AShortRowTakesAWave) {
  for (const DeviceTraits& device : gpus)
    EXPECT_EQ(plan_reduce(rows(1, 64), device).group, device.wave_size) << name_of(device);
}

TEST(ReducePlan, CombinesPartsByGroups) {
  for (const DeviceTraits& device : gpus) {
    const CombinePlan plan = plan_combine(rows(3, 1 << 28), 1024, device);
    EXPECT_EQ(plan.group, 256u);
    EXPECT_EQ(blocks_of(plan.shape), 3);
  }
  EXPECT_EQ(blocks_of(plan_combine(rows(1000, 1 << 20), 8, cpu(4)).shape), 4);
}

TEST(ReducePlan, CpuThreadsShareLongRows) {
  const ReducePlan plan = plan_reduce(rows(1, 1 << 20), cpu(4));
  EXPECT_EQ(plan.splits, 8u);
  EXPECT_EQ(blocks_of(plan.shape), 8);
  EXPECT_EQ(blocks_of(plan_reduce(rows(1, 1 << 16), cpu(4)).shape), 4);
  EXPECT_EQ(blocks_of(plan_reduce(rows(1, 1 << 16), cpu(4, false)).shape), 1);
}

TEST(ReducePlan, CpuTakesManyShortRowsAsColumns) {
  EXPECT_TRUE(plan_reduce(rows(64, 8), cpu(4)).by_columns);
  EXPECT_FALSE(plan_reduce(rows(64, 9), cpu(4)).by_columns);
  EXPECT_FALSE(plan_reduce(rows(63, 8), cpu(4)).by_columns);
  ReduceProblem indices = rows(64, 24);
  indices.kind = kg::StateKind::index;
  EXPECT_TRUE(plan_reduce(indices, cpu(4)).by_columns);
}

TEST(ReducePlan, AnySizeHasAValidLaunch) {
  Sizes size;
  SCOPED_TRACE(Sizes::seed);
  for (int i = 0; i < 4000; ++i) {
    ReduceProblem problem =
        size.flip() ? rows(size(1 << 20), size(1ll << 40)) : columns(size(1 << 30), size(1 << 30));
    problem.element_bytes = 1u << size(4) / 2;
    for (const DeviceTraits& device : devices) {
      const ReducePlan plan = plan_reduce(problem, device);
      const CombinePlan combine = plan_combine(problem, plan.splits, device);
      ASSERT_TRUE(is_valid(plan.shape) && is_valid(combine.shape) && is_group(combine.group) &&
                  plan.splits >= 1 && plan.splits <= problem.count)
          << problem.outputs << " of " << problem.count << " on " << name_of(device);
      if (!device.on_cpu()) {
        ASSERT_TRUE(is_group(plan.group));
      }
    }
  }
}

}  // namespace
}  // namespace kernelgen::test
