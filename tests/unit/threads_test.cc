// Eight threads use two devices as programs do; for `cmake --preset tsan`, but it passes in every build.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "kernelgen/graph.hpp"
#include "kernelgen/tensor.hpp"
#include "support/sample_package.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen {
namespace {

struct ScaleArguments {
  const void* x;
  void* y;
  std::uint64_t n;
  float factor;
};

constexpr std::int64_t elements = 1000;

/// What one thread does in its turn; whether all was right.
bool work_on(const Device& device, const Tensor& shared, std::span<const std::byte> code, int turn) {
  const Stream stream = device.new_stream();
  const std::vector<float> values(elements, static_cast<float>(turn));
  const Tensor x =
      Tensor::from_host(device, std::as_bytes(std::span(values)), {elements}, DType::f32, stream);
  const Tensor y = Tensor::zeros(device, {elements}, DType::f32, stream);
  const auto scale = [&](Function kernel, float factor) {
    const ScaleArguments arguments{x.data(), y.data(), elements, factor};
    device.launch(kernel, {{8, 1, 1}, {1, 1, 1}, 0}, std::as_bytes(std::span(&arguments, 1)), stream);
  };
  const auto is_all = [&](float expected) {
    const std::vector<std::byte> bytes = y.to_host(stream);
    std::vector<float> got(elements);
    std::memcpy(got.data(), bytes.data(), bytes.size());
    return got == std::vector<float>(elements, expected);
  };
  const auto value = static_cast<float>(turn);
  bool right = true;
  scale(device.kernel(0), 2);
  right = right && is_all(2 * value);
  const Module module = device.load_module(code);
  scale(module.function("kg_scale_f32"), 3);
  right = right && is_all(3 * value);
  const Graph graph = device.capture(stream, [&] { scale(device.kernel(0), 4); });
  graph.launch(stream);
  right = right && is_all(4 * value);
  graph.update([&] {
    const Tensor scratch = Tensor::zeros(device, {elements}, DType::f32, stream);
    scale(device.kernel(0), 5);
  });
  const Event event = device.record(stream);
  graph.launch(stream);
  device.wait({}, event);
  event.synchronize();
  right = right && is_all(5 * value);
  shared.use(stream, turn % 5 == 0 ? Access::write : Access::read);
  shared.use({}, Access::read);
  std::atomic<int> called{0};
  device.call([&] { ++called; }, device.thread_stream());
  right = right && called == 1;
  device.set_seed(static_cast<std::uint64_t>(turn));
  device.synchronize();
  return right && device.free_memory() > 0 && Device::open(device.location(), device.package()) == device;
}

TEST(Threads, EightOnTwoDevices) {
  const std::vector<std::byte> code = test::read_file(KERNELGEN_CPU_KERNELS);
  const test::SampleTarget targets[] = {{"cpu-x86-64", 0, 1, code}};
  const std::vector<std::byte> bytes = test::sample_package(targets);
  const Package package = Package::from_memory(bytes);
  const std::array<Device, 2> devices{Device::open("cpu:2", package), Device::open("cpu:3", package)};
  std::array<Tensor, 2> shared;
  for (std::size_t i = 0; i < 2; ++i) shared[i] = Tensor::zeros(devices[i], {4}, DType::f32);
  std::atomic<int> launches{0}, wrong{0};
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([&, number] {
      for (int turn = 0; turn < 20; ++turn) {
        if (number == 0) devices[0].on_launch([&](const LaunchInfo&) { ++launches; });
        const std::size_t which = static_cast<std::size_t>(number + turn) % 2;
        if (!work_on(devices.at(which), shared.at(which), code, number + turn)) ++wrong;
        if (number == 0) devices[0].on_launch({});
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(launches, 0);
}

}  // namespace
}  // namespace kernelgen
