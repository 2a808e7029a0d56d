#pragma once
/// The vocabulary that kernel bodies are written in. The compiler determines the dialect; nothing outside
/// this folder tests for it. KG_GPU, 1 or 0, selects the GPU or the CPU half of an engine.
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
