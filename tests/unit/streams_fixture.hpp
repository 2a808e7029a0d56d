#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/device_state.hpp"
#include "kernelgen/graph.hpp"
#include "kernelgen/tensor.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/sample_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::test {

/// A device, named by the test's parameter, and what its driver was asked.
class StreamsTest : public testing::TestWithParam<const char*> {
 protected:
  StreamsTest() {
    const std::vector<std::byte> cpu = read_file(KERNELGEN_CPU_KERNELS), amd = amd_code_object(4);
    const SampleTarget targets[] = {
        {"cpu-x86-64", 0, 1, cpu}, {"gfx90a", 1, 64, amd}, {"sm_90", 2, 32, bytes_of(".version 8.0\n")}};
    bytes_ = sample_package(targets);
    package_ = Package::from_memory(bytes_);
    if (on("hip")) use_stub("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP);
    if (on("cuda")) use_stub("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA);
    device = Device::open(GetParam(), *package_);
  }
  ~StreamsTest() override {
    device = {};
    if (stub_ != nullptr) {
      EXPECT_TRUE(stub_->handles.empty()) << stub_->handles.size() << " handles of the driver are left";
    }
  }

  static bool on(const char* kind) { return std::string_view(GetParam()).starts_with(kind); }
  static std::string call(const char* hip, const char* cuda) { return on("hip") ? hip : cuda; }

  Tensor made(const Stream& stream = {}) const { return Tensor::empty(device, {4}, DType::f32, stream); }
  /// The calls that `work` makes.
  template <class Work>
  std::vector<std::string> calls(const Work& work) const {
    const std::size_t before = stub_->calls.size();
    work();
    std::vector<std::string> made(stub_->calls.begin() + static_cast<std::ptrdiff_t>(before),
                                  stub_->calls.end());
    std::erase(made, "hipSetDevice");
    std::erase(made, "cuCtxSetCurrent");
    return made;
  }
  /// Who waits for whom since the last time.
  std::set<std::pair<void*, void*>> waits() const {
    const std::set<std::pair<void*, void*>> found(stub_->waits.begin(), stub_->waits.end());
    stub_->waits.clear();
    return found;
  }
  std::vector<std::string> one_wait() const {
    return {call("hipEventRecord", "cuEventRecord"), call("hipStreamWaitEvent", "cuStreamWaitEvent")};
  }

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
