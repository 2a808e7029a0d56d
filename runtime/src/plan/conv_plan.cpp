#include "plan/conv_plan.hpp"

#include "plan/conv.hpp"
#include "plan/grid.hpp"

namespace kernelgen {
namespace {

/// Threads of the direct kernel that a compute unit runs at a time.
constexpr std::int64_t direct_threads = 1024;

/// Threads of a GPU per result of the direct kernel: as many as its terms occupy, or fewer if there are enough results.
std::uint32_t direct_group(std::int64_t outputs, std::int64_t terms, const DeviceTraits& device) {
  std::uint32_t group = 1;
  while (group < kg::conv_direct_group && group * kg::conv_direct_terms < terms &&
         2 * outputs * group <= device.per_unit(direct_threads))
    group *= 2;
  return group;
}

}  // namespace

bool is_conv_small(std::int64_t outputs, std::int64_t terms, const DeviceTraits& device) {
  constexpr std::int64_t most_terms = 8 * 1024;
  if (device.on_cpu() || terms > most_terms) return false;
  const std::uint32_t group = direct_group(outputs, terms, device);
  const std::int64_t steps = quotient_up<std::int64_t>(terms, group * kg::conv_direct_terms) *
                             quotient_up(outputs * group, device.per_unit(direct_threads));
  // A step takes 1.3 µs on an H200. cuDNN takes 2 µs more than the first step for a few terms, and at least 10 µs more for
  // hundreds.
  return steps <= std::max<std::int64_t>(2, std::min(terms / 8, 8 + terms / 96));
}

ConvForm conv_form(std::int64_t out_channels, const DeviceTraits& device) {
  constexpr std::int64_t direct_channels = 2, small_channels = 32;
  if (out_channels <= direct_channels) return ConvForm::direct;
  return out_channels <= small_channels && !device.on_cpu() ? ConvForm::implicit_gemm_small
                                                            : ConvForm::implicit_gemm;
}

std::int64_t conv_channel_splits(std::int64_t in_channels, std::int64_t terms, std::int64_t out_channels,
                                 std::int64_t pixels, const DeviceTraits& device) {
  // Minimum terms of a result: a block takes as long for them as the two additional launches, which copy weights and add the
  // sums. Minimum terms of a split: fewer would take less time than a block's start. Fewer than min_splits do not pay off.
  constexpr std::int64_t least_terms = 512, split_terms = 32, min_splits = 4;
  if (device.on_cpu() || in_channels * terms < least_terms) return 1;
  const kg::ConvTile& tile = conv_form(out_channels, device) == ConvForm::implicit_gemm
                                 ? kg::conv_implicit_gemm_tile
                                 : kg::conv_implicit_gemm_small_tile;
  const std::int64_t tiles =
      quotient_up<std::int64_t>(pixels, tile.pixels) * quotient_up<std::int64_t>(out_channels, tile.channels);
  std::int64_t splits = std::min(device.compute_units / tiles, in_channels * terms / split_terms);
  while (splits > 1 && in_channels % splits != 0) --splits;
  return splits < min_splits ? 1 : splits;
}

LaunchShape conv_grid(ConvForm form, const kg::ConvShape& shape, const DeviceTraits& device) {
  const std::int64_t pixels = std::int64_t{shape.batch} * shape.rows.extent * shape.columns.extent;
  const std::int64_t channels = shape.image_channels.extent, elements = pixels * channels;
  if (device.on_cpu()) {
    // One vector of products costs as much as one element of element-wise work.
    const double work = static_cast<double>(elements) * shape.in_channels * shape.kernel_size.extent / 8;
    return element_grid(static_cast<std::int64_t>(std::min(work, 1e12)) + elements, 1, device);
  }
  const auto by_tiles = [&](const kg::ConvTile& tile) {
    return block_grid(quotient_up<std::int64_t>(pixels, tile.pixels) *
                      quotient_up(shape.out_channels, tile.channels) * shape.groups);
  };
  switch (form) {
    case ConvForm::fix_padding:
      return block_grid(channels);
    case ConvForm::direct:
      return group_grid(
          elements,
          direct_group(elements, std::int64_t{shape.in_channels} * shape.kernel_size.extent, device));
    case ConvForm::col2im: {
      const std::int64_t tasks = quotient_up<std::int64_t>(shape.batch * channels, kg::conv_col2im_channels) *
                                 shape.rows.extent * shape.columns.extent;
      return group_grid(tasks,
                        direct_group(tasks, std::int64_t{kg::conv_direct_terms} * shape.kernel_rows, device));
    }
    case ConvForm::implicit_gemm_small:
      return by_tiles(kg::conv_implicit_gemm_small_tile);
    default:
      return by_tiles(kg::conv_implicit_gemm_tile);
  }
}

bool is_conv_worth_gemm(std::int64_t in_channels, std::int64_t out_channels, bool is_transposed,
                        bool is_strided, const DeviceTraits& device) {
  // The product of a plain convolution with a stride is mostly not needed.
  if (!device.on_cpu() || (is_strided && !is_transposed)) return false;
  return is_transposed ? in_channels >= 32 && out_channels <= 8 : in_channels >= 64 && out_channels <= 4;
}

bool is_conv_worth_transposing(std::int64_t rows, std::int64_t columns, const DeviceTraits& device) {
  constexpr std::int64_t min_columns = 8;  // fewer leave most of a vector empty
  return device.on_cpu() && columns < min_columns && rows > 2 * columns;
}

}  // namespace kernelgen
