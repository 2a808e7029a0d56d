#pragma once
/// Division of matrix products into work for blocks, shared by kernels and their callers.
#include "plan/abi.hpp"

namespace kg {

/// Side of the smallest tile of results. Kernels may use larger tiles and leave blocks of the grid idle.
inline constexpr unsigned matmul_tile = 64;

/// Contiguous results that a block computes at a time in a matrix-vector product whose matrix is contiguous
/// along results.
inline constexpr unsigned matvec_strip = 32;

/// Whether such strips are used. With fewer results, each gets a group of threads.
constexpr bool matvec_by_strips(unsigned long long rows, long long row_stride, long long term_stride) {
  return row_stride == 1 && term_stride != 1 && rows >= matvec_strip / 2;
}

/// Threads per result of a matrix-vector product, so that each makes a few 16-byte accesses.
template <class Count>
constexpr unsigned matvec_group(Count terms, unsigned element_bytes) {
  unsigned group = 8;
  while (group < block_threads && static_cast<Count>(group) * (64 / element_bytes) < terms) group *= 2;
  return group;
}

/// Rows that a group multiplies at a time, so that it reads the vector once for them, and whether it does: if there is one
/// product with so many rows that enough threads remain to fill a GPU.
inline constexpr unsigned matvec_together = 4;
template <class Count>
constexpr bool are_rows_together(Count rows, Count products, Count terms, unsigned element_bytes) {
  constexpr Count enough = 1 << 17;  // threads
  return products == 1 && rows / matvec_together >= enough / matvec_group(terms, element_bytes);
}

}  // namespace kg
