#pragma once
/// How a matrix product is cut into blocks' work: what its kernels and their caller share.
#include "plan/abi.hpp"

namespace kg {

/// Side of the smallest tile of results a block computes at a time. Kernels may take larger ones and leave
/// blocks of the grid without work.
inline constexpr unsigned matmul_tile = 64;

/// Results side by side in the matrix that a block computes at a time, in a product with a vector whose matrix
/// steps by one from result to result.
inline constexpr unsigned matvec_strip = 32;

/// Whether such a strip has neighbours enough: of fewer results each has threads of its own.
constexpr bool matvec_by_strips(unsigned long long rows, long long row_stride, long long term_stride) {
  return row_stride == 1 && term_stride != 1 && rows >= matvec_strip / 2;
}

/// Threads that share one result of a product with a vector: each has a few accesses of 16 bytes to make.
template <class Count>
constexpr unsigned matvec_group(Count terms, unsigned element_bytes) {
  unsigned group = 8;
  while (group < block_threads && static_cast<Count>(group) * (64 / element_bytes) < terms) group *= 2;
  return group;
}

}  // namespace kg
