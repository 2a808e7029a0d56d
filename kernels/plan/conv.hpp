#pragma once
/// How a convolution is cut into a GPU's tiles: what its kernels and their caller share.
namespace kg {

/// Output channels and output elements that a block computes at a time.
struct ConvTile {
  unsigned channels, pixels;
};

/// conv_narrow's.
inline constexpr ConvTile conv_narrow_tile{16, 256};
/// The smallest of conv_wide. Kernels may take larger ones and leave blocks of the grid without work.
inline constexpr ConvTile conv_wide_tile{64, 64};

}  // namespace kg
