// Memory statistics, limits, cached blocks and refused allocations of a device.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <utility>

#include "device/device_state.hpp"
#include "driver/stream_blocks.hpp"
#include "kernelgen/graph.hpp"
#include "kernelgen/tensor.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubGpu;

constexpr std::int64_t megabyte = 1 << 20;

class MemoryTest : public testing::Test {
 protected:
  Device open(const char* name) {
    const std::vector<std::byte> cpu = test::read_file(KERNELGEN_CPU_KERNELS), amd = test::amd_code_object(4);
    const test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, cpu}, {"gfx90a", 1, 64, amd}};
    bytes_ = test::sample_package(targets);
    package_ = Package::from_memory(bytes_);
    return Device::open(name, *package_);
  }
  Device open_stub() {
    ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP, 1);
    stub() = StubGpu();
    return open("hip:0");
  }
  static StubGpu& stub() { return test::stub_state<StubGpu>(KERNELGEN_STUB_HIP, "stub_gpu"); }
  static bool called(const char* function) { return std::ranges::count(stub().calls, function) != 0; }
  static Tensor of(const Device& device, std::int64_t bytes) {
    return Tensor::empty(device, {bytes}, DType::u8);
  }

 private:
  std::vector<std::byte> bytes_;
  std::optional<Package> package_;
};

TEST_F(MemoryTest, IsCounted) {
  const Device device = open("cpu:2");
  const std::size_t before = device.memory_use().in_use;
  {
    const Tensor x = of(device, 3 * megabyte), y = of(device, 2 * megabyte);
    EXPECT_EQ(device.memory_use().in_use - before, 5u * megabyte);
  }
  const MemoryUse use = device.memory_use();
  EXPECT_EQ(use.in_use, before);
  EXPECT_EQ(use.peak - before, 5u * megabyte);
  EXPECT_EQ(use.cached, 5u * megabyte);
  EXPECT_EQ(use.total, device.total_memory());
  EXPECT_GT(use.free, 0u);
  EXPECT_EQ(use.limit, ~std::size_t{0});
  device.reset_peak_memory();
  EXPECT_EQ(device.memory_use().peak, before);
  device.trim_memory();
  EXPECT_EQ(device.memory_use().cached, 0u);
}

TEST_F(MemoryTest, AGraphsIsCountedAsLongAsItIsThere) {
  const Device device = open("cpu:2");
  Graph graph = device.capture([&] { of(device, 3 * megabyte); });
  EXPECT_GE(device.memory_use().in_use, 3u * megabyte);
  graph = {};
  EXPECT_LT(device.memory_use().in_use, 1u * megabyte);
}

TEST_F(MemoryTest, HasALimit) {
  const Device device = open("cpu:2");
  device.set_memory_limit(10 * megabyte);
  const Tensor x = of(device, 6 * megabyte);
  const std::size_t in_use = device.memory_use().in_use;
  expect_error(Code::out_of_memory,
               {"5242880 bytes were requested from", std::to_string(in_use) + " are in use",
                "its limit is set to 10485760"},
               [&] { of(device, 5 * megabyte); });
  EXPECT_EQ(device.memory_use().in_use, in_use);
  of(device, 3 * megabyte);
  device.set_memory_limit(~std::size_t{0});
  of(device, 5 * megabyte);
}

TEST_F(MemoryTest, WhatTheHostCannotHoldSaysWhatThereIs) {
  const Device device = open("cpu:2");
  const std::size_t before = device.memory_use().in_use;
  expect_error(Code::out_of_memory,
               {"cannot allocate 1152921504606846976 bytes", "1152921504606846976 bytes were requested",
                "are in use", "cached", "free"},
               [&] { of(device, std::int64_t{1} << 60); });
  EXPECT_EQ(device.memory_use().in_use, before);
}

TEST_F(MemoryTest, AGpusPoolIsTrimmedAndAskedOnceMore) {
  const Device device = open_stub();
  EXPECT_EQ(device.memory_use().cached, std::size_t{2} << 30);
  stub().failures = {{"hipMallocAsync", 2}};
  stub().fails_until_trimmed = true;
  stub().calls.clear();
  const Tensor x = of(device, 100);
  EXPECT_EQ(stub().calls, (std::vector<std::string>{"hipMallocAsync", "hipDeviceSynchronize",
                                                    "hipMemPoolTrimTo", "hipMallocAsync"}));
  EXPECT_EQ(stub().trimmed_to, 0u);
  const std::size_t in_use = device.memory_use().in_use;
  EXPECT_EQ(in_use, 100u);

  stub().failures = {{"hipMallocAsync", 2}};
  stub().fails_until_trimmed = false;
  expect_error(Code::out_of_memory,
               {"hipMallocAsync: error 2",
                "200 bytes were requested, 100 are in use, 2147483648 cached, 66571993088 free"},
               [&] { of(device, 200); });
  stub().failures.clear();
  EXPECT_EQ(device.memory_use().in_use, in_use);
  of(device, 200);
  device.trim_memory();
}

TEST_F(MemoryTest, AStreamTakesItsFreedBlocksAgain) {
  const Device device = open_stub();
  Driver& driver = state_of(device).driver();
  std::optional<Stream> stream = device.new_stream();
  void* const first = driver.allocate(1000, stream->native());
  driver.free(first, 1000, stream->native());
  stub().calls.clear();
  EXPECT_EQ(driver.allocate(1020, stream->native()), first) << "of the same size class";
  EXPECT_TRUE(stub().calls.empty());
  driver.free(first, 1020, stream->native());
  EXPECT_EQ(driver.cached_memory(), (std::size_t{2} << 30) + 1024);

  // Neither other streams nor other sizes take it, and large blocks are not kept.
  for (const auto& [bytes, where] :
       {std::pair<std::size_t, void*>{1000, nullptr}, {2000, stream->native()}}) {
    void* const other = driver.allocate(bytes, where);
    EXPECT_NE(other, first);
    driver.free(other, bytes, where);
  }
  EXPECT_FALSE(called("hipFreeAsync"));
  driver.free(driver.allocate(2 << 20, nullptr), 2 << 20, nullptr);
  EXPECT_EQ(stub().frees, std::vector<void*>{nullptr});

  // The oldest of more than are kept goes back to the pool, all of them before the stream goes.
  std::vector<void*> many(StreamBlocks::most_blocks - 1);
  for (void*& memory : many) memory = driver.allocate(3000, stream->native());
  stub().frees.clear();
  for (void* const memory : many) driver.free(memory, 3000, stream->native());
  EXPECT_EQ(stub().frees, std::vector<void*>{stream->native()});
  void* const native = stream->native();
  stream.reset();
  EXPECT_EQ(std::count(stub().frees.begin(), stub().frees.end(), native), StreamBlocks::most_blocks + 1);
  driver.trim_memory();
  EXPECT_EQ(driver.cached_memory(), std::size_t{2} << 30);
}

TEST_F(MemoryTest, ARefusedAllocationTakesWhatOtherStreamsKeep) {
  const Device device = open_stub();
  Driver& driver = state_of(device).driver();
  driver.free(driver.allocate(1000, nullptr), 1000, nullptr);
  stub().calls.clear();
  stub().failures = {{"hipMallocAsync", 2}};
  expect_error(Code::out_of_memory, {"hipMallocAsync: error 2"}, [&] { driver.allocate(5000, nullptr); });
  EXPECT_TRUE(called("hipFreeAsync"));
  EXPECT_EQ(std::count(stub().calls.begin(), stub().calls.end(), "hipMallocAsync"), 3);
}

TEST_F(MemoryTest, ComesFromAnAllocatorOfTheProgram) {
  const Device device = open("cpu:2");
  std::vector<std::size_t> asked, freed;
  bool has_any = true;
  Allocator mine;
  mine.allocate = [&](std::size_t bytes, void*) {
    asked.push_back(bytes);
    return has_any ? std::aligned_alloc(64, (bytes + 63) / 64 * 64) : nullptr;
  };
  mine.free = [&](void* memory, std::size_t bytes, void*) {
    freed.push_back(bytes);
    std::free(memory);
  };
  Tensor before = of(device, 100);
  device.set_allocator(mine);
  const std::size_t in_use = device.memory_use().in_use;
  {
    const Tensor x = of(device, 200);
    EXPECT_EQ(device.memory_use().in_use, in_use + 200);
    before = {};
    EXPECT_TRUE(freed.empty()) << "what was there goes back to where it came from";
  }
  EXPECT_EQ(asked, (std::vector<std::size_t>{200}));
  EXPECT_EQ(freed, asked);

  device.set_memory_limit(1000);
  expect_error(Code::out_of_memory, {"its limit is set to 1000"}, [&] { of(device, 2000); });
  EXPECT_EQ(asked.size(), 1u);
  device.set_memory_limit(~std::size_t{0});
  has_any = false;
  expect_error(Code::out_of_memory, {"the program's own allocator has no memory", "300 bytes were requested"},
               [&] { of(device, 300); });
  EXPECT_EQ(asked, (std::vector<std::size_t>{200, 300, 300}));
  has_any = true;
  Tensor last = of(device, 400);
  device.set_allocator({});
  of(device, 500);
  last = {};
  EXPECT_EQ(freed, (std::vector<std::size_t>{200, 400}));
  mine.free = {};
  expect_error(Code::invalid_argument, {"only one of the functions allocate and free"},
               [&] { device.set_allocator(mine); });
}

TEST_F(MemoryTest, OfAnAllocatorIsForAStream) {
  const Device device = open_stub();
  const Stream stream = device.new_stream();
  std::vector<void*> streams;
  device.set_allocator({[&](std::size_t bytes, void* where) {
                          streams.push_back(where);
                          return std::malloc(bytes);
                        },
                        [&](void* memory, std::size_t, void* where) {
                          streams.push_back(where);
                          std::free(memory);
                        }});
  stub().calls.clear();
  {
    const Tensor x = Tensor::empty(device, {100}, DType::u8, stream);
  }
  EXPECT_EQ(streams, (std::vector<void*>{stream.native(), stream.native()}));
  EXPECT_TRUE(stub().calls.empty());
}

TEST_F(MemoryTest, NobodyWaitsForTheDeviceInACapture) {
  const Device device = open_stub();
  const Graph graph = device.capture([&] {
    stub().failures = {{"hipMallocAsync", 2}};
    stub().fails_until_trimmed = true;
    of(device, 100);
  });
  EXPECT_TRUE(stub().violations.empty());
  graph.launch();
}

}  // namespace
}  // namespace kernelgen
