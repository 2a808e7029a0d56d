#pragma once

namespace kernelgen {

/// Devices that the CPU is taken for: KERNELGEN_CPU_DEVICES, 1 where it says nothing. Throws Error(unsupported) where it is
/// no number from 1 to 64.
int cpu_devices();

/// Cores that this process may use.
int usable_cores();

}  // namespace kernelgen
