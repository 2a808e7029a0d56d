#include <climits>

#include "plan/attention_plan.hpp"
#include "plan_devices.hpp"

namespace kernelgen::test {
namespace {

AttentionProblem problem(unsigned batch, unsigned heads, unsigned group, unsigned queries, unsigned keys,
                         unsigned width, DType type = DType::f16) {
  AttentionProblem problem{{}, type, type, true, false};
  kg::AttentionShape& call = problem.call;
  call.batch = batch;
  call.heads = heads;
  call.group = group;
  call.queries = queries;
  call.keys = keys;
  call.width = width;
  call.splits = 1;
  call.window_left = call.window_right = INT_MAX;
  call.q = call.k = call.v =
      call.y = {static_cast<long long>(width) * 1024, static_cast<long long>(width) * 64, width};
  return problem;
}

/// The form on an H100, which multiplies 16-bit types by warpgroups.
AttentionForm form(AttentionProblem call) {
  call.by_warpgroups = call.type == DType::f16;
  return plan_attention(call, hopper).form;
}

TEST(AttentionPlan, DecodingIsSplitUntilEachGpuIsFull) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const AttentionPlan plan = plan_attention(problem(1, 32, 4, 1, 32'768, 128), device);
    EXPECT_EQ(plan.form, AttentionForm::simt);
    EXPECT_GE(blocks_of(plan.shape), std::min(device.compute_units * 3, 8 * 64));
    EXPECT_EQ(blocks_of(plan.shape), 8 * plan.splits);
    EXPECT_LE(plan.splits, 64u);
  }
}

TEST(AttentionPlan, ManyRowsTakeTheMmaKernelWithoutSplits) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const AttentionPlan plan = plan_attention(problem(8, 32, 1, 512, 512, 128), device);
    EXPECT_EQ(plan.form, AttentionForm::mma);
    EXPECT_EQ(plan.splits, 1u);
    EXPECT_EQ(blocks_of(plan.shape), 8 * 32 * 4);
    EXPECT_EQ(plan.shape.shared_bytes,
              device.kind == DeviceKind::cuda ? kg::attention_shared_bytes(128, 2) : 0);
  }
}

/// A tile takes CDNA longer, so that few of them pay for partial results.
TEST(AttentionPlan, KeysOfFewTilesAreSplitOnCdna) {
  const AttentionProblem few = problem(1, 8, 1, 128, 512, 128);
  const AttentionPlan plan = plan_attention(few, mi);
  EXPECT_EQ(plan.form, AttentionForm::mma);
  EXPECT_EQ(plan.splits, 5u);
  EXPECT_EQ(blocks_of(plan.shape), 40);
  for (const DeviceTraits& device : {radeon, apu, hopper}) EXPECT_EQ(plan_attention(few, device).splits, 1u);
}

/// With a causal mask the tile with the most keys has twice the mean, and one round of whole tiles waits for it.
TEST(AttentionPlan, CausalTilesAreSplitWhereOneWouldOutlastTheRest) {
  const auto splits = [](AttentionProblem causal) {
    causal.call.window_right = 0;
    return plan_attention(causal, hopper).splits;
  };
  EXPECT_GT(splits(problem(1, 1, 1, 4096, 4096, 64)), 1u);
  EXPECT_EQ(splits(problem(8, 2, 1, 2958, 2958, 64)), 1u);
  // Combining the results would take longer than the last tile.
  EXPECT_EQ(splits(problem(1, 4, 1, 3465, 3465, 128)), 1u);
  EXPECT_EQ(splits(problem(1, 4, 1, 128, 512, 128)), 1u);
}

TEST(AttentionPlan, EachSplitHasKeys) {
  for (const DeviceTraits& device : gpus)
    for (const unsigned keys : {512u, 513u, 1024u, 4096u})
      for (const unsigned queries : {1u, 128u}) {
        const AttentionPlan plan = plan_attention(problem(1, 1, 1, queries, keys, 128), device);
        EXPECT_LE((plan.splits - 1) * kg::attention_split_keys, keys - 1) << name_of(device);
      }
}

TEST(AttentionPlan, MmaCanBeRuledOut) {
  AttentionProblem without = problem(8, 32, 1, 512, 512, 128);
  without.allows_mma = false;
  EXPECT_EQ(plan_attention(without, hopper).form, AttentionForm::simt);
}

TEST(AttentionPlan, WarpgroupsTakeSingleRows) {
  AttentionProblem one = problem(64, 32, 1, 1, 4096, 64);
  EXPECT_EQ(plan_attention(one, hopper).form, AttentionForm::simt);
  one.by_warpgroups = true;
  EXPECT_EQ(plan_attention(one, hopper).form, AttentionForm::mma);
}

/// Only long calls of the widest rows have larger tiles.
TEST(AttentionPlan, TilesOf64RowsShareAMultiprocessor) {
  const auto plan_of = [](unsigned heads, unsigned rows, unsigned width) {
    AttentionProblem given = problem(1, heads, 1, rows, rows, width);
    given.by_warpgroups = true;
    return plan_attention(given, hopper);
  };
  for (const unsigned width : {64u, 128u, 256u}) {
    SCOPED_TRACE(width);
    const AttentionPlan many = plan_of(512, 129, width);
    EXPECT_TRUE(many.has_rows64);
    EXPECT_EQ(many.splits, 1u);
    EXPECT_EQ(blocks_of(many.shape), 512 * 3);
    EXPECT_EQ(many.shape.block[0], kg::attention_rows64_threads);
    EXPECT_EQ(many.shape.shared_bytes, kg::attention_rows64_shared_bytes(width, 2));
    EXPECT_EQ(plan_of(8, 4096, width).has_rows64, width < 256);
  }
  const AttentionPlan wide = plan_of(8, 4096, 256);
  EXPECT_EQ(wide.shape.block[0], kg::attention_warpgroup_threads);
  EXPECT_EQ(wide.shape.shared_bytes, kg::attention_warpgroup_shared_bytes(2));
  EXPECT_FALSE(plan_attention(problem(1, 512, 1, 129, 129, 64), hopper).has_rows64);
}

/// As many splits as keep all multiprocessors busy, but no more partial results than needed.
TEST(AttentionPlan, WarpgroupsSplitTheKeysOfFewTiles) {
  const auto splits = [](unsigned heads, unsigned queries, unsigned keys) {
    AttentionProblem given = problem(1, heads, 1, queries, keys, 128);
    given.by_warpgroups = true;
    return plan_attention(given, hopper).splits;
  };
  EXPECT_EQ(splits(1024, 64, 4096), 1u);
  EXPECT_GT(splits(8, 64, 4096), 8u);
  EXPECT_EQ(splits(8, 64, 128), 1u);
  // Combining two splits would take longer than the longest tile.
  AttentionProblem causal = problem(1, 4, 1, 4096, 4096, 256);
  causal.by_warpgroups = true;
  causal.call.window_right = 0;
  EXPECT_EQ(plan_attention(causal, hopper).splits, 1u);
}

/// What is small depends on how many compute units share it.
TEST(AttentionPlan, SmallCallsTakeTheKernelThatStartsFirst) {
  EXPECT_EQ(plan_attention(problem(1, 16, 1, 32, 32, 64), hopper).form, AttentionForm::small);
  EXPECT_NE(plan_attention(problem(1, 16, 1, 32, 32, 64), apu).form, AttentionForm::small);
  EXPECT_EQ(plan_attention(problem(1, 2, 1, 8, 8, 64), apu).form, AttentionForm::small);
}

/// One query: a block for each head and some keys, so that no wave waits for memory often.
TEST(AttentionPlan, SmallCallsAreSplitOverKeys) {
  AttentionProblem one = problem(1, 8, 1, 1, 2048, 64);
  one.by_warpgroups = true;
  const AttentionPlan plan = plan_attention(one, hopper);
  EXPECT_EQ(plan.form, AttentionForm::small);
  EXPECT_EQ(plan.splits, 16u);
  EXPECT_EQ(blocks_of(plan.shape), 8 * 16);
  one.call.keys = 64 * 1024;
  EXPECT_EQ(plan_attention(one, hopper).form, AttentionForm::mma);
  EXPECT_EQ(plan_attention(problem(1, 8, 1, 1, 512, 64), hopper).splits, 4u);
  EXPECT_EQ(plan_attention(problem(1, 8, 1, 1, 128, 64), hopper).splits, 1u);
}

/// Tiles of narrow rows are no faster than those of 128 columns, so that calls of one query take the small kernel longer.
TEST(AttentionPlan, OneQueryOverManyKeysTakesTheFastestForm) {
  EXPECT_EQ(form(problem(11, 15, 1, 1, 2048, 16)), AttentionForm::small);
  EXPECT_EQ(form(problem(14, 1, 1, 39, 1987, 128)), AttentionForm::mma);
  EXPECT_EQ(form(problem(39, 14, 1, 1, 1024, 16, DType::f32)), AttentionForm::small);
  EXPECT_EQ(form(problem(11, 7, 1, 1, 4096, 80, DType::f32)), AttentionForm::simt);
}

/// An f32 tile is expensive: it pays only if at least an eighth of the units get one.
TEST(AttentionPlan, TilesOfF32NeedEnoughWork) {
  const AttentionProblem some = problem(1, 4, 1, 128, 128, 128, DType::f32);
  EXPECT_EQ(plan_attention(some, hopper).form, AttentionForm::simt);
  EXPECT_EQ(plan_attention(some, apu).form, AttentionForm::mma);
}

TEST(AttentionPlan, CallsOverFewKeysTakeTheFastestForm) {
  // Few tiles of many rows, and many tiles of few rows.
  EXPECT_EQ(form(problem(11, 6, 1, 38, 58, 64)), AttentionForm::mma);
  EXPECT_EQ(form(problem(46, 22, 1, 2, 16, 96)), AttentionForm::small);
  EXPECT_EQ(form(problem(5, 7, 1, 14, 48, 128)), AttentionForm::mma);
  EXPECT_EQ(form(problem(32, 25, 1, 5, 38, 32, DType::f32)), AttentionForm::small);
  EXPECT_EQ(form(problem(64, 4, 1, 15, 15, 64, DType::f32)), AttentionForm::mma);
}

/// The heads whose keys fit the L2 alternate, in sections of about one size.
TEST(AttentionPlan, CausalTilesAreOrderedByTheirKeys) {
  AttentionProblem causal = problem(1, 71, 1, 1024, 2048, 128);
  causal.by_warpgroups = true;
  EXPECT_EQ(plan_attention(causal, hopper).tiles.together.extent, 1u);
  causal.call.window_right = 0;
  const AttentionPlan plan = plan_attention(causal, hopper);
  EXPECT_EQ(plan.tiles.together.extent, 24u);
  EXPECT_EQ(plan.tiles.section.extent, 24u * (plan.has_rows64 ? 16 : 8) * plan.splits);
  EXPECT_EQ(plan.tiles.count, 3 * plan.tiles.section.extent);
  EXPECT_EQ(blocks_of(plan.shape), plan.tiles.count);
  EXPECT_EQ(plan_attention(causal, mi).tiles.together.extent, 1u);
}

TEST(AttentionPlan, CpuThreadsShareTheKeysOfFewRows) {
  const AttentionPlan plan = plan_attention(problem(1, 1, 1, 1, 8192, 64, DType::f32), cpu(4));
  EXPECT_EQ(plan.form, AttentionForm::simt);
  EXPECT_EQ(plan.splits, 4u);
  EXPECT_EQ(blocks_of(plan.shape), 4);
  EXPECT_EQ(blocks_of(plan_attention(problem(1, 1, 1, 1, 8192, 64), cpu(1)).shape), 1);
  EXPECT_EQ(blocks_of(plan_attention(problem(1, 1, 1, 1, 1024, 64), cpu(4)).shape), 1);
}

TEST(AttentionPlan, AnySizeHasAValidLaunch) {
  Sizes size;
  SCOPED_TRACE(Sizes::seed);
  const auto number = [&](std::int64_t most) { return static_cast<unsigned>(size(most)); };
  for (int i = 0; i < 4000; ++i) {
    const unsigned group = number(8);
    AttentionProblem any = problem(number(64), group * number(8), group, number(1 << 16), number(1 << 20),
                                   number(256), size.flip() ? DType::f16 : DType::f32);
    if (size.flip()) any.call.window_left = static_cast<int>(number(1000)), any.call.window_right = 0;
    for (const DeviceTraits& device : devices) {
      const AttentionPlan plan = plan_attention(any, device);
      ASSERT_TRUE(is_valid(plan.shape) && plan.splits >= 1 && plan.splits <= 64)
          << any.call.queries << " by " << any.call.keys << " on " << name_of(device);
      ASSERT_TRUE(is_valid(attention_combine_grid(100, plan.splits, device)));
      const kg::AttentionTiles& tiles = plan.tiles;
      ASSERT_EQ(tiles.heads, any.call.batch * tiles.key_heads.extent);
      ASSERT_EQ(tiles.count % tiles.section.extent, 0u);
      ASSERT_GE(tiles.count / tiles.section.extent * tiles.together.extent, tiles.heads);
      ASSERT_LT(tiles.count, 1u << 31);
    }
  }
}

}  // namespace
}  // namespace kernelgen::test
