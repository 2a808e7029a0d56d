// Each call of a GPU driver fails once, in turn, during a program: the result is an Error, no driver object leaks, and the
// next device works.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "device/device_state.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/graph.hpp"
#include "kernelgen/transfer.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"

namespace kernelgen {
namespace {

using test::StubGpu;

class GpuFault : public testing::TestWithParam<const char*> {
 protected:
  GpuFault() {
    const bool is_hip = std::string_view(GetParam()) == "hip:1";
    const char* const library = is_hip ? KERNELGEN_STUB_HIP : KERNELGEN_STUB_CUDA;
    ::setenv(is_hip ? "KERNELGEN_HIP_LIBRARY" : "KERNELGEN_CUDA_LIBRARY", library, 1);
    stub_ = &test::stub_state<StubGpu>(library, "stub_gpu");
    code_ = is_hip ? test::amd_code_object(4) : std::vector<std::byte>{};
    if (!is_hip)
      for (const char letter : std::string_view(".version 8.0\n"))
        code_.push_back(static_cast<std::byte>(letter));
    const test::SampleTarget targets[] = {
        {is_hip ? "gfx90a" : "sm_90", is_hip ? 1u : 2u, is_hip ? 64u : 32u, code_}};
    bytes_ = test::sample_package(targets);
    package_ = Package::from_memory(bytes_);
    // The library's own start, which is once a process.
    reset();
    Device::open(GetParam(), package());
  }

  const Package& package() const { return *package_; }
  void reset() const {
    *stub_ = StubGpu();
    stub_->pools = pools_;
  }

  /// Everything that a program asks a driver for.
  void run() const {
    const Device device = Device::open(GetParam(), package());
    const Stream stream = device.new_stream();
    const std::array<float, 4> values{1, 2, 3, 4};
    const Tensor x = Tensor::from_host(device, std::as_bytes(std::span(values)), {4}, DType::f32, stream);
    const Tensor y = Tensor::zeros(device, {4}, DType::f32, stream);
    const std::array<std::byte, 28> arguments{};
    device.launch(device.kernel(0), {{1, 1, 1}, {64, 1, 1}, 60 * 1024}, arguments, stream);
    const Module module = device.load_module(code_, "mine");
    device.launch(module.function("one"), {}, {});
    const Event start = device.record(stream), end = device.record();
    device.wait(stream, end);
    end.synchronize();
    EXPECT_GE(end.milliseconds_since(start), 0);

    Tensor kept = Tensor::zeros(device, {4}, DType::f32);
    Tensor made;
    const auto work = [&] {
      made = Tensor::zeros(device, {4}, DType::f32);
      DeviceState& state = state_of(device);
      const IndexFaults::Call call(state.index_faults(), *state.fault_queue({}));
      state.driver().copy_on_device(made.data(), kept.data(), 16, state.queue({}));
      kept = Tensor::zeros(device, {4}, DType::f32);
    };
    const Graph graph = device.capture(stream, work);
    graph.launch(stream);
    graph.update(work);
    const std::array<std::byte, 8> visits{};
    graph.update([&] { device.launch(device.kernel(1), {}, visits); });
    graph.launch();
    made.to_host(stream);
    EXPECT_GT(device.free_memory(), 0u);
    const Stream urgent = device.new_stream(Priority::high);
    Tensor shared = Tensor::zeros(device, {4}, DType::f32);
    shared.use(urgent, Access::read);
    shared.use(stream, Access::read);
    device.call([] {}, urgent);
    {
      const PinnedMemory memory(device, 32);
      upload(shared, memory, 0, urgent);
      download(memory, shared, 16, urgent);
    }
    const Device other =
        Device::open(std::string(device.location(), 0, device.location().size() - 1) + "0", package());
    to_device(x, other, {stream, other.new_stream()});
    shared = {};
    stream.synchronize();
    device.synchronize();
  }

  std::vector<std::byte> code_, bytes_;
  std::optional<Package> package_;
  StubGpu* stub_ = nullptr;
  bool pools_ = true;
};

INSTANTIATE_TEST_SUITE_P(Devices, GpuFault, testing::Values("hip:1", "cuda:1"), [](const auto& info) {
  return std::string(info.param, std::strchr(info.param, ':'));
});

TEST_P(GpuFault, OfEveryCallInTurn) {
  long faults = 0;
  for (const bool pools : {true, false})
    for (const int status : {1, 2, 700}) {
      pools_ = pools;
      reset();
      run();
      const auto calls = static_cast<long>(stub_->calls.size());
      EXPECT_EQ(stub_->contexts, 0);
      for (long at = 1; at <= calls; ++at) {
        reset();
        stub_->fault_at = at;
        stub_->fault = status;
        std::string told;
        try {
          run();
        } catch (const Error& error) {
          told = error.what();
        }
        const std::string where = "call " + std::to_string(at) + ", " + stub_->faulty + ", error " +
                                  std::to_string(status) + ": " + told;
        EXPECT_TRUE(stub_->handles.empty()) << stub_->handles.size() << " handles are left; " << where;
        EXPECT_TRUE(stub_->captures.empty()) << "a stream is being captured; " << where;
        EXPECT_EQ(stub_->contexts, 0) << where;
        faults += told.empty() ? 0 : 1;
        stub_->fault_at = 0;
        ASSERT_NO_THROW(run()) << "after " << where;
      }
    }
  RecordProperty("errors", std::to_string(faults));
  EXPECT_GT(faults, 100);
}

}  // namespace
}  // namespace kernelgen
