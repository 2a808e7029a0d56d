#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "kernelgen/dtype.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/kernelgen.h"

/// Where C++ ends: every function of the C interface runs its body inside guarded().
namespace kernelgen::capi {

/// Throws Error(invalid_argument) "<parameter> <problem>"; guarded() puts the function before it.
[[noreturn]] void fail(const char* parameter, const std::string& problem);

/// What a parameter that must not be NULL points to.
template <class T>
T& need(T* value, const char* parameter) {
  if (value == nullptr) fail(parameter, "is NULL");
  return *value;
}

/// Memory that must be there when it has any bytes.
inline std::span<const std::byte> need_bytes(const void* data, std::size_t bytes, const char* parameter) {
  if (data == nullptr && bytes != 0) fail(parameter, "is NULL");
  return {static_cast<const std::byte*>(data), bytes};
}

/// Checks a position in a table of `count`.
void need_index(std::uint32_t index, std::size_t count, const char* parameter);

/// A dtype that came as a number.
DType need_dtype(kernelgen_dtype value, const char* parameter);

/// Keeps the text of the exception in flight as this thread's last error and gives its status.
kernelgen_status report_exception(const char* function) noexcept;

/// Runs `body()` and turns whatever it throws into a status; error texts start with `function`.
template <class Body>
kernelgen_status guarded(const char* function, const Body& body) noexcept {
  try {
    body();
    return KERNELGEN_OK;
  } catch (...) {
    return report_exception(function);
  }
}

}  // namespace kernelgen::capi
