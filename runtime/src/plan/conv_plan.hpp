#pragma once
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"
#include "plan/image.hpp"

namespace kernelgen {

/// The kernels of a convolution. fix_padding corrects results of a library that multiplies padding zeros (by infinite weights).
enum class ConvForm { direct, fix_padding, implicit_gemm_small, implicit_gemm, col2im };

/// Whether a GPU's direct kernel takes less time than tiles or a library's kernels. A result is a sum of `terms` products,
/// including those with positions between a transposed convolution's input elements.
bool is_conv_small(std::int64_t outputs, std::int64_t terms, const DeviceTraits& device);

/// The form that computes a convolution of that many output channels per group if it is not small.
ConvForm conv_form(std::int64_t out_channels, const DeviceTraits& device);
LaunchShape conv_grid(ConvForm form, const kg::ConvShape& shape, const DeviceTraits& device);

/// The number of equal ranges that the input channels are split into (split-K), a divisor of `in_channels`. Each range is
/// convolved by its own blocks, and another launch adds the results. More than 1 if most of a GPU would be idle otherwise. All
/// arguments are of one group: `terms` are the kernel's elements per input channel, `pixels` the results per output channel and launch.
std::int64_t conv_channel_splits(std::int64_t in_channels, std::int64_t terms, std::int64_t out_channels,
                                 std::int64_t pixels, const DeviceTraits& device);

/// Whether a CPU convolves one group faster by a matrix product and col2im than by the kernels of other forms, which compute few
/// output channels from copied rows. GPUs measure.
bool is_conv_worth_gemm(std::int64_t in_channels, std::int64_t out_channels, bool is_transposed,
                        bool is_strided, const DeviceTraits& device);

/// Whether a CPU, which vectorizes along rows, finds longer vectors along columns of a result.
bool is_conv_worth_transposing(std::int64_t rows, std::int64_t columns, const DeviceTraits& device);

}  // namespace kernelgen
