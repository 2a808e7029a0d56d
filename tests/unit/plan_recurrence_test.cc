#include "plan/recurrence_plan.hpp"
#include "plan/solve_plan.hpp"
#include "plan_devices.hpp"

namespace kernelgen::test {
namespace {

RecurrenceProblem problem(std::int64_t heads, std::int64_t rows, std::int64_t width,
                          std::int64_t tokens = 1) {
  return {1, tokens, heads, rows, width, rows, 2};
}

TEST(RecurrencePlan, TilesAreAsWideAsTheRows) {
  for (const DeviceTraits& device : gpus) {
    EXPECT_EQ(plan_recurrence(problem(4, 64, 16), device).tile_width, 16u);
    EXPECT_EQ(plan_recurrence(problem(4, 64, 17), device).tile_width, 64u);
    EXPECT_EQ(plan_recurrence(problem(4, 64, 128), device).tile_width, 128u);
    EXPECT_EQ(plan_recurrence(problem(4, 64, 257), device).tile_width, 0u);
  }
  EXPECT_EQ(plan_recurrence(problem(4, 64, 16), cpu(4)).tile_width, 0u);
}

/// Blocks get smaller, down to a wave, until each compute unit has two of them.
TEST(RecurrencePlan, TilesFillTheGpu) {
  const RecurrencePlan some = plan_recurrence(problem(32, 128, 128), hopper),
                       few = plan_recurrence(problem(4, 64, 64), hopper),
                       many = plan_recurrence(problem(128, 128, 128), hopper);
  EXPECT_GE(blocks_of(some.shape), 2 * hopper.compute_units);
  EXPECT_EQ(few.shape.block[0], 32u);
  EXPECT_EQ(many.shape.block[0], 128u);
  EXPECT_EQ(plan_recurrence(problem(128, 128, 128), mi).shape.block[0], 256u);
}

/// Heads of one row, as Mamba's, that have q and k in common share blocks.
TEST(RecurrencePlan, RowsOfOneSpanShareBlocks) {
  RecurrenceProblem of_heads = problem(8192, 1, 16);
  of_heads.span = 8192;
  EXPECT_EQ(threads_of(plan_recurrence(of_heads, hopper).shape), 4 * 8192);
  EXPECT_EQ(blocks_of(plan_recurrence(problem(8192, 1, 16), hopper).shape), 8192);
}

/// What is staged fits the shared memory of every tile, for all sizes.
TEST(RecurrencePlan, StagedTokensFit) {
  Sizes sizes;
  for (int i = 0; i < 20000; ++i) {
    for (const DeviceTraits& device : gpus) {
      RecurrenceProblem each = problem(sizes(300), sizes(300), sizes(300), sizes(2000));
      each.sequences = sizes(20);
      each.vectors = 2 + sizes(3);
      if (sizes.flip()) each.span *= each.heads;
      const RecurrencePlan plan = plan_recurrence(each, device);
      ASSERT_TRUE(is_valid(plan.shape));
      if (plan.tile_width == 0) continue;
      const std::uint32_t rows = plan.shape.block[0] / plan.group;
      ASSERT_TRUE(is_group(rows));
      ASSERT_GE(plan.shape.block[0], static_cast<std::uint32_t>(device.wave_size));
      ASSERT_GE(plan.tile_tokens, 1u);
      const unsigned stages = device.kind == DeviceKind::cuda ? 2 : 1;
      ASSERT_LE(plan.tile_tokens * each.vectors * plan.tile_width, kg::recurrence_staged_elements / stages);
      ASSERT_LE(plan.tile_tokens, kg::recurrence_staged_tokens);
      ASSERT_LE(plan.tile_tokens * rows, kg::recurrence_staged_numbers);
      const std::int64_t spans = each.sequences * each.heads * each.rows / each.span;
      ASSERT_EQ(blocks_of(plan.shape), spans * ((each.span + rows - 1) / rows));
    }
  }
}

TEST(SolvePlan, MatricesAndStripsOfRightSidesHaveBlocks) {
  for (const DeviceTraits& device : gpus) {
    const LaunchShape shape = solve_triangular_grid(16, 64, 33, device);
    EXPECT_EQ(blocks_of(shape), 32);
    EXPECT_EQ(shape.block[0], kg::block_threads);
  }
  EXPECT_EQ(blocks_of(solve_triangular_grid(2, 4, 3, cpu(4))), 1) << "not worth waking threads";
  EXPECT_EQ(blocks_of(solve_triangular_grid(3, 512, 64, cpu(4))), 6);
  EXPECT_EQ(blocks_of(solve_triangular_grid(300, 512, 64, cpu(4))), 16);
}

}  // namespace
}  // namespace kernelgen::test
