#pragma once
/// HIP's and CUDA's device API for imported files, in place of the vendors' headers: keywords, indices, barriers, wave
/// operations, atomics, vector types, half and bfloat16, mathematics, cooperative groups. What a GPU's threads do together
/// a CPU's do too: there the threads of a block are coroutines.
#include "device/dialect.hpp"

#if defined(__CUDACC__) && !defined(__HIP__)
#include "imported/nvcc.hpp"
#else
#include "imported/atomics.hpp"
#include "imported/bfloat16.hpp"
#include "imported/cooperative_groups.hpp"
#include "imported/float8.hpp"
#include "imported/half.hpp"
#include "imported/host.hpp"
#include "imported/integers.hpp"
#include "imported/libc.hpp"
#include "imported/math.hpp"
#include "imported/threads.hpp"
#include "imported/vectors.hpp"
#include "imported/wave.hpp"
#endif

#include "imported/arguments.hpp"
