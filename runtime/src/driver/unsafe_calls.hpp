#pragma once
#include "driver/gpu_api.hpp"
#include "driver/gpu_numbers.hpp"

namespace kernelgen {

/// Lets the thread make calls, for a scope, that the driver takes for unsafe while a stream is captured, by whomever: to
/// load a module, say, which no graph has to repeat.
class UnsafeCalls {
 public:
  explicit UnsafeCalls(const GpuApi& api) noexcept : api_(api) { exchange(); }
  ~UnsafeCalls() { exchange(); }
  UnsafeCalls(const UnsafeCalls&) = delete;
  UnsafeCalls& operator=(const UnsafeCalls&) = delete;

 private:
  /// Where the driver has no such mode, it has no captures.
  void exchange() noexcept {
    if (api_.calls.exchange_capture_mode) api_.calls.exchange_capture_mode.function(&mode_);
  }

  const GpuApi& api_;
  int mode_ = gpu::capture_relaxed;  ///< then what was there before
};

}  // namespace kernelgen
