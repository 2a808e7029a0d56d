// The CPU driver: memory, modules, launches.
#include "driver/cpu_driver.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <cstring>
#include <numeric>
#include <vector>

#include "support/expect_error.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen {
namespace {

using test::expect_error;

struct ScaleArguments {
  const float* x;
  float* y;
  std::uint64_t n;
  float factor;
};

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

std::vector<std::byte> cpu_kernels() { return test::read_file(KERNELGEN_CPU_KERNELS); }

TEST(HostMemory, IsAlignedAndWritable) {
  HostMemory memory(std::size_t{1} << 30);
  EXPECT_EQ(memory.allocate(0), nullptr);
  memory.free(nullptr, 0);
  for (const std::size_t bytes :
       {1ul, 63ul, 64ul, 4097ul, (1ul << 20) - 1, 1ul << 20, (1ul << 20) + 1, 33ul << 20}) {
    void* block = memory.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 64, 0u);
    std::memset(block, 0xa5, bytes);
    memory.free(block, bytes);
  }
}

TEST(HostMemory, KeepsBigBlocksUpToItsLimit) {
  constexpr std::size_t megabyte = std::size_t{1} << 20;
  HostMemory memory(10 * megabyte);
  void* first = memory.allocate(8 * megabyte);
  memory.free(first, 8 * megabyte);
  EXPECT_EQ(memory.cached(), 8 * megabyte);
  // Nearly the same size is of the same class.
  EXPECT_EQ(memory.allocate(8 * megabyte - 100), first);
  EXPECT_EQ(memory.cached(), 0u);
  void* second = memory.allocate(4 * megabyte);
  memory.free(first, 8 * megabyte - 100);
  memory.free(second, 4 * megabyte);
  EXPECT_EQ(memory.cached(), 8 * megabyte);
}

TEST(HostMemory, CostsNoPageFaultsOnceItIsKept) {
  HostMemory memory(std::size_t{1} << 30);
  const auto round = [&] {
    for (const std::size_t bytes : {16ul << 10, 100ul << 10, 600ul << 10, 3ul << 20, 20ul << 20}) {
      void* const blocks[] = {memory.allocate(bytes), memory.allocate(bytes)};
      for (void* block : blocks) std::memset(block, 1, bytes);
      for (void* block : blocks) memory.free(block, bytes);
    }
  };
  const auto faults = [] {
    rusage use{};
    ::getrusage(RUSAGE_THREAD, &use);
    return use.ru_minflt;
  };
  round();
  const long before = faults();
  for (int i = 0; i < 20; ++i) round();
  // A page of 4 KiB each would be 250,000.
  EXPECT_LT(faults() - before, 100);
}

TEST(HostMemory, SaysWhenThereIsNone) {
  HostMemory memory(0);
  expect_error(Code::out_of_memory, {"18446744073709551615 bytes"},
               [&] { memory.allocate(~std::size_t{0}); });
  expect_error(Code::out_of_memory, {"bytes of host memory"}, [&] { memory.allocate(std::size_t{1} << 60); });
}

TEST(CpuDriver, DescribesTheHost) {
  CpuDriver driver(3);
  EXPECT_EQ(driver.threads(), 3);
  EXPECT_EQ(driver.info().compute_units, 3);
  EXPECT_EQ(driver.info().wave_size, 1);
  EXPECT_FALSE(driver.info().name.empty());
  EXPECT_GT(driver.free_memory(), 0u);
  EXPECT_GE(driver.info().total_memory, driver.free_memory());
  EXPECT_GE(CpuDriver(0).threads(), 1);
}

TEST(CpuDriver, CopiesAndFills) {
  CpuDriver driver(2);
  for (const std::size_t bytes : {0ul, 1ul, 1000ul, (1ul << 20) + 12345, 5ul << 20}) {
    std::vector<std::uint8_t> host(bytes), back(bytes);
    std::iota(host.begin(), host.end(), std::uint8_t{1});
    void* a = driver.allocate(bytes, nullptr);
    void* b = driver.allocate(bytes, nullptr);
    driver.copy_to_device(a, host.data(), bytes, nullptr);
    driver.copy_on_device(b, a, bytes, nullptr);
    driver.copy_to_host(back.data(), b, bytes, nullptr);
    EXPECT_EQ(back, host);
    driver.fill(b, 7, bytes, nullptr);
    driver.copy_to_host(back.data(), b, bytes, nullptr);
    EXPECT_EQ(back, std::vector<std::uint8_t>(bytes, 7));
    driver.free(a, bytes, nullptr);
    driver.free(b, bytes, nullptr);
  }
}

TEST(CpuDriver, LaunchesOverAllBlocks) {
  CpuDriver driver(2);
  void* module = driver.load_module(cpu_kernels(), "test");
  void* visit = driver.find_function(module, "kg_visit");
  ASSERT_NE(visit, nullptr);
  for (const LaunchShape& shape :
       {LaunchShape{{1, 1, 1}, {256, 1, 1}, 0}, LaunchShape{{1000, 1, 1}, {1, 1, 1}, 0},
        LaunchShape{{7, 5, 3}, {1, 1, 1}, 0}, LaunchShape{{1, 1, 65}, {1, 1, 1}, 0}}) {
    std::vector<std::uint32_t> visits(shape.grid[0] * shape.grid[1] * shape.grid[2]);
    std::uint32_t* argument = visits.data();
    driver.launch(visit, shape, bytes_of(argument), nullptr);
    EXPECT_EQ(visits, std::vector<std::uint32_t>(visits.size(), 1));
  }
  EXPECT_EQ(driver.find_function(module, "kg_no_such_kernel"), nullptr);
  std::uint32_t* nowhere = nullptr;
  expect_error(Code::invalid_argument, {"more than can be counted"}, [&] {
    driver.launch(visit, {{0x80000000u, 0x80000000u, 4}, {1, 1, 1}, 0}, bytes_of(nowhere), nullptr);
  });
  driver.unload_module(module);
}

TEST(CpuDriver, TakesArgumentsAtAnyAddress) {
  CpuDriver driver(1);
  void* module = driver.load_module(cpu_kernels(), "test");
  void* scale = driver.find_function(module, "kg_scale_f32");
  const std::vector<float> x = {1, 2, 3};
  std::vector<float> y(3);
  const ScaleArguments arguments{x.data(), y.data(), 3, 2.0f};
  std::vector<std::byte> shifted(sizeof arguments + 1);
  std::memcpy(shifted.data() + 1, &arguments, sizeof arguments);
  driver.launch(scale, {}, std::span<const std::byte>(shifted).subspan(1), nullptr);
  EXPECT_EQ(y, (std::vector<float>{2, 4, 6}));
  driver.unload_module(module);
}

TEST(CpuDriver, LoadsManyModulesAtOnce) {
  // Each is loaded separately, although the loader identifies objects by the numbers of their files.
  CpuDriver driver(1);
  const std::vector<std::byte> code = cpu_kernels();
  std::vector<void*> modules, functions;
  for (int i = 0; i < 8; ++i) {
    modules.push_back(driver.load_module(code, "test"));
    functions.push_back(driver.find_function(modules.back(), "kg_visit"));
    for (int k = 0; k < i; ++k) EXPECT_NE(functions[i], functions[k]);
  }
  for (void* module : modules) driver.unload_module(module);
}

TEST(CpuDriver, SaysWhyCodeDoesNotLoad) {
  CpuDriver driver(1);
  const std::vector<std::byte> garbage(100, std::byte{'x'});
  expect_error(Code::device, {"module broken (100 bytes)", "invalid ELF header"},
               [&] { driver.load_module(garbage, "broken"); });
}

TEST(CpuDriver, EventsCountTime) {
  CpuDriver driver(1);
  void* start = driver.record_event(nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  void* end = driver.record_event(nullptr);
  EXPECT_GE(driver.milliseconds_between(start, end), 2.0);
  driver.destroy_event(start);
  driver.destroy_event(end);
}

}  // namespace
}  // namespace kernelgen
