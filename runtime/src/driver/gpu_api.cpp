#include "driver/gpu_api.hpp"

#include "common/format.hpp"

#include <atomic>
#include <cstdlib>

#include "driver/device_environment.hpp"
#include "driver/gpu_numbers.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

std::atomic<bool> exiting{false};

}  // namespace

bool driver_is_exiting() { return exiting.load(std::memory_order_relaxed); }

GpuApi::GpuApi(DeviceKind kind, DynamicLibrary library, const GpuConstants& values)
    : constants(values), kind_(kind), library_(std::move(library)) {
  // Exit handlers run last in, first out: this one, registered after the library's own, runs before them.
  std::atexit([] { exiting.store(true, std::memory_order_relaxed); });
}

void GpuApi::load_calls() {
  const bool hip = kind_ == DeviceKind::hip;
#define KERNELGEN_LOAD(member, hip_name, cuda_name, arguments)                         \
  {                                                                                    \
    const char* name = hip ? #hip_name : #cuda_name;                                   \
    calls.member = {reinterpret_cast<int(*) arguments>(KERNELGEN_SYMBOL(name)), name}; \
  }
#define KERNELGEN_SYMBOL required
  KERNELGEN_GPU_REQUIRED_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_SYMBOL
#define KERNELGEN_SYMBOL library_.symbol
  KERNELGEN_GPU_OPTIONAL_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_SYMBOL
#undef KERNELGEN_LOAD
}

void* GpuApi::required(const char* name) const {
  if (void* symbol = library_.symbol(name)) return symbol;
  throw Error(
      Code::unsupported,
      formatted("{} has no function {}: it is older than this runtime can use (HIP 5 or CUDA 11 is needed)",
                library_.path(), name));
}

void GpuApi::initialize() const {
  const int status = calls.initialize.function(0);
  if (status == 0) return;
  const std::string note = visible_devices_note(kind_);
  throw Error(Code::unsupported,
              formatted("{} was opened, but finds no device it can use ({}: error {}, {}); {}{}{}",
                        library_.path(), calls.initialize.name, status, describe(status),
                        constants.driver_hint, note.empty() ? "" : "; ", note));
}

void GpuApi::fail(const char* call, int status, const std::string& detail) const {
  throw Error(
      status == gpu::status_out_of_memory ? Code::out_of_memory : Code::device,
      formatted("{}: error {}, {}{}{}", call, status, describe(status), detail.empty() ? "" : "; ", detail));
}

}  // namespace kernelgen
