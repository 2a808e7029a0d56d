#pragma once
/// The vocabulary bodies are written in. The compiler picks the dialect; nothing outside this folder asks
/// which.
#include "device/types.hpp"

#if defined(__HIP__)
#include "device/hip.hpp"
#elif defined(__CUDACC__)
#include "device/cuda.hpp"
#else
#include "device/cpu.hpp"
#endif
