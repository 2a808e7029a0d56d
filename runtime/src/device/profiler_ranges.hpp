#pragma once
#include "driver/dynamic_library.hpp"

namespace kernelgen {

/// Ranges that profilers show, around what the host does, by the library that KERNELGEN_RANGES names: NVTX's
/// (libnvToolsExt.so.1) or roctx's (libroctx64.so). Thread-safe.
class ProfilerRanges {
 public:
  // nvtxRangePushA and nvtxRangePop, or roctx's.
  using Push = int (*)(const char* name);
  using Pop = int (*)();

  /// Null where the variable says nothing. Throws Error(unsupported) where it cannot be opened, or is neither.
  static const ProfilerRanges* of_environment();

  void push(const char* name) const { push_(name); }
  void pop() const { pop_(); }

 private:
  explicit ProfilerRanges(DynamicLibrary library);
  Push push_;
  Pop pop_;
};

}  // namespace kernelgen
