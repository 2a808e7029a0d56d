#pragma once
#include <algorithm>

#include "device/device_state.hpp"
#include "plan/byte_dots.hpp"
#include "plan/device_traits.hpp"
#include "plan/matrix_units.hpp"

namespace kernelgen {

/// The device's traits at this moment: CPU threads wake and sleep.
inline DeviceTraits traits_of(const DeviceState& device) {
  const Driver& driver = device.driver();
  const int threads = driver.threads();
  return {.kind = device.kind(),
          .threads = threads,
          .are_threads_awake = driver.are_threads_awake(),
          .has_byte_dots = threads > 0 && kg::has_byte_dots(),
          .has_matrix_units = device.kind() != DeviceKind::hip ||
                              has_matrix_units(driver.info().architecture, driver.info().wave_size),
          .compute_units = std::max(driver.info().compute_units, 1),
          .wave_size = driver.info().wave_size};
}
inline DeviceTraits traits_of(const Device& device) { return traits_of(state_of(device)); }

}  // namespace kernelgen
