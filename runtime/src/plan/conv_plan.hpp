#pragma once
#include <cstdint>

#include "kernelgen/launch_shape.hpp"
#include "plan/device_traits.hpp"
#include "plan/image.hpp"

namespace kernelgen {

/// The kernels of a convolution; fix_padding repairs a library's results that multiplied padding.
enum class ConvForm { direct, fix_padding, fix_padding_transposed, implicit_gemm_small, implicit_gemm };

/// The form that computes a convolution of that many output channels per group.
ConvForm conv_form(std::int64_t out_channels, const DeviceTraits& device);
LaunchShape conv_grid(ConvForm form, const kg::ConvShape& shape, const DeviceTraits& device);

/// The number of equal parts of `in_channels` whose sums are worth computing in blocks of their own and adding by another
/// launch: more than 1 if a GPU has no other work for most of its units. `terms` are those of one channel, `pixels` those of a
/// launch, all of one group.
std::int64_t conv_channel_parts(std::int64_t in_channels, std::int64_t terms, std::int64_t out_channels,
                                std::int64_t pixels, const DeviceTraits& device);

/// Whether a CPU, which vectorizes along rows, finds longer vectors along columns of a result.
bool is_conv_worth_transposing(std::int64_t rows, std::int64_t columns, const DeviceTraits& device);

}  // namespace kernelgen
