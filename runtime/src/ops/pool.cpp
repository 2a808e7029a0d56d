#include "common/format.hpp"

#include "device/device_state.hpp"
#include "ops/image.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"

namespace kernelgen {
namespace {

/// Number of window positions along one dim.
std::int64_t window_count(std::string_view operation, std::string_view what, std::int64_t extent,
                          std::int64_t kernel, std::int64_t stride) {
  check_positive(operation, formatted("the kernel's {}", what), kernel);
  check_positive(operation, formatted("the stride's {}", what), stride);
  if (kernel > extent)
    invalid(formatted("{}: the kernel's {} is {}, the input's {}; it must not be larger", operation, what,
                      kernel, extent));
  return (extent - kernel) / stride + 1;
}

Tensor pool(Builtin op, std::string_view name, const Tensor& x, Size2 kernel, Size2 stride,
            const CallOptions& options) {
  check_image(name, x, 2);
  const Shape& in = x.shape();
  const Shape shape{in[0], in[1], window_count(name, "height", in[2], kernel.height, stride.height),
                    window_count(name, "width", in[3], kernel.width, stride.width)};
  const Device& device = x.device();
  const DeviceTraits traits = traits_of(device);
  const Operation operation = Operation::builtin(device, op);
  const DType type = x.dtype();
  const std::uint32_t pooling = operation.kernel({&type, 1}, operation.form("images"));
  const Tensor* const input = &x;
  const Tensor out = output(name, device, shape, type, options, {&input, 1});
  if (out.elements() == 0) return out;

  const Tensor source = make_contiguous(x, options.stream);
  const auto narrow = [](std::int64_t extent) { return static_cast<unsigned>(extent); };
  const kg::PoolShape window{narrow(in[2]),        narrow(in[3]),         narrow(kernel.height),
                             narrow(kernel.width), narrow(stride.height), narrow(stride.width)};
  for_each_image_piece(shape[0] * shape[1], shape[2], shape[3],
                       [&](const kg::ImagePiece& piece, std::int64_t plane, std::int64_t first) {
                         const kg::ImagePatches patches = cut_image(
                             piece, {kg::pool_patch_columns, kg::most_rows_at_once, 1, true}, traits);
                         const Arguments arguments = Arguments()
                                                         .add(element_address(source, plane * in[2] * in[3]))
                                                         .add(element_address(out, first))
                                                         .add(patches)
                                                         .add(window);
                         launch(device, pooling, patch_grid(patches, traits), arguments, options.stream);
                       });
  return out;
}

}  // namespace

Tensor avg_pool2d(const Tensor& x, Size2 kernel, Size2 stride, const CallOptions& options) {
  return pool(Builtin::avg_pool2d, "avg_pool2d", x, kernel, stride, options);
}

Tensor max_pool2d(const Tensor& x, Size2 kernel, Size2 stride, const CallOptions& options) {
  return pool(Builtin::max_pool2d, "max_pool2d", x, kernel, stride, options);
}

}  // namespace kernelgen
