#include "plan/sort.hpp"
#include "plan/sort_plan.hpp"
#include "plan_devices.hpp"

namespace kernelgen::test {
namespace {

TEST(SortPlan, ManyShortRowsShareBlocksWhereEnoughBlocksRemain) {
  const SortProblem problem{10, 20'000, 4};
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const RowSortPlan plan = plan_row_sort(problem, problem.n, device);
    EXPECT_GE(blocks_of(plan.shape), 8 * device.compute_units);
    EXPECT_GT(plan.rows_each, 1u);
    EXPECT_LE(plan.rows_each * 16, 2048u);
    EXPECT_EQ(plan.workspace, 0);
  }
  EXPECT_GT(plan_row_sort(problem, problem.n, apu).rows_each,
            plan_row_sort(problem, problem.n, hopper).rows_each);
}

TEST(SortPlan, RadixBatchesBoundTheWorkspace) {
  for (const DeviceTraits& device : gpus) {
    const RadixPlan plan = plan_radix_sort({1 << 20, 1000, 4}, device);
    EXPECT_EQ(plan.batch, 32);
    EXPECT_EQ(plan.tile, 2048u);
    EXPECT_EQ(plan.tiles, 512);
    EXPECT_EQ(plan_radix_sort({1ll << 31, 2, 4}, device).batch, 1);
  }
}

TEST(SortPlan, CpuThreadsSortARowTogetherIfItIsLong) {
  EXPECT_TRUE(is_sorted_alone({65'535, 1, 4}, cpu(4)));
  EXPECT_FALSE(is_sorted_alone({65'536, 1, 4}, cpu(4)));
  EXPECT_TRUE(is_sorted_alone({65'536, 4, 4}, cpu(4)));
  EXPECT_EQ(plan_radix_sort({1 << 20, 1, 4}, cpu(4)).tiles, 8);
  EXPECT_EQ(plan_row_sort({1000, 2, 4}, 1000, cpu(4)).workspace, 1 * 2 * 1000 * 8);
  EXPECT_TRUE(are_rows_sorted_for_top_k({1 << 20, 1, 4}, 3, cpu(4)));
  EXPECT_FALSE(are_rows_sorted_for_top_k({1 << 20, 1, 4}, 100'000, cpu(4)));
  EXPECT_FALSE(are_rows_sorted_for_top_k({1 << 20, 1, 4}, 100'000, cpu(1)));
}

TEST(SortPlan, AnySizeHasAValidLaunch) {
  Sizes size;
  SCOPED_TRACE(Sizes::seed);
  for (int i = 0; i < 4000; ++i) {
    const SortProblem problem{size((1ll << 32) - 1), size(1 << 24), 1u << size(8) / 3};
    const std::int64_t k = size(problem.n);
    for (const DeviceTraits& device : devices) {
      SCOPED_TRACE(name_of(device));
      const RadixPlan radix = plan_radix_sort(problem, device);
      ASSERT_TRUE(radix.batch >= 1 && radix.tiles * radix.tile >= problem.n &&
                  radix.tile <= kg::radix_most_tile)
          << problem.n;
      if (is_sorted_alone(problem, device)) {
        const RowSortPlan plan = plan_row_sort(problem, k, device);
        ASSERT_TRUE(is_valid(plan.shape) && plan.rows_each >= 1) << problem.n;
      }
      // Rows that top_k sorts at once can be sorted so.
      if (are_rows_sorted_for_top_k(problem, k, device)) {
        ASSERT_TRUE(device.on_cpu() || is_sorted_alone(problem, device)) << problem.n;
      }
    }
  }
}

}  // namespace
}  // namespace kernelgen::test
