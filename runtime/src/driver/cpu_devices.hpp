#pragma once

namespace kernelgen {

/// Number of CPU devices: KERNELGEN_CPU_DEVICES, default 1. Throws Error(unsupported) unless it is a number
/// from 1 to 64.
int cpu_devices();

/// Cores that this process may use.
int usable_cores();

}  // namespace kernelgen
