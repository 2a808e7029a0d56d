#pragma once
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// A batch of products of `rows` × `terms` by `terms` × `columns` matrices.
struct MatmulProblem {
  std::int64_t rows, columns, terms, slices;
  std::int64_t row_stride, term_stride;  ///< of the first operand
  unsigned element_bytes;
};

/// The launch of the kernel "tiled".
LaunchShape matmul_grid(const MatmulProblem& problem, const DeviceTraits& device);
/// Into how many equal ranges the terms of a product are best split, if tiles that each sum all terms do not fill the device.
/// The products of the ranges have to be added. 1 on a CPU.
std::int64_t matmul_parts(const MatmulProblem& problem, const DeviceTraits& device);
/// The launch of the kernel "vector", for one column.
LaunchShape matvec_grid(const MatmulProblem& problem, const DeviceTraits& device);
/// The launch of products of a vector with matrices that have `rows` rows in all.
LaunchShape vector_products_grid(std::int64_t rows, std::int64_t terms, unsigned element_bytes,
                                 const DeviceTraits& device);

}  // namespace kernelgen
