#define __HIP_PLATFORM_AMD__
#include <rccl/rccl.h>

#include "collective_calls.hpp"
