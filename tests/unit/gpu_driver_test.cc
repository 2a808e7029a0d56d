// The GPU driver over a stub of HIP 5: calls, arguments, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "device/device_state.hpp"
#include "kernelgen/device.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubGpu;

StubGpu& stub() {
  static StubGpu& instance = [&]() -> StubGpu& {
    ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP, 1);
    return test::stub_state<StubGpu>(KERNELGEN_STUB_HIP, "stub_gpu");
  }();
  return instance;
}

class GpuDriverTest : public testing::Test {
 protected:
  void SetUp() override { stub() = StubGpu(); }

  static std::vector<std::byte> make_bytes(test::Compressed compressed = test::Compressed::no) {
    const std::vector<std::byte> code = test::amd_code_object(4);
    const test::SampleTarget targets[] = {{"gfx90a", 1, 64, code},
                                          {"gfx1100", 1, 32, test::bytes_of("not used")}};
    return test::sample_package(targets, compressed);
  }

  static bool called(const std::string& name) {
    return std::find(stub().calls.begin(), stub().calls.end(), name) != stub().calls.end();
  }

  const std::vector<std::byte> bytes = make_bytes();
  const Package package = Package::from_memory(bytes);
};

TEST_F(GpuDriverTest, DescribesTheDevice) {
  const Device device = Device::open("hip:0", package);
  EXPECT_EQ(device.kind(), DeviceKind::hip);
  EXPECT_EQ(device.name(), "Stub GPU");
  EXPECT_EQ(device.architecture(), "gfx90a:sramecc+:xnack-");
  EXPECT_EQ(device.target(), "gfx90a");
  EXPECT_EQ(device.wave_size(), 64);
  EXPECT_EQ(device.compute_units(), 104);
  EXPECT_EQ(device.total_memory(), std::size_t{64} << 30);
  // What the driver says is free, and what its pool holds unused.
  EXPECT_EQ(device.free_memory(), std::size_t{62} << 30);
  EXPECT_EQ(Device::count(DeviceKind::hip), 2);
  EXPECT_EQ(state_of(device).threads(), 0);
  expect_error(Code::unsupported, {"no device hip:2", "sees 2 devices"},
               [&] { Device::open("hip:2", package); });
}

TEST_F(GpuDriverTest, SupportsBf16WhereThePackageHasCodeOfItsKernels) {
  const std::vector<std::byte> code = test::amd_code_object(4);
  const auto supports = [&](const test::Argument& argument, std::size_t target) {
    test::SampleTarget targets[] = {{"gfx90a", 1, 64, {}}, {"gfx1100", 1, 32, {}}};
    targets[target].code = code;
    const std::vector<std::byte> bytes = test::kernel_package(targets, argument);
    const Device device = Device::open("hip:0", Package::from_memory(bytes));
    EXPECT_EQ(device.target(), "gfx90a");
    return device.supports_bf16();
  };
  EXPECT_TRUE(supports({"x", "const bf16*", 8, true, false}, 0));
  EXPECT_TRUE(supports({"y", "bf16*", 8, true, true}, 0));
  EXPECT_FALSE(supports({"x", "const bf16*", 8, true, false}, 1)) << "the code is another GPU's";
  EXPECT_FALSE(supports({"x", "const f16*", 8, true, false}, 0));
  EXPECT_FALSE(called("hipModuleLoadData")) << "the answer is the package's, no module is loaded for it";
}

TEST_F(GpuDriverTest, AutoTakesTheFirstGpuWithKernels) {
  EXPECT_EQ(Device::open("auto", package).location(), "hip:0");
}

TEST_F(GpuDriverTest, AutoPassesOverGpusWithoutKernels) {
  const std::vector<std::byte> code = test::amd_code_object(4);
  const test::SampleTarget targets[] = {{"gfx1100", 1, 32, code}, {"cpu-x86-64", 0, 1, code}};
  const std::vector<std::byte> other = test::sample_package(targets);
  EXPECT_EQ(Device::open("auto", Package::from_memory(other)).location(), "cpu");
}

TEST_F(GpuDriverTest, NeedsATargetForItsArchitecture) {
  stub().architecture = "gfx1103";
  expect_error(Code::unsupported, {"gfx1103", "gfx11-generic", "kernel-gen build --target gfx1103"},
               [&] { Device::open("hip:0", package); });
}

TEST_F(GpuDriverTest, RefusesPropertiesOfAnotherLayout) {
  stub().architecture = "\x05";
  expect_error(Code::device, {"hipGetDeviceProperties", "no architecture"},
               [&] { Device::open("hip:0", package); });
}

TEST_F(GpuDriverTest, LaunchesWithArgumentsShapeAndStream) {
  const Device device = Device::open("hip:1", package);
  const Stream stream = device.new_stream();
  EXPECT_NE(stream.native(), nullptr);
  std::vector<std::byte> arguments(28);
  for (std::size_t i = 0; i < arguments.size(); ++i) arguments[i] = static_cast<std::byte>(i);
  device.launch(device.kernel(*package.find_kernel("kg_scale_f32")), {{4, 3, 2}, {256, 1, 1}, 1024},
                arguments, stream);
  ASSERT_EQ(stub().launches.size(), 1u);
  const StubGpu::Launch& launch = stub().launches[0];
  EXPECT_EQ(launch.function, "kg_scale_f32");
  EXPECT_EQ(launch.grid, (std::vector<std::uint32_t>{4, 3, 2}));
  EXPECT_EQ(launch.block, (std::vector<std::uint32_t>{256, 1, 1}));
  EXPECT_EQ(launch.shared_bytes, 1024u);
  EXPECT_EQ(launch.stream, stream.native());
  EXPECT_EQ(launch.arguments, arguments);
  EXPECT_EQ(launch.current, 1u);
  // Whoever had chosen device 0 on this thread finds it again.
  EXPECT_EQ(stub().current, 0u);
}

TEST_F(GpuDriverTest, LaunchesNothingThatIsNotTheKernels) {
  const Device device = Device::open("hip:1", package);
  const std::vector<std::byte> arguments(28);
  expect_error(Code::invalid_argument, {"launch of kg_scale_f32 on hip:1: a block of 512 x 1 x 1 threads"},
               [&] { device.launch(device.kernel(0), {{1, 1, 1}, {512, 1, 1}, 0}, arguments); });
  expect_error(Code::invalid_argument,
               {"launch of kg_scale_f32 on hip:1: the kernel's arguments are 28 bytes, those given 3"},
               [&] { device.launch(device.kernel(0), {}, std::span(arguments).first(3)); });
  EXPECT_TRUE(stub().launches.empty());
}

TEST_F(GpuDriverTest, TheHotPathMakesOneCall) {
  const Device device = Device::open("hip:0", package);
  const Function function = device.kernel(0);
  const std::vector<std::byte> arguments(28);
  stub().calls.clear();
  device.launch(device.kernel(0), {}, arguments);
  EXPECT_EQ(device.kernel(0).handle, function.handle);
  EXPECT_EQ(stub().calls, std::vector<std::string>{"hipModuleLaunchKernel"});
  EXPECT_EQ(stub().launches[0].arguments, arguments);
}

TEST_F(GpuDriverTest, MemoryComesFromThePool) {
  const Device device = Device::open("hip:0", package);
  EXPECT_EQ(stub().pool_threshold, ~std::uint64_t{0});
  Driver& driver = state_of(device).driver();
  EXPECT_EQ(driver.allocate(0, nullptr), nullptr);
  driver.free(nullptr, 0, nullptr);
  void* memory = driver.allocate(16, nullptr);
  const std::vector<std::uint8_t> host = {1, 2, 3, 4};
  std::vector<std::uint8_t> back(4);
  driver.copy_to_device(memory, host.data(), 4, nullptr);
  driver.copy_on_device(static_cast<std::byte*>(memory) + 4, memory, 4, nullptr);
  driver.copy_to_host(back.data(), static_cast<std::byte*>(memory) + 4, 4, nullptr);
  EXPECT_EQ(back, host);
  driver.fill(memory, 9, 16, nullptr);
  EXPECT_EQ(*static_cast<std::uint8_t*>(memory), 9);
  driver.free(memory, 16, nullptr);
  EXPECT_TRUE(called("hipMallocAsync"));
  EXPECT_FALSE(called("hipMalloc"));
  EXPECT_FALSE(called("hipStreamSynchronize"));
}

TEST_F(GpuDriverTest, WithoutAPoolBlocksAreKeptAndNobodyWaits) {
  stub().pools = false;
  const Device device = Device::open("hip:0", package);
  Driver& driver = state_of(device).driver();
  stub().events_are_reached = false;
  void* const first = driver.allocate(1000, nullptr);
  driver.free(first, 1000, nullptr);
  EXPECT_EQ(device.memory_use().cached, 1024u);
  EXPECT_EQ(driver.allocate(1020, nullptr), first) << "in the same stream at once, of the same size class";
  driver.free(first, 1020, nullptr);
  const Stream stream = device.new_stream();
  void* const second = driver.allocate(1000, stream.native());
  EXPECT_NE(second, first) << "work before the free may still use it";
  driver.trim_memory();
  EXPECT_FALSE(called("hipFree"));
  stub().events_are_reached = true;
  EXPECT_EQ(driver.allocate(1000, stream.native()), first);
  driver.free(first, 1000, stream.native());
  driver.free(second, 1000, stream.native());
  EXPECT_EQ(device.free_memory(), (std::size_t{60} << 30) + 2048);
  EXPECT_TRUE(called("hipMalloc"));
  for (const char* call : {"hipMallocAsync", "hipFree", "hipStreamSynchronize", "hipDeviceSynchronize"})
    EXPECT_FALSE(called(call)) << call;
  driver.trim_memory();
  EXPECT_EQ(std::count(stub().calls.begin(), stub().calls.end(), "hipFree"), 2);
  EXPECT_EQ(device.memory_use().cached, 0u);
}

TEST_F(GpuDriverTest, WithoutAPoolNothingIsReusedWhileACaptureForbidsToAsk) {
  stub().pools = false;
  const Device device = Device::open("hip:0", package);
  Driver& driver = state_of(device).driver();
  void* const first = driver.allocate(1000, nullptr);
  driver.free(first, 1000, nullptr);
  const Stream stream = device.new_stream();
  for (const int status : {900, 908}) {
    stub().failures = {{"hipEventQuery", status}};
    void* const other = driver.allocate(1000, stream.native());
    EXPECT_NE(other, first) << "work before the free may still use it";
    driver.free(other, 1000, stream.native());
  }
  stub().failures.clear();
}

TEST_F(GpuDriverTest, WithoutAPoolAStreamThatIsGoneLeavesNoShortWay) {
  stub().pools = false;
  const Device device = Device::open("hip:0", package);
  Driver& driver = state_of(device).driver();
  stub().events_are_reached = false;
  void* const stream = driver.create_stream(Priority::normal);
  void* const memory = driver.allocate(100, stream);
  driver.free(memory, 100, stream);
  driver.destroy_stream(stream);
  // The handle of another stream now, perhaps.
  void* const other = driver.allocate(100, stream);
  EXPECT_NE(other, memory);
  driver.free(other, 100, nullptr);
}

TEST_F(GpuDriverTest, WithoutAPoolARefusedBlockIsAskedForOnceMore) {
  stub().pools = false;
  const Device device = Device::open("hip:0", package);
  Driver& driver = state_of(device).driver();
  driver.free(driver.allocate(5000, nullptr), 5000, nullptr);
  stub().failures = {{"hipMalloc", 2}};
  stub().calls.clear();
  expect_error(Code::out_of_memory,
               {"hipMalloc: error 2", "100 bytes were requested, 0 are in use, 0 cached"},
               [&] { driver.allocate(100, nullptr); });
  EXPECT_TRUE(called("hipFree")) << "what was kept is given up";
  stub().failures.clear();
  driver.free(driver.allocate(100, nullptr), 100, nullptr);
}

TEST_F(GpuDriverTest, WithoutAPoolABlockThatCannotBeMarkedIsGivenBack) {
  stub().pools = false;
  const Device device = Device::open("hip:0", package);
  Driver& driver = state_of(device).driver();
  void* const memory = driver.allocate(100, nullptr);
  stub().failures = {{"hipEventRecord", 700}};
  driver.free(memory, 100, nullptr);
  EXPECT_TRUE(called("hipFree"));
}

TEST_F(GpuDriverTest, ErrorsNameTheCallAndWhatTheDriverSays) {
  const Device device = Device::open("hip:0", package);
  Driver& driver = state_of(device).driver();
  stub().failures = {{"hipMallocAsync", 2},
                     {"hipModuleLaunchKernel", 1},
                     {"hipDeviceSynchronize", 1},
                     {"hipEventRecord", 1},
                     {"hipFreeAsync", 1}};
  expect_error(Code::out_of_memory,
               {"hipMallocAsync", "error 2", "hipErrorOutOfMemory", "123 bytes", "hip:0"},
               [&] { driver.allocate(123, nullptr); });
  expect_error(
      Code::device, {"hipModuleLaunchKernel", "hipErrorInvalidValue", "grid 1 x 1 x 1, block 64 x 1 x 1"},
      [&] { device.launch(device.kernel(0), {{1, 1, 1}, {64, 1, 1}, 0}, std::vector<std::byte>(28)); });
  expect_error(Code::device, {"hipDeviceSynchronize: error 1"}, [&] { device.synchronize(); });
  expect_error(Code::device, {"hipEventRecord"}, [&] { device.record(); });
  EXPECT_TRUE(called("hipEventDestroy"));
}

TEST_F(GpuDriverTest, NoDeviceBehindTheLibraryIsUnsupported) {
  stub().devices = 0;
  EXPECT_EQ(Device::count(DeviceKind::hip), 0);
  expect_error(Code::unsupported,
               {"no device hip:0", "sees 0 devices; is the amdgpu kernel driver loaded", "/dev/kfd"},
               [&] { Device::open("hip:0", package); });
  ::setenv("HIP_VISIBLE_DEVICES", "-1", 1);
  expect_error(Code::unsupported, {"sees 0 devices", "; HIP_VISIBLE_DEVICES is \"-1\""},
               [&] { Device::open("hip:0", package); });
  ::unsetenv("HIP_VISIBLE_DEVICES");
}

TEST_F(GpuDriverTest, NoDeviceIsAMatterOfTheEnvironmentToo) {
  ::setenv("HIP_VISIBLE_DEVICES", "0,1", 1);
  ::setenv("ROCR_VISIBLE_DEVICES", "", 1);
  expect_error(Code::unsupported,
               {"no device hip:2", "sees 2 devices", "; ROCR_VISIBLE_DEVICES is \"\"",
                ", HIP_VISIBLE_DEVICES is \"0,1\""},
               [&] { Device::open("hip:2", package); });
  ::unsetenv("HIP_VISIBLE_DEVICES");
  ::unsetenv("ROCR_VISIBLE_DEVICES");
  const std::string text =
      expect_error(Code::unsupported, {"no device hip:2"}, [&] { Device::open("hip:2", package); });
  EXPECT_EQ(text.find("VISIBLE"), std::string::npos) << text;
}

TEST_F(GpuDriverTest, ExplainsWhyAModuleDoesNotLoad) {
  const Device device = Device::open("hip:0", package);
  expect_error(Code::device,
               {"module mine", "hip:0 (gfx90a:sramecc+:xnack-)", "error 303, hipErrorSharedObjectInitFailed;",
                "version, 5, is newer", "reads, 4", "-mcode-object-version=4"},
               [&] { device.load_module(test::amd_code_object(5), "mine"); });
  stub().hip_version = 507;  // has texts, and reads version 5
  device.load_module(test::amd_code_object(5), "mine");
  expect_error(Code::device,
               {"error 303, hipErrorSharedObjectInitFailed (shared object initialization failed)",
                "version, 6, is newer", "reads, 5", "-mcode-object-version=5"},
               [&] { device.load_module(test::amd_code_object(6), "mine"); });
  stub().failures = {{"hipModuleLoadData", 209}};
  expect_error(Code::device, {"hipErrorNoBinaryForGpu", "another architecture than the device's, gfx90a"},
               [&] { device.load_module(test::amd_code_object(4), "mine"); });
  ::setenv("HSA_OVERRIDE_GFX_VERSION", "9.0.10", 1);
  expect_error(Code::device,
               {"another architecture than the device's", "HSA_OVERRIDE_GFX_VERSION is \"9.0.10\""},
               [&] { device.load_module(test::amd_code_object(4), "mine"); });
  ::unsetenv("HSA_OVERRIDE_GFX_VERSION");
}

TEST_F(GpuDriverTest, ADamagedModuleDoesNotReachTheDriver) {
  const Device device = Device::open("hip:0", package);
  std::vector<std::byte> code = test::amd_code_object(4);
  code.resize(code.size() - 1);
  stub().calls.clear();
  expect_error(Code::bad_package, {"module mine on hip:0", "truncated"},
               [&] { device.load_module(code, "mine"); });
  expect_error(Code::bad_package, {"it is empty"}, [&] { device.load_module({}, "mine"); });
  EXPECT_FALSE(called("hipModuleLoadData"));
}

TEST_F(GpuDriverTest, ModulesAreLoadedOnceAndUnloaded) {
  {
    const Device device = Device::open("hip:0", package);
    const std::vector<std::byte> code = test::amd_code_object(4);
    {
      const Module first = device.load_module(code), second = device.load_module(code);
      EXPECT_EQ(std::count(stub().calls.begin(), stub().calls.end(), "hipModuleLoadData"), 1);
      expect_error(Code::not_found, {"missing_one"}, [&] { first.function("missing_one"); });
    }
    EXPECT_TRUE(called("hipModuleUnload"));
    stub().calls.clear();
    device.kernel(0);
    device.kernel(1);
    EXPECT_EQ(std::count(stub().calls.begin(), stub().calls.end(), "hipModuleLoadData"), 1);
    EXPECT_FALSE(called("hipModuleUnload"));
  }
  EXPECT_TRUE(called("hipModuleUnload"));
}

TEST_F(GpuDriverTest, CodeStaysWhereHipReadsItLater) {
  const std::vector<std::byte> compressed = make_bytes(test::Compressed::yes);
  const Device device = Device::open("hip:0", Package::from_memory(compressed));
  device.kernel(0);
  device.kernel(1);
  std::vector<std::byte> code = test::amd_code_object(4);
  const Module module = device.load_module(code);
  std::fill(code.begin(), code.end(), std::byte{});
  module.function("late");
}

TEST_F(GpuDriverTest, StreamsAndEvents) {
  const Device device = Device::open("hip:0", package);
  {
    const Stream stream = device.new_stream();
    const Event start = device.record(stream), end = device.record(stream);
    device.wait({}, end);
    end.synchronize();
    stream.synchronize();
    EXPECT_EQ(end.milliseconds_since(start), 1.5);
  }
  for (const char* call : {"hipStreamWaitEvent", "hipEventSynchronize", "hipStreamSynchronize",
                           "hipEventDestroy", "hipStreamDestroy"})
    EXPECT_TRUE(called(call)) << call;
}

}  // namespace
}  // namespace kernelgen
