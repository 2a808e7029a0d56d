#pragma once
/// Structs that travel by value in the arguments of kernels on images: planes (batch × channels) of rows of
/// columns. Included by device code and by the runtime.
#include "abi.hpp"

namespace kg {

/// What one launch computes of a contiguous result: whole planes, or rows of one plane. Fewer than 2^31
/// elements.
struct ImagePiece {
  Divisor columns;  ///< of a row
  Divisor rows;     ///< of each plane in this piece
  unsigned elements;
  unsigned first_row;
};

/// The input's planes and the window that slides over them.
struct PoolShape {
  unsigned rows, columns;
  unsigned kernel_rows, kernel_columns;
  unsigned row_stride, column_stride;
};

}  // namespace kg
