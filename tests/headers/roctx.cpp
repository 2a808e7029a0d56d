#include <roctracer/roctx.h>

#include "device/profiler_ranges.hpp"
#include "same_call.hpp"

static_assert(
    kernelgen::test::is_same_as<std::remove_pointer_t<kernelgen::ProfilerRanges::Push>>(&roctxRangePushA));
static_assert(
    kernelgen::test::is_same_as<std::remove_pointer_t<kernelgen::ProfilerRanges::Pop>>(&roctxRangePop));
