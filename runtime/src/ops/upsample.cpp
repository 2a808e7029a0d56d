#include "common/format.hpp"

#include <cmath>

#include "device/device_state.hpp"
#include "ops/image.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"

namespace kernelgen {
namespace {

/// Checks the output extent of a dim.
void check_size(std::string_view operation, std::string_view what, std::int64_t in, std::int64_t out) {
  if (out < 0) invalid(formatted("{}: {} is {}; it must not be negative", operation, what, out));
  check_extent(operation, what, out);
  if (in == 0 && out > 0)
    invalid(
        formatted("{}: {} is {}, but the input's is 0: there is nothing to repeat", operation, what, out));
}

double ratio(std::int64_t in, std::int64_t out) { return static_cast<double>(in) / static_cast<double>(out); }

/// The trailing image dims of x: rows and columns; one row if x has only a length.
Size2 size_of_images(const Tensor& x) {
  const Shape& shape = x.shape();
  return {shape.size() == 3 ? 1 : shape[2], shape.back()};
}

/// Runs kernels that take x, y, the piece, the input size and then `numbers`.
void resize(const Operation& operation, const Tensor& x, const Tensor& out, std::span<const double> numbers,
            bool is_nearest, const Stream& stream) {
  const Device& device = out.device();
  const DeviceTraits traits = traits_of(device);
  const DType type = x.dtype();
  const std::uint32_t kernel = operation.kernel({&type, 1}, operation.form("images"));
  const Tensor source = make_contiguous(x, stream);
  const Size2 from = size_of_images(x), to = size_of_images(out);
  const PatchSides sides =
      upsampling_patches(to.width, static_cast<unsigned>(size_of(type)), is_nearest, traits);
  for_each_image_piece(out.shape()[0] * out.shape()[1], to.height, to.width,
                       [&](const kg::ImagePiece& piece, std::int64_t plane, std::int64_t first) {
                         const kg::ImagePatches patches = cut_image(piece, sides, traits);
                         Arguments arguments;
                         arguments.add(element_address(source, plane * from.height * from.width))
                             .add(element_address(out, first))
                             .add(patches)
                             .add(static_cast<std::uint32_t>(from.height))
                             .add(static_cast<std::uint32_t>(from.width));
                         for (const double number : numbers) arguments.add(number);
                         launch(device, kernel, patch_grid(patches, traits), arguments, stream);
                       });
}

Tensor nearest(std::string_view name, const Tensor& x, Shape shape, const CallOptions& options) {
  const Operation operation = Operation::builtin(x.device(), Builtin::upsample_nearest2d);
  const Tensor* const input = &x;
  const Tensor out = output(name, x.device(), shape, x.dtype(), options, {&input, 1});
  if (out.elements() == 0) return out;
  const Size2 from = size_of_images(x), to = size_of_images(out);
  const double steps[] = {ratio(from.height, to.height), ratio(from.width, to.width)};
  resize(operation, x, out, steps, true, options.stream);
  return out;
}

/// Input elements per output element along one dim.
double bilinear_step(std::int64_t in, std::int64_t out, bool align_corners, std::optional<double> scale) {
  if (!align_corners) return scale ? 1 / *scale : ratio(in, out);
  return out > 1 ? ratio(in - 1, out - 1) : 0;
}

void check_scale(std::string_view operation, std::string_view what, std::optional<double> scale) {
  if (scale && !(*scale > 0 && std::isfinite(*scale)))
    invalid(formatted("{}: the scale of the {} is {}; it has to be positive and finite", operation, what,
                      *scale));
}

}  // namespace

Tensor upsample_nearest1d(const Tensor& x, std::int64_t length, const CallOptions& options) {
  constexpr std::string_view name = "upsample_nearest1d";
  check_image(name, x, 1);
  check_size(name, "the length", x.shape()[2], length);
  return nearest(name, x, {x.shape()[0], x.shape()[1], length}, options);
}

Tensor upsample_nearest2d(const Tensor& x, Size2 size, const CallOptions& options) {
  constexpr std::string_view name = "upsample_nearest2d";
  check_image(name, x, 2);
  check_size(name, "the height", x.shape()[2], size.height);
  check_size(name, "the width", x.shape()[3], size.width);
  return nearest(name, x, {x.shape()[0], x.shape()[1], size.height, size.width}, options);
}

Tensor upsample_bilinear2d(const Tensor& x, Size2 size, bool align_corners, Scale2 scale,
                           const CallOptions& options) {
  constexpr std::string_view name = "upsample_bilinear2d";
  check_image(name, x, 2);
  const Shape& in = x.shape();
  check_size(name, "the height", in[2], size.height);
  check_size(name, "the width", in[3], size.width);
  check_scale(name, "height", scale.height);
  check_scale(name, "width", scale.width);
  const Operation operation = Operation::builtin(x.device(), Builtin::upsample_bilinear2d);
  const Tensor* const input = &x;
  const Tensor out =
      output(name, x.device(), {in[0], in[1], size.height, size.width}, x.dtype(), options, {&input, 1});
  if (out.elements() == 0) return out;
  const double numbers[] = {bilinear_step(in[2], size.height, align_corners, scale.height),
                            bilinear_step(in[3], size.width, align_corners, scale.width),
                            align_corners ? 0.0 : 0.5};
  resize(operation, x, out, numbers, false, options.stream);
  return out;
}

}  // namespace kernelgen
