#pragma once
#include <array>
#include <cstdint>

#include "kernelgen/dtype.hpp"
#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"

namespace kernelgen {

/// Maximum number of matrices that a launch multiplies a column by.
inline constexpr std::size_t quantized_factors = 3;

/// The product of a matrix W of `rows` quantized rows of `terms` elements (k) and `columns` columns of activations. If
/// is_indexed, each column is multiplied by one of `experts` such matrices. A single column may be multiplied by more
/// matrices in the same launch.
struct QuantizedProblem {
  std::int64_t rows, terms, columns;
  bool is_indexed;
  std::int64_t experts;
  DType weights;
  std::array<std::int64_t, quantized_factors - 1> more_rows = {};  ///< of the other matrices
};

enum class QuantizedForm {
  vector,   ///< each column by itself; each block quantizes it
  columns,  ///< tiles of up to 4 or 8 columns, which a preceding launch quantizes
  tiles,    ///< tiles of up to 64 such columns, by matrix instructions of bytes
  dense     ///< a plain product with the dequantized matrix
};

struct QuantizedPlan {
  QuantizedForm form;
  std::int64_t tiles;        ///< of columns; this and all fields below are unused for dense
  std::uint32_t tile_width;  ///< columns per tile
  std::uint32_t parts;       ///< blocks that share the rows of W for one tile of columns
  std::uint32_t k_splits;    ///< ranges of the terms; with more than one, their products have to be added
  LaunchShape shape;
  std::array<std::uint32_t, quantized_factors - 1> more_parts = {};  ///< of the other matrices
};
QuantizedPlan plan_quantized_product(const QuantizedProblem& problem, const DeviceTraits& device);

/// The launch that quantizes `columns` columns of activations.
LaunchShape quantize_columns_grid(std::int64_t columns, std::int64_t terms, const DeviceTraits& device);

/// Plain rows written at indices: a group of threads writes up to `part` elements of a row.
struct SetRowsPlan {
  std::int64_t part;
  std::uint32_t group;
  LaunchShape shape;
};
SetRowsPlan plan_set_rows(std::int64_t rows, std::int64_t n, const DeviceTraits& device);

/// Dequantization: a group of threads takes up to `part` slices of 32 elements of a row at a time.
struct DequantizePlan {
  std::int64_t part;
  std::uint32_t group;
  LaunchShape shape;
};
/// `n`: elements per row.
DequantizePlan plan_dequantize(std::int64_t rows, std::int64_t n, const DeviceTraits& device);

/// The launch that quantizes blocks of `block` elements.
LaunchShape quantize_grid(std::int64_t blocks, std::int64_t block, const DeviceTraits& device);

}  // namespace kernelgen
