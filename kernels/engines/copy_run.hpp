#pragma once
/// Neighbouring elements moved by a thread or by a group of threads:
///
///   RunStores stores(bytes)                how runs of a result of that many bytes are stored
///   store_run(x, y, n, stores)             n elements, by one thread
///   copy_run(group, x, y, n, stores)       by a group of threads
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/copy_run_gpu.hpp"
#else
#include "engines/copy_run_cpu.hpp"
#endif
