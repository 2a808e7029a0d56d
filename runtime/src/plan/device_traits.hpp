#pragma once
#include <cstdint>

#include "kernelgen/device_kind.hpp"

namespace kernelgen {

/// The properties of a device that launch plans depend on.
struct DeviceTraits {
  DeviceKind kind = DeviceKind::cpu;
  int threads = 0;                ///< CPU: threads per grid, including the caller; 0 on a GPU
  bool are_threads_awake = true;  ///< CPU: whether the threads start a grid at once, or must be woken
  bool has_byte_dots = false;     ///< CPU: see kg::has_byte_dots
  bool has_matrix_units = true;   ///< GPU: see has_matrix_units()
  int compute_units = 1;          ///< at least 1
  int wave_size = 1;

  bool on_cpu() const { return kind == DeviceKind::cpu; }
  /// `count` for each compute unit of a GPU.
  std::int64_t per_unit(std::int64_t count) const { return count * compute_units; }
  /// GPU threads below which memory bandwidth is underused, if each has a few accesses in flight.
  std::int64_t busy_threads() const { return per_unit(512); }
  /// GPU threads in flight at a time, approximately.
  std::int64_t resident_threads() const { return per_unit(2048); }
};

}  // namespace kernelgen
