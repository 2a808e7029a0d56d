// Launch plans of convolutions, matrix products and quantized products.
#include <algorithm>

#include "plan/conv.hpp"
#include "plan/conv_plan.hpp"
#include "plan/expert_plan.hpp"
#include "plan/matmul_plan.hpp"
#include "plan/matrix_units.hpp"
#include "plan/quantized.hpp"
#include "plan/quantized_plan.hpp"
#include "plan_devices.hpp"

namespace kernelgen::test {
namespace {

kg::ConvShape conv_shape(unsigned batch, unsigned channels, unsigned rows, unsigned columns) {
  kg::ConvShape shape{};
  shape.batch = batch;
  shape.groups = 1;
  shape.in_channels = 8;
  shape.out_channels = channels;
  shape.rows.extent = rows;
  shape.columns.extent = columns;
  shape.kernel_size.extent = 9;
  shape.kernel_rows = 3;
  shape.image_channels.extent = channels;
  return shape;
}

TEST(ConvPlan, FormFollowsTheChannels) {
  EXPECT_EQ(conv_form(2, hopper), ConvForm::direct);
  EXPECT_EQ(conv_form(32, hopper), ConvForm::implicit_gemm_small);
  EXPECT_EQ(conv_form(33, hopper), ConvForm::implicit_gemm);
  EXPECT_EQ(conv_form(32, cpu(4)), ConvForm::implicit_gemm);
}

TEST(ConvPlan, FewProductsAreComputedDirectly) {
  for (const DeviceTraits& device : gpus) {
    EXPECT_TRUE(is_conv_small(1000, 9, device));
    EXPECT_FALSE(is_conv_small(1'000'000, 9, device));
    EXPECT_FALSE(is_conv_small(1000, 10'000, device));  // takes long even if a block shares a sum
  }
  EXPECT_TRUE(is_conv_small(20'000, 42, hopper));
  EXPECT_FALSE(is_conv_small(20'000, 42, apu));
  EXPECT_FALSE(is_conv_small(1000, 9, cpu(4)));
}

TEST(ConvPlan, ThreadsShareLongSumsOfTheDirectKernel) {
  // Eight input channels times nine kernel elements: 18 threads have four terms.
  EXPECT_EQ(threads_of(conv_grid(ConvForm::direct, conv_shape(1, 2, 8, 8), hopper)), 128 * 32);
  EXPECT_EQ(threads_of(conv_grid(ConvForm::direct, conv_shape(1, 2, 128, 128), hopper)), 32768 * 4);
  EXPECT_EQ(threads_of(conv_grid(ConvForm::direct, conv_shape(1, 2, 128, 128), apu)), 32768);
}

TEST(ConvPlan, ACpuMultipliesMatricesForFewOutputChannels) {
  EXPECT_TRUE(is_conv_worth_gemm(64, 4, false, false, cpu(4)));
  EXPECT_FALSE(is_conv_worth_gemm(64, 5, false, false, cpu(4)));
  EXPECT_FALSE(is_conv_worth_gemm(63, 4, false, false, cpu(4)));
  EXPECT_FALSE(is_conv_worth_gemm(64, 4, false, true, cpu(4)));
  EXPECT_TRUE(is_conv_worth_gemm(32, 8, true, true, cpu(4)));
  EXPECT_FALSE(is_conv_worth_gemm(32, 9, true, true, cpu(4)));
  for (const DeviceTraits& device : gpus) EXPECT_FALSE(is_conv_worth_gemm(64, 4, false, false, device));
}

TEST(ConvPlan, ThreadsOfColumnSumsTakeFourChannels) {
  EXPECT_EQ(threads_of(conv_grid(ConvForm::col2im, conv_shape(1, 2, 8, 8), hopper)),
            64 * 4);  // one row of three each
  EXPECT_EQ(threads_of(conv_grid(ConvForm::col2im, conv_shape(8, 16, 128, 128), hopper)), 8 * 4 * 128 * 128);
}

TEST(ConvPlan, BlocksShareLongSumsOfFewResults) {
  EXPECT_EQ(conv_channel_splits(256, 9, 12, 48, hopper), 64);  // at least 32 terms each
  EXPECT_EQ(conv_channel_splits(256, 9, 12, 48, apu), 8);      // a block for each unit
  EXPECT_EQ(conv_channel_splits(257, 9, 12, 48, hopper), 1);   // a prime number of channels
  EXPECT_EQ(conv_channel_splits(16, 9, 12, 48, hopper), 1);    // a short sum
  for (const DeviceTraits& device : gpus) EXPECT_EQ(conv_channel_splits(256, 9, 512, 1 << 16, device), 1);
  EXPECT_EQ(conv_channel_splits(256, 9, 12, 48, cpu(4)), 1);
}

TEST(ConvPlan, EveryTileHasABlock) {
  for (const DeviceTraits& device : gpus) {
    EXPECT_EQ(blocks_of(conv_grid(ConvForm::implicit_gemm, conv_shape(2, 65, 32, 33), device)), 33 * 2);
    EXPECT_EQ(blocks_of(conv_grid(ConvForm::implicit_gemm_small, conv_shape(2, 17, 32, 33), device)), 9 * 2);
    EXPECT_EQ(blocks_of(conv_grid(ConvForm::fix_padding, conv_shape(2, 17, 32, 33), device)), 17);
  }
  EXPECT_EQ(blocks_of(conv_grid(ConvForm::implicit_gemm, conv_shape(2, 64, 32, 32), cpu(4))), 16);
  EXPECT_EQ(blocks_of(conv_grid(ConvForm::implicit_gemm, conv_shape(1, 3, 32, 32), cpu(4, false))), 1);
}

TEST(ConvPlan, NarrowImagesAreWorthTransposingOnCpus) {
  EXPECT_TRUE(is_conv_worth_transposing(15, 7, cpu(4)));
  EXPECT_FALSE(is_conv_worth_transposing(14, 7, cpu(4)));
  EXPECT_FALSE(is_conv_worth_transposing(100, 8, cpu(4)));
  EXPECT_FALSE(is_conv_worth_transposing(100, 1, hopper));
}

TEST(MatmulPlan, LongSumsAreSplitWhereTilesLeaveUnitsIdle) {
  for (const DeviceTraits& device : gpus) {
    const std::int64_t parts = matmul_parts({64, 64, 65536, 1, 65536, 1, 4}, device);
    EXPECT_GT(parts, 4);
    EXPECT_LE(parts, std::max(16, device.compute_units));
    EXPECT_EQ(65536 % (parts * 64), 0);
    EXPECT_EQ(matmul_parts({64, 64, 512, 1, 512, 1, 4}, device), 1) << "adding costs more";
    EXPECT_EQ(matmul_parts({64, 64, 65535, 1, 65535, 1, 4}, device), 1) << "no equal ranges";
    EXPECT_EQ(matmul_parts({64, 64, 65536, 4096, 65536, 1, 4}, device), 1) << "no unit is idle";
  }
  EXPECT_EQ(matmul_parts({64, 64, 65536, 1, 65536, 1, 4}, cpu(4)), 1);
}

TEST(MatmulPlan, EveryTileHasABlock) {
  for (const DeviceTraits& device : gpus) {
    EXPECT_EQ(blocks_of(matmul_grid({65, 64, 10, 3, 10, 1, 4}, device)), 2 * 3);
    EXPECT_EQ(threads_of(matvec_grid({100, 1, 4096, 1, 4096, 1, 4}, device)), 100 * 256);
    EXPECT_EQ(blocks_of(matvec_grid({100, 1, 4096, 2, 1, 100, 4}, device)), 4 * 2);
    // Four rows read the vector once.
    EXPECT_EQ(threads_of(matvec_grid({4098, 1, 4096, 1, 4096, 1, 4}, device)), 1025 * 256);
    EXPECT_EQ(threads_of(matvec_grid({8192, 1, 2048, 1, 2048, 1, 2}, device)), 2048 * 64);
    EXPECT_EQ(threads_of(matvec_grid({512, 1, 2048, 1, 2048, 1, 2}, device)), 128 * 256) << "fewer rows";
    EXPECT_EQ(threads_of(matvec_grid({512, 1, 512, 1, 512, 1, 2}, device)), 512 * 16) << "too few terms";
  }
  EXPECT_EQ(blocks_of(matmul_grid({65, 64, 10, 3, 10, 1, 4}, cpu(4))), 1);
  EXPECT_EQ(blocks_of(matmul_grid({6500, 6400, 10, 1, 10, 1, 4}, cpu(4))), 256);
  EXPECT_EQ(blocks_of(matvec_grid({1000, 1, 100, 1, 100, 1, 4}, cpu(4))), 7);
}

TEST(QuantizedPlan, BlocksShareRowsUntilTwoRunOnEachUnit) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const QuantizedPlan plan = plan_quantized_product({4096, 4096, 1, false, 0, DType::q4_K}, device);
    EXPECT_EQ(plan.form, QuantizedForm::vector);
    EXPECT_EQ(plan.parts, std::min(2 * device.compute_units, 256));
    EXPECT_EQ(plan.shape.block[0], kg::quantized_vector_threads);
    EXPECT_EQ(blocks_of(plan.shape), plan.parts);
    const QuantizedPlan some = plan_quantized_product({4096, 4096, 5, false, 0, DType::q4_K}, device);
    EXPECT_EQ(some.form, QuantizedForm::columns);
    EXPECT_EQ(some.tile_width, 8u);
    EXPECT_EQ(some.tiles, 1);
    EXPECT_EQ(some.parts, std::min(2 * device.compute_units, 512)) << "a row for each wave of 32";
    EXPECT_EQ(plan_quantized_product({4096, 4096, 129, false, 0, DType::q4_K}, device).form,
              QuantizedForm::dense);
  }
}

TEST(QuantizedPlan, MatricesShareTheBlocksOfALaunchByTheirRows) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const QuantizedPlan plan =
        plan_quantized_product({4096, 4096, 1, false, 0, DType::q4_K, {1024, 1024}}, device);
    const auto blocks = static_cast<unsigned>(std::min(2 * device.compute_units, 384));
    EXPECT_EQ(plan.parts, blocks * 4 / 6);
    EXPECT_EQ(plan.more_parts[0], blocks / 6);
    EXPECT_EQ(plan.more_parts[1], blocks / 6);
    EXPECT_EQ(blocks_of(plan.shape), plan.parts + 2 * (blocks / 6));
    const QuantizedPlan few = plan_quantized_product({4096, 4096, 1, false, 0, DType::q4_K, {1}}, device);
    EXPECT_EQ(few.more_parts[0], 1u) << "a row has a block";
    EXPECT_EQ(few.more_parts[1], 0u);
  }
}

TEST(QuantizedPlan, TilesDivideTheTermsUntilTwoBlocksRunOnEachUnit) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const QuantizedPlan plan = plan_quantized_product({2048, 8192, 100, false, 0, DType::q4_K}, device);
    EXPECT_EQ(plan.form, QuantizedForm::tiles);
    EXPECT_EQ(plan.tiles, 2);
    EXPECT_EQ(plan.parts, 32u);
    EXPECT_EQ(blocks_of(plan.shape), 64 * plan.k_splits);
    EXPECT_EQ(plan.k_splits, std::clamp(2 * device.compute_units / 64, 1, 16));
    EXPECT_EQ(plan_quantized_product({512, 2048, 64, false, 0, DType::q4_K}, device).k_splits,
              std::clamp(2 * device.compute_units / 8, 1, 8));
    EXPECT_EQ(plan_quantized_product({2048, 256, 100, false, 0, DType::q4_K}, device).k_splits, 1u)
        << "too few terms";
  }
}

/// The kernel computes the splits from their number.
TEST(QuantizedPlan, NoRangeOfTermsIsEmpty) {
  for (std::int64_t slices = 8; slices < 1000; ++slices) {
    const QuantizedPlan plan = plan_quantized_product({64, slices * 32, 9, false, 0, DType::q4_0}, hopper);
    const auto split_slices = static_cast<std::int64_t>(
        kg::quantized_split_slices(static_cast<std::uint64_t>(slices), plan.k_splits));
    EXPECT_LT(split_slices * (plan.k_splits - 1), slices);
    EXPECT_GE(split_slices * plan.k_splits, slices);
  }
}

TEST(QuantizedPlan, OnlyCudaIsToldItsSharedMemory) {
  const QuantizedProblem problem{4096, 4096, 1, false, 0, DType::q6_K};
  EXPECT_EQ(plan_quantized_product(problem, mi).shape.shared_bytes, 0u);
  EXPECT_EQ(plan_quantized_product(problem, hopper).shape.shared_bytes,
            kg::quantized_column_bytes(4096) + kg::quantized_ring_bytes(512, {210, 8}));
}

TEST(QuantizedPlan, ExpertsHaveTilesOfTheirOwn) {
  const QuantizedPlan few = plan_quantized_product({4096, 4096, 31, true, 8, DType::q4_K}, hopper);
  EXPECT_EQ(few.form, QuantizedForm::columns);
  EXPECT_EQ(few.tiles, 4 + 8);
  const QuantizedPlan plan = plan_quantized_product({4096, 4096, 128, true, 8, DType::q4_K}, hopper);
  EXPECT_EQ(plan.form, QuantizedForm::tiles);
  EXPECT_EQ(plan.tiles, 2 + 8);
  EXPECT_EQ(plan.k_splits, 1u) << "results of ids out of range are written before";
  EXPECT_EQ(plan_quantized_product({4096, 4096, 8, true, 8, DType::q4_K}, hopper).form,
            QuantizedForm::vector);
}

TEST(QuantizedPlan, ColumnsThatShareFewExpertsAreMultipliedOneByOne) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const QuantizedPlan plan = plan_quantized_product({768, 2048, 64, true, 128, DType::q4_0}, device);
    EXPECT_EQ(plan.form, QuantizedForm::vector);
    EXPECT_EQ(plan.tiles, 64);
    EXPECT_EQ(plan.parts, std::max(2 * device.compute_units / 64, 1));
    EXPECT_EQ(blocks_of(plan.shape), 64 * plan.parts);
    for (const std::int64_t experts : {8, 128}) {
      const auto form = [&](std::int64_t columns) {
        return plan_quantized_product({768, 2048, columns, true, experts, DType::q4_0}, device).form;
      };
      EXPECT_EQ(form(2 * experts), QuantizedForm::vector);
      EXPECT_EQ(form(2 * experts + 1), QuantizedForm::columns);
    }
  }
  EXPECT_EQ(plan_quantized_product({768, 2048, 64, true, 128, DType::q4_0}, cpu(4)).form,
            QuantizedForm::vector);
  EXPECT_EQ(plan_quantized_product({768, 2048, 65, true, 128, DType::q4_0}, cpu(4)).form,
            QuantizedForm::columns);
}

TEST(QuantizedPlan, CpusWithByteDotsMultiplyManyColumnsDirectly) {
  DeviceTraits with = cpu(4);
  EXPECT_EQ(plan_quantized_product({4096, 4096, 9, false, 0, DType::q4_K}, with).form, QuantizedForm::dense);
  with.has_byte_dots = true;
  const QuantizedPlan plan = plan_quantized_product({4096, 4096, 9, false, 0, DType::q4_K}, with);
  EXPECT_EQ(plan.form, QuantizedForm::columns);
  EXPECT_EQ(plan.tiles, 2);
  EXPECT_EQ(plan.parts, 16u);
  EXPECT_EQ(blocks_of(plan.shape), 32);
}

TEST(QuantizedPlan, GpusWithoutMatrixUnitsMultiplyManyColumnsDirectly) {
  DeviceTraits without = radeon;
  without.has_matrix_units = has_matrix_units("gfx1030", 32);
  const QuantizedPlan plan = plan_quantized_product({512, 1024, 128, false, 0, DType::q4_0}, without);
  EXPECT_EQ(plan.form, QuantizedForm::columns);
  EXPECT_EQ(plan.tiles, 16);
  EXPECT_EQ(plan.parts, 12u);
}

/// The targets of kernels/device/matrix.hpp.
TEST(QuantizedPlan, MatrixUnitsAreKnownByTheArchitecture) {
  for (const char* with : {"gfx90a:sramecc+:xnack-", "gfx942", "gfx950:xnack+", "gfx1100", "gfx1201"})
    EXPECT_TRUE(has_matrix_units(with, 32)) << with;
  for (const char* without :
       {"gfx900", "gfx906:sramecc-", "gfx908", "gfx1012", "gfx1030", "gfx1170", "gfx1250"})
    EXPECT_FALSE(has_matrix_units(without, 32)) << without;
  EXPECT_TRUE(has_matrix_units("gfx942", 64));
  EXPECT_FALSE(has_matrix_units("gfx1100", 64));
}

/// Small blocks are staged by whole GPU blocks, however few there are.
TEST(QuantizedPlan, BlocksOfAGpuStageSmallBlocks) {
  for (const DeviceTraits& device : gpus) {
    EXPECT_EQ(blocks_of(quantize_grid(1000, 32, device)), 8);
    EXPECT_EQ(quantize_grid(1, 32, device).block[0], kg::block_threads);
    EXPECT_EQ(blocks_of(quantize_grid(1000, 256, device)), 63);
  }
}

TEST(QuantizedPlan, RowsThatAreSetHaveAGroupForEachPart) {
  const SetRowsPlan plan = plan_set_rows(1000, 5000, mi);
  EXPECT_EQ(plan.part, 2048);
  EXPECT_EQ(plan.group, 256u);
  EXPECT_EQ(blocks_of(plan.shape), 3000);
  const SetRowsPlan few = plan_set_rows(8, 512, mi);
  EXPECT_EQ(few.part, 256);
  EXPECT_EQ(few.group, 256u) << "one element each";
  EXPECT_EQ(blocks_of(few.shape), 16);
  EXPECT_EQ(plan_set_rows(1000, 5000, cpu(4)).part, 5000);
}

TEST(ExpertPlan, ColumnsAreGroupedOnceTheyShareExperts) {
  for (const DeviceTraits& device : devices) {
    SCOPED_TRACE(name_of(device));
    EXPECT_TRUE(plan_expert_product({512, 256, 8, 4, 2}, device).is_by_vector);
    EXPECT_TRUE(plan_expert_product({512, 256, 64, 128, 2}, device).is_by_vector);
    const ExpertPlan few = plan_expert_product({512, 2048, 65, 128, 2}, device);
    EXPECT_FALSE(few.is_by_vector);
    EXPECT_EQ(few.tiles, 65) << "no more than columns";
    EXPECT_EQ(plan_expert_product({512, 256, 4096, 128, 2}, device).tiles, 64 + 128);
  }
  for (const DeviceTraits& device : gpus) {
    EXPECT_TRUE(plan_expert_product({96, 256, 256, 128, 2}, device).is_by_vector) << "experts are tiny";
    EXPECT_FALSE(plan_expert_product({96, 256, 513, 128, 2}, device).is_by_vector) << "tiles are filled";
    EXPECT_EQ(blocks_of(plan_expert_product({500, 256, 4096, 128, 2}, device).shape), 192 * 8);
    EXPECT_EQ(blocks_of(plan_expert_product({768, 2048, 32, 128, 2}, device).shape), 32 * 768 / 4 / 4)
        << "four results of a vector for 64 threads";
    EXPECT_EQ(blocks_of(plan_expert_product({767, 2048, 32, 128, 2}, device).shape), 32 * 767 / 4);
  }
  EXPECT_FALSE(plan_expert_product({96, 256, 256, 128, 2}, cpu(4)).is_by_vector);
}

TEST(ProductPlans, AnySizeHasAValidLaunch) {
  Sizes size;
  SCOPED_TRACE(Sizes::seed);
  for (int i = 0; i < 4000; ++i) {
    const std::int64_t rows = size(1 << 20), terms = 256 * size(1 << 10), columns = size(1 << 16);
    const bool is_indexed = size.flip();
    const kg::ConvShape shape =
        conv_shape(static_cast<unsigned>(size(64)), static_cast<unsigned>(size(1024)),
                   static_cast<unsigned>(size(128)), static_cast<unsigned>(size(128)));
    for (const DeviceTraits& device : devices) {
      SCOPED_TRACE(name_of(device));
      const QuantizedPlan plan =
          plan_quantized_product({rows, terms, columns, is_indexed, 16, DType::q4_0}, device);
      ASSERT_TRUE(plan.form == QuantizedForm::dense ||
                  (is_valid(plan.shape, 512) && plan.parts >= 1 && plan.parts <= rows))
          << rows << " by " << columns;
      const ExpertPlan experts = plan_expert_product({rows, terms, columns, 16, 2}, device);
      ASSERT_TRUE(is_valid(experts.shape) && experts.tiles <= columns);
      const DequantizePlan dequantize = plan_dequantize(rows, terms, device);
      ASSERT_TRUE(is_valid(dequantize.shape) && is_group(dequantize.group) && dequantize.part >= 1);
      const SetRowsPlan set = plan_set_rows(rows, terms, device);
      ASSERT_TRUE(is_valid(set.shape) && is_group(set.group) && set.part >= 1 && set.part <= terms);
      ASSERT_TRUE(is_valid(quantize_grid(rows, 256, device)) &&
                  is_valid(quantize_columns_grid(columns, terms, device)));
      ASSERT_TRUE(is_valid(matmul_grid({rows, columns, terms, 2, terms, 1, 2}, device)) &&
                  is_valid(matvec_grid({rows, 1, terms, 2, 1, rows, 2}, device)));
      ASSERT_TRUE(is_valid(conv_grid(conv_form(shape.out_channels, device), shape, device)));
    }
  }
}

}  // namespace
}  // namespace kernelgen::test
