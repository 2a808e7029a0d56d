// Launch plans of attention: form, number of blocks, splits of the keys.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "kernelgen/ops.hpp"
#include "plan/abi.hpp"
#include "plan/attention.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/operation_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"

namespace kernelgen {
namespace {

using test::StubGpu;

constexpr std::uint32_t shape_bytes = sizeof(kg::AttentionShape);
constexpr std::uint32_t operands = 12 * 8, call_bytes = operands + shape_bytes + 3 * 8,
                        combine_bytes = 4 * 8 + shape_bytes;
constexpr std::string_view inputs[] = {"q", "k", "v"};
constexpr test::SampleForm rows[] = {{"simt", call_bytes}, {"small", call_bytes}, {"combine", combine_bytes}};
constexpr test::SampleForm tiles[] = {
    {"w64", call_bytes, 8192},  {"w128", call_bytes, 8192},  {"w256", call_bytes, 320},  // without a unit
    {"w64_rows64", call_bytes}, {"w128_rows64", call_bytes}, {"w256_rows64", call_bytes}};
constexpr std::string_view input[] = {"x"};
constexpr std::uint32_t one_walk = sizeof(kg::Strided<1>), two_walks = sizeof(kg::Strided<2>);
constexpr test::SampleForm copies[] = {{"contiguous", 24},
                                       {"strided", 16 + one_walk},
                                       {"tiled", 16 + sizeof(kg::Tiles<1>)},
                                       {"scatter", 16 + two_walks}},
                           fills[] = {{"contiguous", 18}, {"strided", 8 + one_walk + 2}};
constexpr test::SampleOperation operations[] = {
    {"attention", inputs, rows},         {"attention_f8", inputs, rows}, {"attention_mma", inputs, tiles},
    {"attention_mma_f8", inputs, tiles}, {"copy", input, copies},        {"fill", {}, fills}};

class AttentionLaunch : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
    gpu = StubGpu();
    bytes_ = test::operation_package({"sm_90", 2, 32, test::bytes_of("cubin")}, operations);
    device = Device::open("cuda:0", Package::from_memory(bytes_));
  }

  Tensor empty(const Shape& shape, DType dtype) const { return Tensor::empty(device, shape, dtype); }

  /// Launches of a call.
  const std::vector<StubGpu::Launch>& attend(const Shape& q, const Shape& k, DType dtype, DType kv_dtype,
                                             const AttentionOptions& options = {}) {
    gpu.launches.clear();
    const Tensor keys = empty(k, kv_dtype);
    attention(empty(q, dtype), keys, keys, options);
    return gpu.launches;
  }

  static kg::AttentionShape shape_of(const StubGpu::Launch& launch) {
    kg::AttentionShape shape;
    std::memcpy(&shape, launch.arguments.data() + operands, sizeof shape);
    return shape;
  }

  StubGpu& gpu = test::stub_state<StubGpu>(KERNELGEN_STUB_CUDA, "stub_gpu");
  Device device;

 private:
  std::vector<std::byte> bytes_;
};

TEST_F(AttentionLaunch, ManyOfTheWidestRowsGoByTilesOf128) {
  const auto& launches = attend({8, 32, 512, 200}, {8, 32, 4096, 200}, DType::f16, DType::f16);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].function, "attention_mma_w256");
  EXPECT_EQ(launches[0].block[0], kg::attention_warpgroup_threads);
  EXPECT_EQ(launches[0].shared_bytes, kg::attention_warpgroup_shared_bytes(2));
  const kg::AttentionShape shape = shape_of(launches[0]);
  EXPECT_EQ(shape.splits, 1u);
  EXPECT_EQ(launches[0].grid[0], 8u * 32 * 512 / kg::attention_mma_rows);
  EXPECT_EQ(shape.tiles.count, launches[0].grid[0]);
}

TEST_F(AttentionLaunch, ManyRowsOf16BitsGoByTilesOf64) {
  for (const auto [width, padded] : {std::array{40, 64}, {64, 64}, {72, 128}, {128, 128}, {256, 256}}) {
    const auto& launches = attend({8, 32, 129, width}, {8, 32, 129, width}, DType::f16, DType::f16);
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].function, "attention_mma_w" + std::to_string(padded) + "_rows64");
    EXPECT_EQ(launches[0].block[0], kg::attention_rows64_threads);
    EXPECT_EQ(launches[0].shared_bytes, kg::attention_rows64_shared_bytes(static_cast<unsigned>(padded), 2));
    EXPECT_EQ(launches[0].grid[0], 8u * 32 * 3);
    EXPECT_EQ(shape_of(launches[0]).tiles.count, launches[0].grid[0]);
  }
}

TEST_F(AttentionLaunch, ManyRowsOfF32GoByTilesOfSingleWaves) {
  const auto& launches = attend({8, 32, 512, 128}, {8, 32, 512, 128}, DType::f32, DType::f32);
  EXPECT_EQ(launches[0].function, "attention_mma_w128");
  EXPECT_EQ(launches[0].block[0], kg::attention_mma_threads(128, 4, true));
  EXPECT_EQ(launches[0].shared_bytes, kg::attention_shared_bytes(128, 4));
}

TEST_F(AttentionLaunch, BriefCallsTakeABlockOrAWaveARow) {
  const unsigned waves = kg::block_threads / static_cast<unsigned>(device.wave_size());
  EXPECT_EQ(attend({2, 3, 5, 64}, {2, 3, 32, 64}, DType::f32, DType::f32)[0].grid[0], 30u);
  EXPECT_EQ(gpu.launches[0].function, "attention_small");
  // A wave has these keys at once.
  EXPECT_EQ(attend({2, 3, 5, 64}, {2, 3, 4, 64}, DType::f32, DType::f32)[0].grid[0],
            (30 + waves - 1) / waves);
  EXPECT_EQ(gpu.launches[0].function, "attention_small");
  EXPECT_EQ(gpu.launches[0].block[0], kg::block_threads);
  EXPECT_EQ(attend({1, 2, 37, 64}, {1, 2, 9, 64}, DType::f16, DType::f8e4m3)[0].function,
            "attention_f8_small");
  // Blocks share the many keys of few rows.
  const auto& shared = attend({1, 2, 1, 64}, {1, 2, 999, 64}, DType::f32, DType::f32);
  EXPECT_EQ(shared[0].function, "attention_small");
  EXPECT_GT(shared[0].grid[0], 2u);
  EXPECT_EQ(shared[1].function, "attention_combine");
  EXPECT_EQ(attend({9, 32, 99, 64}, {9, 32, 32, 64}, DType::f32, DType::f32)[0].function,
            "attention_mma_w64");
}

TEST_F(AttentionLaunch, FewRowsGoByRows) {
  EXPECT_EQ(attend({8, 32, 15, 64}, {8, 32, 512, 64}, DType::f32, DType::f32)[0].function, "attention_simt");
  EXPECT_EQ(attend({99, 32, 15, 64}, {99, 32, 512, 64}, DType::bf16, DType::f8e4m3)[0].function,
            "attention_f8_simt");
  // Heads that share their keys count together.
  EXPECT_EQ(attend({99, 32, 4, 64}, {99, 8, 512, 64}, DType::bf16, DType::f8e4m3)[0].function,
            "attention_mma_f8_w64");
}

TEST_F(AttentionLaunch, WarpgroupsTakeSingleRowsToo) {
  EXPECT_EQ(attend({99, 32, 1, 64}, {99, 32, 4096, 64}, DType::f16, DType::f16)[0].function,
            "attention_mma_w64_rows64");
}

/// Rows of f32 go to the kernels of the keys' dtype as they are.
TEST_F(AttentionLaunch, F32RowsOver16BitKeysAreOneLaunch) {
  for (const std::int64_t queries : {1, 512}) {
    const auto& launches = attend({99, 32, queries, 64}, {99, 32, 4096, 64}, DType::f32, DType::f16);
    ASSERT_EQ(launches.size(), 1u);
    EXPECT_EQ(launches[0].function, "attention_mma_w64_rows64");
    EXPECT_EQ(launches[0].block[0], kg::attention_rows64_threads);
    EXPECT_EQ(shape_of(launches[0]).f32_rows, 1u);
  }
  EXPECT_EQ(shape_of(attend({8, 32, 1, 64}, {8, 32, 512, 64}, DType::f16, DType::f16)[0]).f32_rows, 0u);
  EXPECT_EQ(shape_of(attend({8, 32, 1, 64}, {8, 32, 512, 64}, DType::f32, DType::f32)[0]).f32_rows, 0u);
}

/// Keys of another type are converted on their way, which warpgroups have no place for.
TEST_F(AttentionLaunch, KeysOf8BitsGoByWaves) {
  const auto& launches = attend({8, 32, 512, 128}, {8, 32, 512, 128}, DType::f16, DType::f8e4m3);
  EXPECT_EQ(launches[0].function, "attention_mma_f8_w128");
  EXPECT_EQ(launches[0].block[0], kg::attention_mma_threads(128, 2, true));
  EXPECT_EQ(launches[0].shared_bytes, kg::attention_shared_bytes(128, 2));
}

TEST(AttentionLaunchOnHip, TilesWithoutKeysInSharedMemoryAreNotCalled) {
  ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP, 1);
  StubGpu& gpu = test::stub_state<StubGpu>(KERNELGEN_STUB_HIP, "stub_gpu");
  gpu = StubGpu();
  const std::vector<std::byte> code = test::amd_code_object(4);
  const std::vector<std::byte> bytes = test::operation_package({"gfx90a", 1, 64, code}, operations);
  const Device device = Device::open("hip:0", Package::from_memory(bytes));
  for (const std::int64_t width : {128, 256}) {
    const Tensor x = Tensor::empty(device, {1, 2, 650, width}, DType::f16);
    attention(x, x, x);
  }
  // Few tiles split their keys.
  ASSERT_EQ(gpu.launches.size(), 3u);
  EXPECT_EQ(gpu.launches[0].function, "attention_mma_w128");
  EXPECT_EQ(gpu.launches[0].shared_bytes, 0u);
  EXPECT_EQ(gpu.launches[1].function, "attention_combine");
  EXPECT_EQ(gpu.launches[2].function, "attention_simt");
}

/// Rows of 20 become rows of 24, with zeros, and the result loses them again.
TEST_F(AttentionLaunch, TilesAreGivenCopiesInWholePacks) {
  const auto& launches = attend({2, 4, 650, 20}, {2, 4, 650, 20}, DType::f16, DType::f16);
  std::vector<std::string> functions;
  for (const StubGpu::Launch& launch : launches) functions.push_back(launch.function);
  const std::vector<std::string> expected{"fill_strided",
                                          "copy_scatter",
                                          "fill_strided",
                                          "copy_scatter",
                                          "fill_strided",
                                          "copy_scatter",
                                          "attention_mma_w64_rows64",
                                          "copy_strided"};
  ASSERT_EQ(functions, expected);
  const kg::AttentionShape shape = shape_of(launches[6]);
  EXPECT_EQ(shape.width, 24u);
  EXPECT_EQ(shape.q.row, 24);
  EXPECT_EQ(shape.y.head, 650 * 24);
}

/// All of a cache is copied only where most of it is read.
TEST_F(AttentionLaunch, OfALargeCacheNoCopyIsMade) {
  gpu.launches.clear();
  const Tensor pages = empty({2, 9}, DType::u32);
  const Tensor q = empty({2, 4, 64, 20}, DType::f16), cache = empty({90, 4, 8, 20}, DType::f16);
  attention(q, cache, cache, {.block_table = &pages});
  ASSERT_EQ(gpu.launches.size(), 1u);
  EXPECT_EQ(gpu.launches[0].function, "attention_simt");
}

/// Of a cache of 8 k rows: enough blocks for the GPU, each with keys, and their sum.
TEST_F(AttentionLaunch, DecodingIsCutIntoSplits) {
  for (const std::int64_t kv_heads : {8, 4, 1}) {
    const auto& launches = attend({1, 32, 1, 128}, {1, kv_heads, 8192, 128}, DType::f16, DType::f16);
    ASSERT_EQ(launches.size(), 2u) << kv_heads;
    const kg::AttentionShape shape = shape_of(launches[0]);
    EXPECT_GT(shape.splits, 1u);
    EXPECT_LE(shape.splits * kg::attention_split_keys, 8192u);
    EXPECT_GE(launches[0].grid[0], 15u);  // of 16 compute units
    EXPECT_EQ(launches[0].grid[0], kv_heads * shape.splits);
    EXPECT_EQ(launches[1].function, "attention_combine");
    EXPECT_EQ(launches[1].grid[0], 32 * 128 / kg::block_threads);
  }
}

/// A window leaves few keys to share, a batch enough blocks.
TEST_F(AttentionLaunch, WhatNeedsNoSplitsHasNone) {
  EXPECT_EQ(
      attend({1, 32, 1, 128}, {1, 8, 8192, 128}, DType::f16, DType::f16, {.causal = true, .window_left = 100})
          .size(),
      1u);
  EXPECT_EQ(attend({99, 32, 1, 64}, {99, 8, 1024, 64}, DType::f16, DType::f16).size(), 1u);
  EXPECT_EQ(attend({1, 32, 1, 64}, {1, 8, 100, 64}, DType::f16, DType::f16).size(), 1u);
}

TEST_F(AttentionLaunch, StridesAreOfViews) {
  gpu.launches.clear();
  const Tensor x = empty({2, 6, 4, 16}, DType::f16), rows_first = x.transpose(1, 2);
  const Tensor pages = empty({2, 3}, DType::u32), lengths = empty({2}, DType::i32);
  attention(rows_first, rows_first, rows_first, {.scale = 0.5, .causal = true, .soft_cap = 3});
  const kg::AttentionShape shape = shape_of(gpu.launches.at(0));
  EXPECT_EQ(shape.heads, 4u);
  EXPECT_EQ(shape.queries, 6u);
  EXPECT_EQ(shape.q.batch, 384);
  EXPECT_EQ(shape.q.head, 16);
  EXPECT_EQ(shape.k.row, 64);
  EXPECT_EQ(shape.y.head, 96);
  EXPECT_EQ(shape.window_right, 0);
  EXPECT_EQ(shape.window_left, 0x7fffffff);
  EXPECT_EQ(shape.scale, 0.5f);
  EXPECT_EQ(shape.soft_cap, 3);
  EXPECT_EQ(shape.page_rows, 0u);
  attention(rows_first, empty({5, 2, 8, 16}, DType::f16), empty({5, 2, 8, 16}, DType::f16),
            {.key_lengths = &lengths, .block_table = &pages});
  const kg::AttentionShape paged = shape_of(gpu.launches.at(1));
  EXPECT_EQ(paged.group, 2u);
  EXPECT_EQ(paged.keys, 24u);
  EXPECT_EQ(paged.page_rows, 8u);
  EXPECT_EQ(paged.pages_each, 3u);
  EXPECT_EQ(paged.page_count, 5u);
  EXPECT_EQ(paged.k.batch, 256);
}

}  // namespace
}  // namespace kernelgen
