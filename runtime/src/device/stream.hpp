#pragma once
#include <memory>
#include <utility>

#include "device/device_state.hpp"

namespace kernelgen {

struct Stream::Impl {
  Impl(std::shared_ptr<DeviceState> device, Priority priority)
      : state(std::move(device)),
        handle(state->driver().create_stream(priority)),
        faults(state->index_faults().add_stream(handle)),
        timeline(std::make_shared<Timeline>(handle)) {}
  ~Impl() {
    IndexFaults::end(*faults);
    state->stream_order().end(*timeline);
    state->driver().destroy_stream(handle);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::shared_ptr<DeviceState> state;
  void* handle;
  std::shared_ptr<FaultQueue> faults;
  const std::shared_ptr<Timeline> timeline;
};

/// Throws Error(invalid_argument): `what` is of another device than it was given to.
[[noreturn]] void refuse_foreign(const char* what, const DeviceState& given, const DeviceState& wanted);

}  // namespace kernelgen
