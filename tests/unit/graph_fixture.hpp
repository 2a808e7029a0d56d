#pragma once
#include "kernelgen/graph.hpp"

#include <algorithm>
#include <cstring>

#include "device/device_state.hpp"
#include "device_fixture.hpp"
#include "kernelgen/tensor.hpp"

namespace kernelgen::test {

struct ScaleArguments {
  const void* x;
  void* y;
  std::uint64_t n;
  float factor;
};

/// A device on which work is captured.
class GraphTest : public DeviceFixture {
 protected:
  ~GraphTest() override {
    if (stub_ != nullptr) {
      EXPECT_EQ(stub_->violations, std::vector<std::string>{});
    }
  }

  std::ptrdiff_t calls(const char* hip, const char* cuda) const {
    return stub_ == nullptr ? 0 : std::count(stub_->calls.begin(), stub_->calls.end(), call(hip, cuda));
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
};

}  // namespace kernelgen::test
