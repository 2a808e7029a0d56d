#pragma once
/// The vocabulary bodies are written in. The compiler picks the dialect; nothing outside this folder asks
/// which. KG_GPU, 1 or 0, tells engines which of their halves to include.
#include "device/types.hpp"

#if defined(__HIP__)
#define KG_GPU 1
#include "device/hip.hpp"
#elif defined(__CUDACC__)
#define KG_GPU 1
#include "device/cuda.hpp"
#else
#define KG_GPU 0
#include "device/cpu.hpp"
#endif
