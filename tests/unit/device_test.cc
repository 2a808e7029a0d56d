// Device, Stream, Event and Module over the CPU driver.
#include "kernelgen/device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <thread>

#include "device/device_name.hpp"
#include "device/device_state.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
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

class DeviceTest : public testing::Test {
 protected:
  static std::vector<std::byte> make_bytes() {
    const std::vector<std::byte> code = test::read_file(KERNELGEN_CPU_KERNELS);
    const test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, code}};
    return test::sample_package(targets);
  }

  const std::vector<std::byte> bytes = make_bytes();
  const Package package = Package::from_memory(bytes);
};

void scale_on(const Device& device, Function function, const Stream& stream = {}) {
  const std::vector<float> x = {1, -2, 3.5f};
  std::vector<float> y(3);
  const ScaleArguments arguments{x.data(), y.data(), 3, 2.0f};
  device.launch(function, {{2, 1, 1}, {1, 1, 1}, 0}, std::as_bytes(std::span(&arguments, 1)), stream);
  EXPECT_EQ(y, (std::vector<float>{2, -4, 7}));
}

TEST(DeviceName, Forms) {
  EXPECT_EQ(parse_device_name("cpu").threads, 0);
  EXPECT_EQ(parse_device_name("cpu:3").threads, 3);
  EXPECT_EQ(parse_device_name("hip:0").kind, DeviceKind::hip);
  EXPECT_EQ(parse_device_name("cuda:12").ordinal, 12);
  EXPECT_EQ(parse_device_name("simulated:gfx942").kind, DeviceKind::hip);
  EXPECT_EQ(parse_device_name("simulated:gfx942").processor, "gfx942");
  EXPECT_EQ(to_string(parse_device_name("simulated:gfx942")), "simulated:gfx942");
  for (const char* name : {"",       "cpu:",   "cpu:0",      "cpu:-1",      "cpu:x",
                           "cpu:1x", "cpu: 1", "cpu:+1",     "cpu:1 ",      "hip",
                           "hip:",   "hip:-1", "simulated:", "simulated:0", "cuda:99999",
                           "gpu:0",  "CPU",    "auto",       "hip:0:1",     "cpu:99999999999999999999"})
    expect_error(Code::not_found, {"no device is called", "cpu:N"}, [&] { parse_device_name(name); });
}

TEST_F(DeviceTest, SupportsBf16WhereThePackageHasCodeOfItsKernels) {
  const std::vector<std::byte> code = test::read_file(KERNELGEN_CPU_KERNELS);
  // Its module has code for the CPU or for another device alone.
  const auto supports = [&](const test::Argument& argument, std::size_t target) {
    test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, {}}, {"gfx90a", 1, 64, {}}};
    targets[target].code = code;
    const std::vector<std::byte> bytes = test::kernel_package(targets, argument);
    return Device::open("cpu:1", Package::from_memory(bytes)).supports_bf16();
  };
  EXPECT_TRUE(supports({"x", "const bf16*", 8, true, false}, 0));
  EXPECT_TRUE(supports({"y", "bf16*", 8, true, true}, 0));
  EXPECT_FALSE(supports({"x", "const bf16*", 8, true, false}, 1));
  EXPECT_FALSE(supports({"x", "const f32*", 8, true, false}, 0));
  EXPECT_FALSE(supports({"x", "const f16*", 8, true, false}, 0));
}

TEST_F(DeviceTest, DescribesItself) {
  const Device device = Device::open("cpu:2", package);
  EXPECT_TRUE(device);
  EXPECT_EQ(device.kind(), DeviceKind::cpu);
  EXPECT_EQ(device.ordinal(), 0);
  EXPECT_EQ(device.location(), "cpu:2");
  EXPECT_EQ(device.target(), "cpu-x86-64");
  EXPECT_TRUE(device.architecture().starts_with("x86-64"));
  EXPECT_EQ(device.wave_size(), 1);
  EXPECT_EQ(device.compute_units(), 2);
  EXPECT_EQ(state_of(device).threads(), 2);
  EXPECT_EQ(device.package(), package);
  EXPECT_GT(device.total_memory(), 0u);
  EXPECT_FALSE(device.name().empty());
  EXPECT_FALSE(Device());
  EXPECT_EQ(Device::count(DeviceKind::cpu), 1);
}

TEST_F(DeviceTest, TheSameNameIsTheSameDevice) {
  const Device a = Device::open("cpu", package);
  const Device b = Device::open("cpu", package);
  EXPECT_EQ(a, b);
  EXPECT_EQ(a.id(), b.id());
  EXPECT_FALSE(Device::open("cpu:2", package) == a);
  const Device two = Device::open("cpu:02", package);
  EXPECT_EQ(two, Device::open("cpu:2", package));
  EXPECT_EQ(two.location(), "cpu:2");
  const Package other = Package::from_memory(bytes);
  const Device c = Device::open("cpu", other);
  EXPECT_FALSE(c == a);
  EXPECT_NE(c.id(), a.id());
}

TEST_F(DeviceTest, IdsAreNotUsedAgain) {
  const std::uint64_t first = Device::open("cpu", package).id();
  EXPECT_NE(Device::open("cpu", package).id(), first);
}

TEST_F(DeviceTest, AutoIsTheCpuWithoutCodeForAGpu) {
  EXPECT_EQ(Device::open("auto", package).location(), "cpu");
}

TEST_F(DeviceTest, NeedsATargetForItsArchitecture) {
  const test::SampleTarget targets[] = {{"gfx90a", 1, 64, test::bytes_of("code")}};
  const std::vector<std::byte> other = test::sample_package(targets);
  expect_error(Code::unsupported, {"no kernels for cpu", "the package holds gfx90a"},
               [&] { Device::open("cpu", Package::from_memory(other)); });
}

TEST_F(DeviceTest, LaunchesKernelsById) {
  const Device device = Device::open("cpu:2", package);
  const Function function = device.kernel(*package.find_kernel("kg_scale_f32"));
  EXPECT_EQ(device.kernel(*package.find_kernel("kg_scale_f32")).handle, function.handle);
  scale_on(device, function);
  scale_on(device, function, device.new_stream());
}

TEST_F(DeviceTest, IdsCountOnFromPackageToPackage) {
  const std::vector<std::byte> code = test::read_file(KERNELGEN_CPU_KERNELS);
  const test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, code}};
  const std::vector<std::byte> visiting = test::kernel_package(targets, test::visit_arguments[0]);
  const std::vector<Package> packages = {Package::from_memory(visiting), package};
  const Device device = Device::open("cpu:2", packages);
  EXPECT_EQ(device, Device::open("cpu:2", packages));
  EXPECT_NE(device, Device::open("cpu:2", std::vector<Package>{packages[1], packages[0]}));
  EXPECT_NE(device, Device::open("cpu:2", packages[0]));
  EXPECT_EQ(device.package(), packages[0]);
  ASSERT_EQ(device.packages().size(), 2u);
  EXPECT_EQ(device.packages()[1], package);
  EXPECT_EQ(device.find_kernel("kernel"), 0u);
  const std::uint32_t scale = device.find_kernel("kg_scale_f32");
  EXPECT_EQ(scale, 1 + *package.find_kernel("kg_scale_f32"));
  scale_on(device, device.kernel(scale));
  EXPECT_EQ(device.module_use().loads, 1u);
  expect_error(Code::unsupported, {"no code of module absent"},
               [&] { device.kernel(device.find_kernel("kg_absent")); });
  expect_error(Code::invalid_argument, {"kernel id 5 on cpu:2: its packages have 5 kernels"},
               [&] { device.kernel(5); });
  expect_error(Code::invalid_argument, {"open cpu:2: no package is given"},
               [] { Device::open("cpu:2", std::span<const Package>()); });
  const test::SampleTarget gpu[] = {{"gfx90a", 1, 64, code}};
  const std::vector<std::byte> foreign = test::sample_package(gpu);
  const std::vector<Package> without_code = {package, Package::from_memory(foreign)};
  expect_error(Code::unsupported, {"no kernels for cpu:2", "the package holds gfx90a"},
               [&] { Device::open("cpu:2", without_code); });
  EXPECT_EQ(Device::open("auto", without_code.front()).location(), "cpu");
}

TEST_F(DeviceTest, AQueueThatWaitedForItselfGoesWithTheDevice) {
  std::weak_ptr<Timeline> queue;
  {
    const Device device = Device::open("cpu:7", package);
    queue = state_of(device).stream_order().default_queue();
    device.wait({}, device.record());
  }
  EXPECT_TRUE(queue.expired());
}

TEST_F(DeviceTest, LaunchesKernelsOfCompressedCode) {
  const std::vector<std::byte> code = test::read_file(KERNELGEN_CPU_KERNELS);
  const test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, code}};
  const std::vector<std::byte> compressed = test::sample_package(targets, test::Compressed::yes);
  EXPECT_LT(compressed.size(), bytes.size());
  const Device device = Device::open("cpu:2", Package::from_memory(compressed));
  scale_on(device, device.kernel(0));
}

TEST_F(DeviceTest, OneFunctionForManyThreads) {
  const Device device = Device::open("cpu:2", package);
  std::vector<void*> handles(8);
  std::vector<std::thread> threads;
  for (void*& handle : handles) threads.emplace_back([&] { handle = device.kernel(1).handle; });
  for (std::thread& thread : threads) thread.join();
  for (void* handle : handles) EXPECT_EQ(handle, handles[0]);
}

TEST_F(DeviceTest, SaysWhichKernelIsMissing) {
  const Device device = Device::open("cpu", package);
  expect_error(Code::invalid_argument, {"kernel id 4 on cpu", "has 4 kernels"}, [&] { device.kernel(4); });
  expect_error(Code::invalid_argument, {"kernel id 4294967295"}, [&] { device.kernel(KERNELGEN_NO_KERNEL); });
  expect_error(Code::unsupported, {"kg_absent on cpu", "no code of module absent for cpu-x86-64"},
               [&] { device.kernel(*package.find_kernel("kg_absent")); });
  expect_error(Code::bad_package, {"module scale", "has no kernel missing_kernel"},
               [&] { device.kernel(*package.find_kernel("missing_kernel")); });
  expect_error(Code::bad_package, {"missing_kernel"}, [&] { device.preload(); });
}

TEST_F(DeviceTest, RefusesLaunchesThatRunNothing) {
  const Device device = Device::open("cpu", package);
  const Function function = device.kernel(0);
  expect_error(Code::invalid_argument, {"launch on cpu", "0 x 1 x 1"},
               [&] { device.launch(function, {{0, 1, 1}}, {}); });
  expect_error(Code::invalid_argument, {"1 x 0 x 1 threads"},
               [&] { device.launch(function, {{1, 1, 1}, {1, 0, 1}, 0}, {}); });
  expect_error(Code::invalid_argument, {"the function is empty"}, [&] { device.launch({}, {}, {}); });
}

/// A CPU's kernel runs the threads of the block that it was built for, so half of a larger one was left out.
TEST_F(DeviceTest, RefusesBlocksLargerThanTheKernels) {
  const Device device = Device::open("cpu", package);
  const Function function = device.kernel(*package.find_kernel("kg_scale_f32"));
  const std::uint32_t most = package.kernels()[*package.find_kernel("kg_scale_f32")].block;
  const ScaleArguments arguments{nullptr, nullptr, 0, 1};
  const auto launch = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    device.launch(function, {{1, 1, 1}, {x, y, z}, 0}, std::as_bytes(std::span(&arguments, 1)));
  };
  launch(most, 1, 1);
  launch(1, most / 4, 4);
  for (const auto& [x, y, z] : {std::array{2 * most, 1u, 1u},
                                {most, 2u, 1u},
                                {1u, most, 2u},
                                {most + 1, 1u, 1u},
                                {~0u, ~0u, ~0u},
                                {1u << 16, 1u << 16, 1u}})
    expect_error(Code::invalid_argument,
                 {"launch of kg_scale_f32 on cpu: a block of " + std::to_string(x),
                  "larger than the kernel is compiled for, " + std::to_string(most)},
                 [&] { launch(x, y, z); });
}

/// A package's kernel read past three bytes of arguments.
TEST_F(DeviceTest, RefusesArgumentsOfAnotherSize) {
  const Device device = Device::open("cpu", package);
  const Function function = device.kernel(*package.find_kernel("kg_scale_f32"));
  const std::vector<std::byte> arguments(64);
  const auto launch = [&](std::size_t bytes) {
    device.launch(function, {}, std::span(arguments).first(bytes));
  };
  for (const std::size_t padded : {28, 32, 35}) launch(padded);
  for (const std::size_t wrong : {0, 3, 27, 36, 64})
    expect_error(Code::invalid_argument,
                 {"launch of kg_scale_f32 on cpu: the kernel's arguments are 28 bytes, those given " +
                  std::to_string(wrong)},
                 [&] { launch(wrong); });
}

TEST_F(DeviceTest, CustomModulesAreSharedByContent) {
  const Device device = Device::open("cpu", package);
  const std::vector<std::byte> code = test::read_file(KERNELGEN_CPU_KERNELS);
  const Module first = device.load_module(code, "mine");
  const Module second = device.load_module(code, "another name");
  EXPECT_EQ(first.function("kg_visit").handle, second.function("kg_visit").handle);
  scale_on(device, first.function("kg_scale_f32"));
  expect_error(Code::not_found, {"module mine on cpu has no kernel kg_nothing"},
               [&] { first.function("kg_nothing"); });
  std::vector<std::byte> changed = code;
  changed.push_back(std::byte{0});
  EXPECT_NE(device.load_module(changed).function("kg_visit").handle, first.function("kg_visit").handle);
}

TEST_F(DeviceTest, AModuleOutlivesItsDevice) {
  Device device = Device::open("cpu", package);
  const Module module = device.load_module(test::read_file(KERNELGEN_CPU_KERNELS));
  const Stream stream = device.new_stream();
  device = Device();
  EXPECT_NE(module.function("kg_visit").handle, nullptr);
  stream.synchronize();
}

TEST_F(DeviceTest, StreamsAndEvents) {
  const Device device = Device::open("cpu", package);
  const Stream stream = device.new_stream();
  EXPECT_EQ(stream.native(), nullptr);
  const Event start = device.record(stream);
  const Event end = device.record();
  device.wait(stream, end);
  end.synchronize();
  stream.synchronize();
  device.synchronize();
  EXPECT_GE(end.milliseconds_since(start), 0.0);
  expect_error(Code::invalid_argument, {"Device::synchronize"}, [] { Stream().synchronize(); });
}

TEST_F(DeviceTest, RefusesStreamsAndEventsOfAnotherDevice) {
  const Device one = Device::open("cpu:1", package);
  const Device two = Device::open("cpu:2", package);
  const Stream foreign = two.new_stream();
  const Event event = two.record();
  expect_error(Code::invalid_argument, {"a stream of cpu:2", "cpu:1"}, [&] { one.record(foreign); });
  expect_error(Code::invalid_argument, {"a stream of cpu:2"}, [&] { one.wait(foreign, event); });
  expect_error(Code::invalid_argument, {"an event of cpu:2"}, [&] { one.wait({}, event); });
  expect_error(Code::invalid_argument, {"a stream of cpu:2"},
               [&] { one.launch(one.kernel(0), {}, {}, foreign); });
  expect_error(Code::invalid_argument, {"an event of"}, [&] { one.record().milliseconds_since(event); });
}

}  // namespace
}  // namespace kernelgen
