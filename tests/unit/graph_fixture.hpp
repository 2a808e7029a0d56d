#pragma once
#include "kernelgen/graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "device/device_state.hpp"
#include "kernelgen/tensor.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::test {

struct ScaleArguments {
  const void* x;
  void* y;
  std::uint64_t n;
  float factor;
};

inline StubGpu& stub_of(const char* variable, const char* library) {
  ::setenv(variable, library, 1);
  return stub_state<StubGpu>(library, "stub_gpu");
}

/// A device of the CPU, or over a stub of HIP or CUDA, on which work is captured.
class GraphTest : public testing::TestWithParam<const char*> {
 protected:
  GraphTest() {
    const std::vector<std::byte> cpu = read_file(KERNELGEN_CPU_KERNELS), amd = amd_code_object(4);
    const SampleTarget targets[] = {
        {"cpu-x86-64", 0, 1, cpu}, {"gfx90a", 1, 64, amd}, {"sm_90", 2, 32, bytes_of(".version 8.0\n")}};
    bytes_ = sample_package(targets);
    package_ = Package::from_memory(bytes_);
    if (on("hip")) stub_ = &stub_of("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP);
    if (on("cuda")) stub_ = &stub_of("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
    if (stub_ != nullptr) *stub_ = StubGpu();
    device = Device::open(GetParam(), *package_);
  }
  ~GraphTest() override {
    if (stub_ == nullptr) return;
    EXPECT_EQ(stub_->violations, std::vector<std::string>{});
    device = {};
    EXPECT_TRUE(stub_->handles.empty()) << stub_->handles.size() << " handles of the driver are left";
  }

  static bool on(const char* kind) { return std::string_view(GetParam()).starts_with(kind); }
  static std::string name_of_call(const char* hip, const char* cuda) { return on("hip") ? hip : cuda; }
  std::ptrdiff_t calls(const char* hip, const char* cuda) const {
    return stub_ == nullptr ? 0
                            : std::count(stub_->calls.begin(), stub_->calls.end(), name_of_call(hip, cuda));
  }

  Tensor tensor(std::vector<float> values) const {
    return Tensor::from_host(device, std::as_bytes(std::span(values)),
                             {static_cast<std::int64_t>(values.size())}, DType::f32);
  }
  static std::vector<float> values(const Tensor& tensor, const Stream& stream = {}) {
    const std::vector<std::byte> bytes = tensor.to_host(stream);
    std::vector<float> result(bytes.size() / sizeof(float));
    std::memcpy(result.data(), bytes.data(), bytes.size());
    return result;
  }
  /// y = factor x, by a kernel, which a stub notes but does not run.
  void scale(const Tensor& x, const Tensor& y, float factor, const Stream& stream = {}) const {
    const ScaleArguments arguments{x.data(), y.data(), static_cast<std::uint64_t>(x.elements()), factor};
    device.launch(device.kernel(0), {}, std::as_bytes(std::span(&arguments, 1)), stream);
  }
  /// By the driver itself, which a stub does.
  void copy(const Tensor& x, const Tensor& y, const Stream& stream = {}) const {
    DeviceState& state = state_of(device);
    state.driver().copy_on_device(y.data(), x.data(), x.storage()->bytes(), state.queue(stream));
  }

  Device device;
  StubGpu* stub_ = nullptr;

 private:
  std::vector<std::byte> bytes_;
  std::optional<Package> package_;
};

/// The part of a device's name that tests are called by.
inline std::string kind_of(const testing::TestParamInfo<const char*>& info) {
  const std::string_view name = info.param;
  return std::string(name.substr(0, name.find(':')));
}

}  // namespace kernelgen::test
