#pragma once
/// Copies of contiguous elements by a thread or a group of threads:
///
///   SpanStores stores(bytes)                how spans of a result of that many bytes are stored
///   store_span(x, y, n, stores)             n elements, by one thread
///   copy_span(group, x, y, n, stores)       by a group of threads
#include "device/dialect.hpp"

#if KG_GPU
#include "engines/copy_span_gpu.hpp"
#else
#include "engines/copy_span_cpu.hpp"
#endif
