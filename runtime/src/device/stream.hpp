#pragma once
#include <memory>
#include <utility>

#include "device/device_state.hpp"

namespace kernelgen {

struct Stream::Impl {
  explicit Impl(std::shared_ptr<DeviceState> device)
      : state(std::move(device)),
        handle(state->driver().create_stream()),
        faults(state->index_faults().add_stream(handle)) {}
  ~Impl() {
    IndexFaults::end(*faults);
    state->driver().destroy_stream(handle);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::shared_ptr<DeviceState> state;
  void* handle;
  std::shared_ptr<FaultQueue> faults;
};

/// Throws Error(invalid_argument): `what` is of another device than it was given to.
[[noreturn]] void refuse_foreign(const char* what, const DeviceState& given, const DeviceState& wanted);

}  // namespace kernelgen
