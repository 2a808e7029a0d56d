#pragma once
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "device/device_state.hpp"
#include "device_fixture.hpp"
#include "kernelgen/graph.hpp"
#include "kernelgen/tensor.hpp"

namespace kernelgen::test {

/// A device, and what its driver was asked.
class StreamsTest : public DeviceFixture {
 protected:
  /// Large enough for a driver's pool to get it back at once.
  Tensor made(const Stream& stream = {}) const {
    return Tensor::empty(device, {std::int64_t{1} << 19}, DType::f32, stream);
  }
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
};

}  // namespace kernelgen::test
