#include "device/profiler_ranges.hpp"

#include <utility>

#include "common/environment.hpp"
#include "common/format.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen {
namespace {

constexpr const char* variable = "KERNELGEN_RANGES";

}  // namespace

const ProfilerRanges* ProfilerRanges::of_environment() {
  const char* const path = environment_variable(variable);
  if (path == nullptr || *path == '\0') return nullptr;
  static const ProfilerRanges* const ranges =
      new ProfilerRanges(DynamicLibrary("library of profiler ranges", variable, {}));
  return ranges;
}

ProfilerRanges::ProfilerRanges(DynamicLibrary library) {
  constexpr std::pair<const char*, const char*> names[] = {{"nvtxRangePushA", "nvtxRangePop"},
                                                           {"roctxRangePushA", "roctxRangePop"}};
  for (const auto& [push, pop] : names) {
    push_ = reinterpret_cast<Push>(library.symbol(push));
    pop_ = reinterpret_cast<Pop>(library.symbol(pop));
    if (push_ != nullptr && pop_ != nullptr) return;
  }
  throw Error(Code::unsupported,
              formatted("{}, which {} names, has neither nvtxRangePushA nor roctxRangePushA", library.path(),
                        variable));
}

}  // namespace kernelgen
