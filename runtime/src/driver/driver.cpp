#include "driver/driver.hpp"

#include "common/format.hpp"

#include "driver/cpu_driver.hpp"
#include "driver/gpu_api.hpp"
#include "driver/gpu_driver.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

const GpuApi& api_of(DeviceKind kind) { return kind == DeviceKind::hip ? hip_api() : cuda_api(); }

}  // namespace

int count_devices(DeviceKind kind) {
  if (kind == DeviceKind::cpu) return 1;
  try {
    int count = 0;
    const GpuApi& api = api_of(kind);
    return api.calls.device_count.function(&count) == 0 ? count : 0;
  } catch (const Error& error) {
    // No library, or no driver behind it: that is what 0 says.
    if (error.code() != Code::unsupported) throw;
    return 0;
  }
}

std::unique_ptr<Driver> open_driver(DeviceKind kind, int ordinal, int threads) {
  if (kind == DeviceKind::cpu) return std::make_unique<CpuDriver>(threads);
  const char* prefix = kind == DeviceKind::hip ? "hip" : "cuda";
  return std::make_unique<GpuDriver>(api_of(kind), formatted("{}:{}", prefix, ordinal), ordinal);
}

}  // namespace kernelgen
