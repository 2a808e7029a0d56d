#pragma once
/// Structs passed by value in the arguments of kernels on images: planes (batch × channels) of rows of
/// columns. Included by device code and by the runtime.
#include "plan/abi.hpp"

namespace kg {

/// The part of a contiguous result that one launch computes: whole planes, or rows of one plane. Fewer than
/// 2^31 elements.
struct ImagePiece {
  Divisor columns;  ///< per row
  Divisor rows;     ///< of each plane in this piece
  unsigned elements;
  unsigned first_row;
};

/// A piece divided into patches of adjacent columns and `patch_rows` rows. A thread computes once what the
/// elements of a patch have in common.
struct ImagePatches {
  ImagePiece piece;
  Divisor across, down;  ///< patches per row and per column of a plane
  unsigned patches;
  unsigned patch_rows;
};

/// Columns of a patch on a CPU: enough to vectorize, few enough to stay in L1.
inline constexpr unsigned cpu_patch_columns = 256;
/// Columns of a patch on a GPU if a thread computes adjacent columns: one 16-byte access, limited by
/// registers.
constexpr unsigned patch_columns(unsigned element_bytes) {
  return element_bytes > 1 ? 16 / element_bytes : 8;
}

/// Maximum rows of a GPU patch if a thread computes one row at a time, and rows if it computes all at once, for loads in flight.
inline constexpr unsigned most_patch_rows = 8, most_rows_at_once = 4;
/// Columns of a GPU patch of pooling windows; a patch is one window, or one column of most_rows_at_once.
inline constexpr unsigned pool_patch_columns = 1;

/// The input's planes and the pooling window.
struct PoolShape {
  unsigned rows, columns;
  unsigned kernel_rows, kernel_columns;
  unsigned row_stride, column_stride;
};

/// A convolution: output row o reads input row (o · row_stride + r · row_dilation - row_padding) / row_spacing for each
/// kernel row r that makes it an integer, and likewise for columns. Positions outside the image contribute nothing. Memory
/// strides are in elements. The weights are a row-major matrix: all groups' output channels by one group's input channels
/// × kernel rows × kernel columns.
///
/// A transposed convolution of stride s has input elements s apart, a negative dilation, and weights whose output channels
/// come after a group's input channels. For implicit GEMM, it is s convolutions per axis, one for each remainder of o / s: each has
/// its own copy of a subset of the kernel's rows, and every s-th row of the output.
struct ConvShape {
  unsigned batch, groups;
  unsigned in_channels, out_channels;  ///< per group
  int in_rows, in_columns;
  int row_stride, column_stride;
  int row_dilation, column_dilation;
  int row_padding, column_padding;
  Divisor row_spacing, column_spacing;  ///< 1 for implicit GEMM and on CPUs, except to fix padding
  unsigned weight_in, weight_out;       ///< strides of the weights between input and output channels
  Divisor rows, columns;                ///< of an output plane
  Divisor kernel_columns;
  Divisor kernel_size;     ///< rows times columns
  Divisor channels;        ///< output channels per group
  Divisor image_channels;  ///< output channels of all groups
  unsigned kernel_rows;
  long long x_channel;  ///< between input planes, which are contiguous
  long long y_channel, y_row, y_column;
};

}  // namespace kg
