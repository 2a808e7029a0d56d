#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernelgen/device.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::test {

/// A device, named by the test's parameter, of the CPU, or over a stub of HIP or CUDA, of which nothing is left when it is
/// closed.
class DeviceFixture : public testing::TestWithParam<const char*> {
 protected:
  DeviceFixture() {
    const std::vector<std::byte> cpu = read_file(KERNELGEN_CPU_KERNELS), amd = amd_code_object(4);
    const SampleTarget targets[] = {
        {"cpu-x86-64", 0, 1, cpu}, {"gfx90a", 1, 64, amd}, {"sm_90", 2, 32, bytes_of(".version 8.0\n")}};
    bytes_ = sample_package(targets);
    package_ = Package::from_memory(bytes_);
    if (on("hip")) use_stub("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP);
    if (on("cuda")) use_stub("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
    device = Device::open(GetParam(), *package_);
  }
  ~DeviceFixture() override {
    device = {};
    if (stub_ != nullptr) {
      EXPECT_TRUE(stub_->handles.empty()) << stub_->handles.size() << " handles of the driver are left";
    }
  }

  static bool on(const char* kind) { return std::string_view(GetParam()).starts_with(kind); }
  /// What the test's driver calls it.
  static std::string call(const char* hip, const char* cuda) { return on("hip") ? hip : cuda; }

  Device device;
  StubGpu* stub_ = nullptr;

 private:
  void use_stub(const char* variable, const char* library) {
    ::setenv(variable, library, 1);
    stub_ = &stub_state<StubGpu>(library, "stub_gpu");
    *stub_ = StubGpu();
  }

  std::vector<std::byte> bytes_;
  std::optional<Package> package_;
};

/// Names a test by its device's kind.
inline std::string kind_of(const testing::TestParamInfo<const char*>& info) {
  const std::string_view name = info.param;
  return std::string(name.substr(0, name.find(':')));
}

}  // namespace kernelgen::test
