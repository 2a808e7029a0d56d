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

/// Rows that a group multiplies at a time, so that it reads the vector once for them.
inline constexpr unsigned matvec_together = 4;

/// Threads per matvec_together results: more for each, down to one access of 16 bytes, while they do not fill a GPU.
template <class Count>
constexpr unsigned matvec_together_group(Count rows, Count terms, unsigned element_bytes) {
  constexpr Count enough = 1 << 17;  // threads
  unsigned group = matvec_group(terms, element_bytes);
  while (group < block_threads && rows / matvec_together * group < enough &&
         static_cast<Count>(group) * (16 / element_bytes) < terms)
    group *= 2;
  return group;
}

/// Whether rows are multiplied together: if there is one product, whose threads still occupy much of a GPU.
template <class Count>
constexpr bool are_rows_together(Count rows, Count products, Count terms, unsigned element_bytes) {
  constexpr Count fewest = 1 << 14;  // threads
  return products == 1 &&
         rows / matvec_together * matvec_together_group(rows, terms, element_bytes) >= fewest;
}

}  // namespace kg
