#pragma once
/// Structs that travel by value in the arguments of kernels on images: planes (batch × channels) of rows of
/// columns. Included by device code and by the runtime.
#include "plan/abi.hpp"

namespace kg {

/// What one launch computes of a contiguous result: whole planes, or rows of one plane. Fewer than 2^31
/// elements.
struct ImagePiece {
  Divisor columns;  ///< of a row
  Divisor rows;     ///< of each plane in this piece
  unsigned elements;
  unsigned first_row;
};

/// A piece cut into patches of some neighbouring columns of `patch_rows` rows, in which a thread computes once what
/// neighbours have in common.
struct ImagePatches {
  ImagePiece piece;
  Divisor across, down;  ///< patches of a row and of a plane's columns
  unsigned patches;
  unsigned patch_rows;
};

/// Columns of a patch on a CPU: enough to vectorise over, few enough to stay in the nearest cache.
inline constexpr unsigned cpu_patch_columns = 256;
/// Columns of a patch on a GPU where a thread computes neighbours: an access of 16 bytes, at most as many as its
/// registers take.
constexpr unsigned patch_columns(unsigned element_bytes) {
  return element_bytes > 1 ? 16 / element_bytes : 8;
}

/// Most rows of a GPU's patch where a thread computes one element of each at a time, and where all at once.
inline constexpr unsigned most_patch_rows = 8, most_rows_at_once = 4;
/// Columns of a GPU's patch of windows, which lie below one another.
inline constexpr unsigned pool_patch_columns = 1;

/// The input's planes and the window that slides over them.
struct PoolShape {
  unsigned rows, columns;
  unsigned kernel_rows, kernel_columns;
  unsigned row_stride, column_stride;
};

/// A convolution: output element (o, p) of a plane takes input element o · row_stride + r · row_dilation -
/// row_padding, and likewise of its row, for each row r and column of the kernel. Where that lies outside the
/// image there is nothing to add. All strides of memory are in elements. The weights are a row-major matrix of all
/// groups' output channels by one group's input channels × rows × columns of the kernel.
///
/// A transposed convolution of stride s is s of these an axis, one for each remainder of o / s: with its own
/// share of the kernel's rows, dilation backwards, and every s-th row of the output.
struct ConvShape {
  unsigned batch, groups;
  unsigned in_channels, out_channels;  ///< of one group
  int in_rows, in_columns;
  int row_stride, column_stride;
  int row_dilation, column_dilation;
  int row_padding, column_padding;
  Divisor rows, columns;  ///< of an output plane
  Divisor kernel_columns;
  Divisor kernel_size;     ///< rows times columns
  Divisor channels;        ///< of one group's output
  Divisor image_channels;  ///< of all groups' output
  unsigned kernel_rows;
  long long x_channel;  ///< images are contiguous
  long long y_channel, y_row, y_column;
};

}  // namespace kg
