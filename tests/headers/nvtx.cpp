#include <nvtx3/nvToolsExt.h>

#include "device/profiler_ranges.hpp"
#include "same_call.hpp"

// Of nvtx3's header they are inline functions over an injected library; libnvToolsExt exported the same.
static_assert(
    kernelgen::test::is_same_as<std::remove_pointer_t<kernelgen::ProfilerRanges::Push>>(&nvtxRangePushA));
static_assert(
    kernelgen::test::is_same_as<std::remove_pointer_t<kernelgen::ProfilerRanges::Pop>>(&nvtxRangePop));
