#pragma once
/// Tile sizes of convolutions on GPUs, shared by kernels and their callers.
namespace kg {

/// Output channels and output elements that a block computes at a time.
struct ConvTile {
  unsigned channels, pixels;
};

/// The tile of conv_implicit_gemm_small.
inline constexpr ConvTile conv_implicit_gemm_small_tile{16, 256};
/// The smallest tile of conv_implicit_gemm. Kernels may use larger tiles and leave blocks of the grid idle.
inline constexpr ConvTile conv_implicit_gemm_tile{64, 64};

/// Maximum threads of conv_direct per output element, and terms whose loads a thread has in flight.
inline constexpr unsigned conv_direct_group = 128, conv_direct_terms = 4;

/// Output channels that a thread of conv_col2im computes at a pixel.
inline constexpr unsigned conv_col2im_channels = 4;

}  // namespace kg
