#pragma once
#include "driver/dynamic_library.hpp"

namespace kernelgen {

/// Profiler ranges around host work, through the library KERNELGEN_RANGES names: NVTX (libnvToolsExt.so.1) or
/// roctx (libroctx64.so). Thread-safe.
class ProfilerRanges {
 public:
  // nvtxRangePushA and nvtxRangePop, or roctx's.
  using Push = int (*)(const char* name);
  using Pop = int (*)();

  /// Null if the variable is unset. Throws Error(unsupported) if the library cannot be opened, or is neither.
  static const ProfilerRanges* of_environment();

  void push(const char* name) const { push_(name); }
  void pop() const { pop_(); }

 private:
  explicit ProfilerRanges(DynamicLibrary library);
  Push push_;
  Pop pop_;
};

}  // namespace kernelgen
