// Launch plans of gathers and scatters.
#include "plan/gather_plan.hpp"
#include "plan/scatter.hpp"
#include "plan/scatter_plan.hpp"
#include "plan_devices.hpp"

namespace kernelgen::test {
namespace {

TEST(GatherPlan, SpansTakeOneAccessPerThreadUntilTheGpuIsFull) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const std::int64_t full = device.resident_threads() * 4;
    const GatherSpansPlan little = plan_gather_spans(full - 1, 1024, 4, device),
                          much = plan_gather_spans(full, 1024, 4, device);
    EXPECT_EQ(little.threads, 256u);
    EXPECT_EQ(much.threads, 64u);
    EXPECT_EQ(threads_of(much.shape(full / 1024, 1024, device)), full / 1024 * 64);
  }
}

TEST(GatherPlan, RowsThatShareIndicesAreTiledOnceTheGpuIsFull) {
  EXPECT_EQ(plan_gather_elements(1024, 1 << 20, hopper).rows, 256u);
  EXPECT_EQ(plan_gather_elements(1024, 264, hopper).rows, 1u);
  for (const DeviceTraits& device : gpus) {
    EXPECT_GE(threads_of(plan_gather_elements(1024, 1 << 16, device).shape), device.resident_threads());
    EXPECT_TRUE(are_indices_worth_sharing(device.resident_threads(), 2, device));
    EXPECT_FALSE(are_indices_worth_sharing(device.resident_threads(), 1, device));
  }
  EXPECT_FALSE(are_indices_worth_sharing(1 << 20, 256, cpu(4)));
}

TEST(GatherPlan, ABlockTakesSeveralShortRowsAtATime) {
  const GatherElementsPlan plan = plan_gather_elements(36, 463'091, hopper);
  EXPECT_EQ(plan.columns, 36u);
  EXPECT_EQ(plan.rows, 7u * 61u);
  EXPECT_EQ(plan.shape.block[0], 256u);
  EXPECT_EQ(plan_gather_elements(130, 1 << 20, hopper).shape.block[0], 160u);
}

TEST(GatherPlan, AnySizeHasAValidLaunch) {
  Sizes size;
  SCOPED_TRACE(Sizes::seed);
  for (int i = 0; i < 4000; ++i) {
    const std::int64_t length = size(1ll << 40), spans = size(1 << 20), columns = size(1 << 26);
    const unsigned bytes = 1u << (size(4) - 1);
    for (const DeviceTraits& device : devices) {
      SCOPED_TRACE(name_of(device));
      const GatherSpansPlan plan = plan_gather_spans(spans * length, length, bytes, device);
      ASSERT_TRUE(is_valid(plan.shape(spans, length, device)) && is_group(plan.threads) && plan.part >= 1 &&
                  plan.part <= length)
          << spans << " of " << length;
      const std::int64_t rows = are_indices_worth_sharing(spans, columns, device) ? spans : 1;
      const GatherElementsPlan elements = plan_gather_elements(columns, rows, device);
      ASSERT_TRUE(is_valid(elements.shape) && elements.columns >= 1 && elements.rows >= 1) << columns;
      if (!device.on_cpu()) {
        ASSERT_GE(blocks_of(elements.shape) * elements.columns * elements.rows, columns * rows);
      }
    }
  }
}

/// Two passes clear and read every element, which a GPU of few units does slowly.
TEST(ScatterPlan, SetsGoLineByLineWhereTwoPassesTakeLonger) {
  const ScatterProblem problem{false, false, 100, 1000, 10'000};
  EXPECT_TRUE(is_line_by_line(problem, apu));
  EXPECT_TRUE(is_line_by_line({false, false, 100, 1000, 100}, cpu(4)));
  EXPECT_FALSE(is_line_by_line({false, false, 1000, 1000, 1000}, hopper));
  EXPECT_TRUE(is_line_by_line({false, false, 1000, 1000, 1'000'000}, hopper));
  for (const DeviceTraits& device : gpus) {
    EXPECT_TRUE(is_line_by_line({true, true, 100, 1000, 100}, device));
    EXPECT_FALSE(is_line_by_line({true, false, 1, 1000, 100}, device));
    EXPECT_TRUE(is_line_by_line({false, false, 1, 1000, 100}, device));
  }
}

TEST(ScatterPlan, AddsOfManyCpuThreadsAreAtomic) {
  EXPECT_TRUE(is_line_by_line({true, false, 100, 8, 100}, cpu(16)));
  EXPECT_FALSE(is_line_by_line({true, false, 100, 8, 100}, cpu(17)));
  EXPECT_TRUE(is_line_by_line({true, false, 100, 17, 100}, cpu(17)));
}

TEST(ScatterPlan, FewLinesAreDividedAmongThreadsOfEachGpu) {
  const ScatterProblem one{false, false, 1000, 1, 1 << 20};
  for (const DeviceTraits& device : gpus) {
    const ScatterLinesPlan plan = plan_scatter_lines(one, {1, true, false}, device);
    EXPECT_EQ(plan.parts, 32 * device.compute_units);
    EXPECT_EQ(plan.width, 1u);
  }
  const ScatterLinesPlan plan =
      plan_scatter_lines({false, false, 1000, 4096, 9}, {4096, true, false}, cpu(4));
  EXPECT_EQ(plan.width, 256u);
  EXPECT_EQ(plan.parts, 1u);
}

/// A sum of `count` sources for each line and column, in place. Each source has its own index.
NarrowSumProblem narrow_sum(std::int64_t lines, std::int64_t size, std::int64_t columns, std::int64_t count,
                            bool is_ordered = false) {
  return {lines * size * columns, lines * count * columns, is_ordered, true, true, 1, size, columns};
}
/// The same where columns share indices, not in place.
NarrowSumProblem row_sum(std::int64_t lines, std::int64_t size, std::int64_t columns, std::int64_t count) {
  NarrowSumProblem problem = narrow_sum(lines, size, columns, count);
  problem.inner = columns;
  problem.is_in_place = false;
  return problem;
}

TEST(ScatterPlan, NarrowSumsConvertOnlyIndexedElementsIfThoseAreFew) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 8192, 1, 8192, true), device), NarrowSumForm::all);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 1 << 24, 1, 1 << 14), device), NarrowSumForm::indexed);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 1 << 20, 1, 1 << 20), device), NarrowSumForm::all);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1 << 14, 8192, 1, 2), device), NarrowSumForm::indexed);
    // Lines of one source, in any order.
    EXPECT_EQ(narrow_sum_form(narrow_sum(1 << 14, 8192, 1, 1), device), NarrowSumForm::single);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 25, 3'082'199, 1, true), device), NarrowSumForm::single);
  }
  EXPECT_EQ(narrow_sum_form(narrow_sum(1, 16'384, 1, 512, true), cpu(4)), NarrowSumForm::indexed);
}

TEST(ScatterPlan, BlocksHoldNarrowSumsOfLinesThatFit) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 8176, 1, 8192), device), NarrowSumForm::lines);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1000, 127, 64, 100), device), NarrowSumForm::lines);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1000, 8177, 1, 8192), device), NarrowSumForm::all);
    // A block that adds all of many sources would take longer than atomic additions.
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 100, 1, 1 << 20), device), NarrowSumForm::all);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1000, 100, 1, 1 << 20), device), NarrowSumForm::lines);
  }
  EXPECT_EQ(narrow_sum_block_lines(narrow_sum(100, 5, 1, 5), hopper), 1);
  EXPECT_EQ(narrow_sum_block_lines(narrow_sum(100'000, 5, 1, 5), hopper), 378);
  EXPECT_EQ(narrow_sum_block_lines(narrow_sum(10'000'000, 5, 1, 5), hopper), 1635);
}

/// Small blocks overlap one's loads with another's sums, where shared memory has room for several.
TEST(ScatterPlan, SmallBlocksHoldTheNarrowSumsOfManyLines) {
  const NarrowSumProblem many = narrow_sum(15'307, 1961, 1, 2), some = narrow_sum(256, 2048, 1, 2048);
  EXPECT_EQ(narrow_sum_lines_shape(many, hopper).block[0], 256u);
  EXPECT_EQ(narrow_sum_lines_shape(some, hopper).block[0], 512u);
  EXPECT_EQ(narrow_sum_lines_shape(many, mi).block[0], 1024u);
  EXPECT_EQ(narrow_sum_lines_shape(narrow_sum(100, 5, 1, 5), hopper).block[0], 8u);
  EXPECT_EQ(narrow_sum_form(narrow_sum(8'515'733, 1, 1, 2), hopper), NarrowSumForm::lines);
  EXPECT_EQ(narrow_sum_form(narrow_sum(1'124'976, 2, 4, 5), hopper), NarrowSumForm::columns);
}

TEST(ScatterPlan, ThreadsHoldNarrowSumsOfShortColumns) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    EXPECT_EQ(narrow_sum_form(narrow_sum(915, 5, 9699, 5), device), NarrowSumForm::columns);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 64, 1 << 20, 64), device), NarrowSumForm::columns);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 65, 1 << 20, 65), device), NarrowSumForm::all);
    // The sources of a column are added one after the other.
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 64, 200, 10'000), device), NarrowSumForm::all);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 64, 200, 10'000, true), device), NarrowSumForm::columns);
  }
}

TEST(ScatterPlan, NvidiaThreadsHoldTheNarrowSumsOfManyShortLines) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const NarrowSumForm many =
        device.kind == DeviceKind::cuda ? NarrowSumForm::columns : NarrowSumForm::lines;
    EXPECT_EQ(narrow_sum_form(narrow_sum(1 << 20, 64, 1, 64), device), many);
    EXPECT_EQ(narrow_sum_form(narrow_sum(484'275, 44, 1, 44), device), many);
    EXPECT_EQ(narrow_sum_form(narrow_sum(484'275, 44, 4, 11), device), many);
    // Few threads would have a column.
    EXPECT_EQ(narrow_sum_form(narrow_sum(1000, 44, 1, 44), device), NarrowSumForm::lines);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1000, 44, 1, 44, true), device), NarrowSumForm::columns);
  }
}

TEST(ScatterPlan, BlocksOfColumnsHoldWholeLinesOfFewAdjacentOnes) {
  for (const unsigned size : {1, 2, 5, 31, 44, 64})
    for (const unsigned inner : {1, 2, 7, 15, 16, 1000}) {
      SCOPED_TRACE(std::to_string(size) + ", " + std::to_string(inner));
      const LaunchShape shape = narrow_sum_columns_shape(narrow_sum(100, size, inner, 1));
      ASSERT_TRUE(is_valid(shape));
      const unsigned threads = shape.block[0], held = kg::scatter_block_columns(threads, inner);
      EXPECT_LE((threads + kg::scatter_padding(inner, size)) * size, kg::scatter_block_sums);
      EXPECT_GE(std::uint64_t{held} * shape.grid[0], 100 * inner);
      EXPECT_EQ(inner < kg::scatter_adjacent ? held % inner : threads - held, 0u);
    }
}

TEST(ScatterPlan, RowsAreSummedByListsOfTheirSources) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    EXPECT_EQ(narrow_sum_form(row_sum(1, 4096, 4096, 8192), device), NarrowSumForm::rows);
    EXPECT_EQ(narrow_sum_form(row_sum(1, 2, 1 << 24, 1), device), NarrowSumForm::rows);
    EXPECT_EQ(narrow_sum_form(row_sum(1, 300, 40, 77), device), NarrowSumForm::rows);
    EXPECT_EQ(narrow_sum_form(row_sum(1, 300, 7, 770), device), NarrowSumForm::lines);
    EXPECT_EQ(narrow_sum_form(row_sum(1 << 10, 300, 7, 770), device), NarrowSumForm::lines);
    // One launch takes less time.
    EXPECT_EQ(narrow_sum_form(row_sum(4, 200, 40, 77), device), NarrowSumForm::lines);
    NarrowSumProblem ordered = row_sum(1, 4096, 4096, 8192);
    ordered.is_ordered = true;
    EXPECT_EQ(narrow_sum_form(ordered, device), NarrowSumForm::all);
  }
  EXPECT_NE(narrow_sum_form(row_sum(1, 4096, 4096, 8192), cpu(4)), NarrowSumForm::rows);
}

TEST(ScatterPlan, ABlockAddsFewNarrowSources) {
  const NarrowSumProblem problem = narrow_sum(1, 1 << 24, 1, 512), lines = narrow_sum(100, 1000, 1, 2);
  // A copy and few sources are two launches, lines one.
  NarrowSumProblem copied = problem, copied_lines = lines;
  copied.is_in_place = copied_lines.is_in_place = false;
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    EXPECT_EQ(narrow_sum_form(problem, device), NarrowSumForm::hash_table);
    EXPECT_EQ(narrow_sum_form(copied, device), NarrowSumForm::hash_table);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 1 << 24, 1, 513), device), NarrowSumForm::indexed);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 1 << 24, 1, 512, true), device), NarrowSumForm::indexed);
    EXPECT_EQ(narrow_sum_form(lines, device), NarrowSumForm::hash_table);
    EXPECT_EQ(narrow_sum_form(copied_lines, device), NarrowSumForm::lines);
  }
}

TEST(ScatterPlan, AHashTableHoldsTheSumsOfManyScatteredElements) {
  constexpr std::int64_t size = 1 << 27, least = 128 << 10, most = 2 << 20;
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    for (const std::int64_t sources : {least, most})
      EXPECT_EQ(narrow_sum_form(narrow_sum(1, size, 1, sources), device), NarrowSumForm::hashed);
    for (const std::int64_t sources : {least - 1, most + 1})
      EXPECT_EQ(narrow_sum_form(narrow_sum(1, size, 1, sources), device), NarrowSumForm::indexed);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, size, 1, least, true), device), NarrowSumForm::indexed);
    // All sums fit the cache.
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 8 << 20, 1, least), device), NarrowSumForm::indexed);
    EXPECT_EQ(narrow_sum_form(narrow_sum(1, 16 << 20, 1, 1 << 20), device), NarrowSumForm::all);
  }
  // Elements that share an index share sectors, unless they are hashed.
  NarrowSumProblem pairs = narrow_sum(1, size, 2, least);
  pairs.inner = 2;
  EXPECT_EQ(narrow_sum_form(pairs, hopper), NarrowSumForm::indexed);
}

TEST(ScatterPlan, CpuThreadsHoldNarrowSumsOfLinesThatFit) {
  const auto form = [](std::int64_t size, std::int64_t columns) {
    return narrow_sum_form({1 << 24, 1 << 24, true, true, true, 1, size, columns}, cpu(4));
  };
  EXPECT_EQ(form(1 << 16, 1), NarrowSumForm::lines);
  EXPECT_EQ(form((1 << 16) + 1, 1), NarrowSumForm::all);
  EXPECT_EQ(form(512, 1 << 15), NarrowSumForm::lines);
  EXPECT_EQ(form(513, 1 << 15), NarrowSumForm::all);
  EXPECT_EQ(form(1 << 10, 64), NarrowSumForm::lines);
  EXPECT_EQ(narrow_sum_form({1 << 24, 1 << 24, true, false, true, 1, 16, 1}, cpu(4)), NarrowSumForm::all);
  // A single line is for a single thread.
  EXPECT_EQ(narrow_sum_form({512, 512, true, true, true, 1, 512, 1}, cpu(4)), NarrowSumForm::lines);
  EXPECT_EQ(narrow_sum_form({512, 1 << 24, true, true, true, 1, 512, 1}, cpu(4)), NarrowSumForm::all);
}

TEST(ScatterPlan, NarrowSumsOfCachedLinesAreConvertedAtOnce) {
  EXPECT_EQ(narrow_sum_lines(100, 0), 100);
  EXPECT_EQ(narrow_sum_lines(100, 4 << 20), 100);
  EXPECT_EQ(narrow_sum_lines(100, 100'000'000), 4);
  EXPECT_EQ(narrow_sum_lines(100'000, 100'000'000), 4192);
}

TEST(ScatterPlan, AnySizeHasAValidLaunch) {
  Sizes size;
  SCOPED_TRACE(Sizes::seed);
  for (int i = 0; i < 4000; ++i) {
    const std::int64_t columns = size(1 << 20);
    const ScatterProblem problem{size.flip(), size.flip(), size(1 << 20), columns * size(1 << 20),
                                 size(1 << 30) - 1};
    for (const DeviceTraits& device : devices) {
      const ScatterLinesPlan plan = plan_scatter_lines(problem, {columns, size.flip(), size.flip()}, device);
      ASSERT_TRUE(is_valid(plan.shape) && plan.width >= 1 && plan.parts >= 1)
          << problem.lines << " of " << problem.length << " on " << name_of(device);
    }
  }
}

}  // namespace
}  // namespace kernelgen::test
