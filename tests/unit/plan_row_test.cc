#include "plan/row.hpp"
#include "plan/row_plan.hpp"
#include "plan_devices.hpp"

namespace kernelgen::test {
namespace {

RowProblem problem(std::int64_t rows, std::int64_t n, DType dtype = DType::f32) {
  return {rows, n, dtype, RowOperands::none};
}

TEST(RowPlan, OneLongRowFillsEachGpu) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const RowPlan plan = plan_rows(problem(1, 1 << 26), device);
    EXPECT_GE(blocks_of(plan.shape), 15 * device.compute_units);
    EXPECT_LE(blocks_of(plan.shape), 16 * device.compute_units);
    EXPECT_EQ(plan.part % 64, 0);
  }
}

TEST(RowPlan, BlocksOfManyUnitsTakeWholeRows) {
  EXPECT_EQ(plan_rows(problem(100, 100'000), hopper).part, 100'000);
  EXPECT_LT(plan_rows(problem(50, 100'000), hopper).part, 100'000);
  EXPECT_LT(plan_rows(problem(100, 200'000), hopper).part, 100'000);
}

TEST(RowPlan, TheSameRowsAreSplitOnLargerGpusOnly) {
  EXPECT_EQ(plan_rows(problem(100, 1 << 20), apu).part, 1 << 20);
  for (const DeviceTraits& device : {mi, radeon, hopper})
    EXPECT_LT(plan_rows(problem(100, 1 << 20), device).part, 1 << 20);
}

TEST(RowPlan, WithoutKernelsOfPartsLongRowsAreWhole) {
  RowProblem whole = problem(1, 1 << 26);
  whole.may_be_split = false;
  for (const DeviceTraits& device : gpus) EXPECT_EQ(plan_rows(whole, device).part, 1 << 26);
  EXPECT_EQ(plan_rows(whole, cpu(4)).part, 1 << 26);
}

/// A second launch is worth it as soon as a block's registers do not hold a row that is masked as it is read.
TEST(RowPlan, MaskedRowsAreSplitSooner) {
  RowProblem masked = problem(16, 16384);
  masked.operands = RowOperands::masked;
  for (const DeviceTraits& device : {mi, radeon, hopper}) {
    SCOPED_TRACE(name_of(device));
    EXPECT_EQ(plan_rows(problem(16, 16384), device).part, 16384);
    EXPECT_EQ(plan_rows(masked, device).part, 4096);
    EXPECT_EQ(blocks_of(plan_rows(masked, device).shape), 64);
  }
  masked.n = 8192;
  EXPECT_EQ(plan_rows(masked, hopper).part, 8192);
}

/// The smaller the GPU, the fewer threads share a row.
TEST(RowPlan, FewRowsTakeMoreThreadsEach) {
  EXPECT_EQ(plan_rows(problem(100, 1024), hopper).group, 256u);
  EXPECT_EQ(plan_rows(problem(100, 1024), apu).group, 64u);
  EXPECT_EQ(plan_rows(problem(1 << 20, 1024), hopper).group, 64u);
}

TEST(RowPlan, ShortRowsAreStagedIfEachUnitHasATile) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const std::int64_t rows = std::int64_t{device.compute_units} * kg::row_tile_bytes / (7 * 4) + 1;
    const RowPlan staged = plan_rows(problem(rows, 7), device),
                  direct = plan_rows(problem(rows - 1, 7), device);
    EXPECT_EQ(staged.group, 0u);
    EXPECT_GE(blocks_of(staged.shape), device.compute_units);
    EXPECT_GT(direct.group, 0u);
  }
}

/// AMD GPUs have compact kernels of f8e4m3, which hold half as many elements.
TEST(RowPlan, AThreadTakesFourPacksIfItsRegistersHoldThem) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    EXPECT_EQ(plan_rows(problem(1 << 20, 2048, DType::f64), device).group, 256u);
    EXPECT_EQ(plan_rows(problem(1 << 20, 2048, DType::f32), device).group, 128u);
    EXPECT_EQ(plan_rows(problem(1 << 20, 2048, DType::f16), device).group, 64u);
  }
  EXPECT_EQ(plan_rows(problem(1 << 20, 2048, DType::f8e4m3), hopper).group, 64u);
  EXPECT_EQ(plan_rows(problem(1 << 20, 2048, DType::f8e4m3), mi).group, 128u);
}

/// Both ends of such a row are up to a pack less one element, which take a thread each.
TEST(RowPlan, MisalignedRowsHaveThreadsForBothEnds) {
  for (const DeviceTraits& device : gpus) {
    for (const std::int64_t n : {197, 1001, 7777, 50257}) {
      EXPECT_GE(plan_rows(problem(1 << 20, n, DType::f16), device).group, 14u) << n;
      EXPECT_GE(plan_rows(problem(1 << 20, n, DType::f32), device).group, 6u) << n;
    }
    EXPECT_EQ(plan_rows(problem(1 << 20, 197, DType::f16), device).group, 16u);
  }
}

TEST(RowPlan, CpuThreadsShareARowIfItIsLong) {
  EXPECT_EQ(plan_rows(problem(1, 1 << 20), cpu(4)).part, 1 << 17);
  EXPECT_EQ(plan_rows(problem(1, 1 << 17), cpu(4)).part, 1 << 17);
  EXPECT_EQ(plan_rows(problem(4, 1 << 20), cpu(4)).part, 1 << 20);
  EXPECT_EQ(plan_rows(problem(1, 1 << 20), cpu(1)).part, 1 << 20);
}

TEST(RowPlan, AnySizeHasAValidLaunch) {
  Sizes size;
  SCOPED_TRACE(Sizes::seed);
  constexpr DType dtypes[] = {DType::f8e4m3, DType::f16, DType::f32, DType::f64};
  for (int i = 0; i < 4000; ++i) {
    const RowProblem any{size(1ll << 30), size(1ll << 32), dtypes[size(4) - 1],
                         static_cast<RowOperands>(size(4) - 1)};
    for (const DeviceTraits& device : devices) {
      const RowPlan plan = plan_rows(any, device);
      ASSERT_TRUE(is_valid(plan.shape, kg::row_threads) && plan.part >= 1 && plan.part <= any.n &&
                  (plan.group == 0 || is_group(plan.group, kg::row_threads)))
          << any.rows << " of " << any.n << " on " << name_of(device);
    }
  }
}

}  // namespace
}  // namespace kernelgen::test
