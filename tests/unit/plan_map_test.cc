// Launch plans of element-wise operations, transposes and images.
#include "plan/grid.hpp"
#include "plan/image_plan.hpp"
#include "plan/map_plan.hpp"
#include "plan_devices.hpp"

namespace kernelgen::test {
namespace {

TEST(MapPlan, ThreadsTakeSeveralElementsOnceTheGpuIsFull) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const std::int64_t full = device.resident_threads();
    EXPECT_EQ(threads_of(strided_map_grid(full, 8, device)), full);
    EXPECT_EQ(threads_of(strided_map_grid(full * 2, 8, device)), full / 4);
    EXPECT_EQ(threads_of(map_grid(full * 2, 4, 2, 2, device)), full / 4);
  }
}

/// The more operands, the more threads a pack saves.
TEST(MapPlan, ThreadsTakePacksOfContiguousElementsUnlessThereAreFew) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const std::int64_t few = device.per_unit(256);
    EXPECT_EQ(threads_of(map_grid(few, 8, 1, 2, device)), few);
    EXPECT_EQ(threads_of(map_grid(few * 2, 8, 1, 2, device)), few / 4);
    EXPECT_EQ(threads_of(map_grid(few * 2, 8, 1, 3, device)), few / 4);
    EXPECT_LT(threads_of(map_grid(few, 8, 1, 3, device)), few);
    EXPECT_EQ(threads_of(map_grid(few / 4, 8, 1, 3, device)), few / 4);
  }
}

TEST(MapPlan, ThreadsWithOnePackInFlightTakeTwoOnceTheGpuIsFull) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const std::int64_t full = device.resident_threads();
    EXPECT_EQ(threads_of(map_grid(full * 8, 8, 1, 1, device)), full);
    EXPECT_EQ(threads_of(map_grid(full * 16, 8, 1, 1, device)), full);
    EXPECT_EQ(threads_of(map_grid(full * 32, 8, 1, 1, device)), full * 2);
  }
}

TEST(MapPlan, CpuThreadsAreWokenForManyElements) {
  EXPECT_EQ(blocks_of(element_grid(256 * 1024, 1, cpu(8))), 16);
  EXPECT_EQ(blocks_of(element_grid(256 * 1024, 1, cpu(8, false))), 1);
  EXPECT_EQ(blocks_of(element_grid(256 * 1024 + 1, 1, cpu(8, false))), 17);
  EXPECT_EQ(blocks_of(element_grid(1ll << 40, 1, cpu(8))), 32);
  EXPECT_EQ(blocks_of(element_grid(1ll << 40, 1, cpu(1))), 1);
}

TEST(MapPlan, TilesMayHaveGapsOnceTheGpuIsFull) {
  for (const DeviceTraits& device : gpus) {
    EXPECT_EQ(tile_gap(device.resident_threads() - 1, 4, device), 0);
    EXPECT_EQ(tile_gap(device.resident_threads(), 4, device), 8);
  }
  EXPECT_EQ(tile_gap(1ll << 40, 4, cpu(4)), 1);
}

TEST(MapPlan, LargeTransposedInputsAreCopiedFirst) {
  const UnorderedInput transposed{1 << 22, 2, false, true, 512, 4096, 4096};
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    EXPECT_TRUE(is_worth_copying(transposed, device));
    UnorderedInput other = transposed;
    other.elements = (1 << 20) - 1;
    EXPECT_FALSE(is_worth_copying(other, device));
    other = transposed;
    other.bytes = 8;
    EXPECT_FALSE(is_worth_copying(other, device));
    // Neighbours that are near in the result too, and those that no tile has.
    for (const std::int64_t distance : {1023, 0}) {
      other = transposed;
      other.distance = distance;
      EXPECT_FALSE(is_worth_copying(other, device));
    }
  }
}

TEST(MapPlan, CpusCopyTheOnlyInputOfLongRows) {
  UnorderedInput strided{16 * 1024, 4, true, true, 256, 3, 0};
  EXPECT_TRUE(is_worth_copying(strided, cpu(4)));
  for (const auto change :
       {+[](UnorderedInput& input) { input.is_alone = false; },
        +[](UnorderedInput& input) { input.has_result_type = false; },
        +[](UnorderedInput& input) { input.row = 255; }, +[](UnorderedInput& input) { input.step = 1; },
        +[](UnorderedInput& input) { --input.elements; }}) {
    UnorderedInput other = strided;
    change(other);
    EXPECT_FALSE(is_worth_copying(other, cpu(4)));
  }
  strided.has_result_type = false;
  strided.distance = 1;
  EXPECT_TRUE(is_worth_copying(strided, cpu(4)));
}

TEST(MapPlan, NoElementsAndHugeSizesHaveAValidLaunch) {
  for (const DeviceTraits& device : devices)
    for (const std::int64_t elements : {0ll, 1ll, 1ll << 20, 1ll << 50}) {
      SCOPED_TRACE(name_of(device));
      EXPECT_TRUE(is_valid(map_grid(elements, 8, 1, 1, device))) << elements;
      EXPECT_TRUE(is_valid(element_grid(elements, 1, device))) << elements;
      EXPECT_TRUE(is_valid(tile_grid(elements, elements / 4096, device))) << elements;
    }
}

kg::ImagePiece image(unsigned planes, unsigned rows, unsigned columns) {
  kg::ImagePiece piece{};
  piece.columns.extent = columns;
  piece.rows.extent = rows;
  piece.elements = planes * rows * columns;
  return piece;
}

/// 64 planes of 256 x 256: a million patches of one row, which fill any of these GPUs.
TEST(ImagePlan, PatchesHaveSeveralRowsOnceTheGpuIsFull) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const PatchPlan plan = plan_patches(image(64, 256, 256), {4, 8, 1}, device);
    EXPECT_EQ(plan.across, 64u);
    EXPECT_EQ(plan.down, 256 / plan.rows);
    EXPECT_GE(std::int64_t{plan.across} * plan.down * 64, device.resident_threads());
  }
  EXPECT_EQ(plan_patches(image(64, 256, 256), {4, 8, 1}, apu).rows, 8u);
  EXPECT_EQ(plan_patches(image(64, 256, 256), {4, 8, 1}, hopper).rows, 2u);
  EXPECT_EQ(plan_patches(image(1, 4, 4), {4, 8, 1}, apu).rows, 1u);
}

TEST(ImagePlan, PatchesComputedAtOnceHaveOneRowOrAll) {
  const PatchSides sides{1, 4, 1, true};
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    EXPECT_EQ(plan_patches(image(1 << 20, 3, 8), sides, device).rows, 1u);
    EXPECT_EQ(plan_patches(image(1 << 20, 4, 8), sides, device).rows, 4u);
    const auto lines = static_cast<unsigned>(device.resident_threads() / 256);
    EXPECT_EQ(plan_patches(image(1, 3 * lines, 256), sides, device).rows, 1u);
  }
}

TEST(ImagePlan, UpsamplingSplitsRowsThatNoPackFitsOnCuda) {
  for (const DeviceTraits& device : gpus) {
    SCOPED_TRACE(name_of(device));
    const auto sides = [&](std::int64_t width, bool is_nearest = true) {
      return upsampling_patches(width, 2, is_nearest, device);
    };
    EXPECT_EQ(sides(10).gpu_columns, device.kind == DeviceKind::cuda ? 1u : 8u);
    EXPECT_EQ(sides(10, false).gpu_columns, 8u);
    EXPECT_EQ(sides(16).gpu_columns, 8u);
    EXPECT_EQ(sides(2).gpu_columns, 8u);
    EXPECT_EQ(sides(16).gpu_rows, kg::most_patch_rows);
    EXPECT_EQ(sides(8).gpu_rows, 1u);
  }
}

TEST(ImagePlan, CpuThreadsTakeSixteenPatchesEach) {
  EXPECT_EQ(plan_patches(image(8, 256, 256), {4, 8, 256}, cpu(4)).rows, 32u);
  EXPECT_EQ(plan_patches(image(1, 1, 1), {4, 8, 256}, cpu(4)).rows, 1u);
}

}  // namespace
}  // namespace kernelgen::test
