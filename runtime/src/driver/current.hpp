#pragma once
#include "driver/gpu_api.hpp"

namespace kernelgen {

/// Makes a device current on this thread for a scope. Asks the driver each time (a thread-local read in both
/// APIs) instead of caching: other libraries in the process change it too.
class Current {
 public:
  Current(const GpuApi& api, std::uintptr_t context) noexcept : api_(api) {
    status_ = api.current(&previous_);
    if (status_ != 0 || previous_ == context) return;
    status_ = api.make_current(context);
    restore_ = status_ == 0 && previous_ != api.constants.nothing_current;
  }
  ~Current() {
    if (restore_) api_.make_current(previous_);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;

  int status() const { return status_; }
  void require() const {
    if (status_ != 0) api_.fail("making the device current", status_);
  }

 private:
  const GpuApi& api_;
  std::uintptr_t previous_ = 0;
  int status_ = 0;
  bool restore_ = false;
};

}  // namespace kernelgen
