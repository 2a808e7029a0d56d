#include "common/format.hpp"

#include <algorithm>

#include "ops/conv_library.hpp"
#include "ops/image.hpp"
#include "ops/iteration.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/own_convolution.hpp"
#include "ops/traits.hpp"
#include "plan/conv_plan.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

void check_axis(std::string_view name, std::string_view what, ConvAxis& axis, bool transposed) {
  const auto value = [&](std::string_view role, std::int64_t given, std::int64_t least) {
    if (given < least)
      invalid(
          formatted("{}: the {} of the {} is {}; it has to be at least {}", name, role, what, given, least));
    check_extent(name, formatted("the {} of the {}", role, what), given);
  };
  value("kernel", axis.kernel, 1);
  value("stride", axis.stride, 1);
  value("padding", axis.padding, 0);
  value("dilation", axis.dilation, 1);
  value("output padding", axis.output_padding, 0);
  if (!transposed && axis.output_padding != 0)
    invalid(formatted("{}: an output padding of the {} is for transposed convolutions", name, what));
  // Each factor is below 2^31, so this does not overflow.
  const std::int64_t padded = transposed ? (axis.in - 1) * axis.stride + axis.reach() + axis.output_padding
                                         : axis.in + 2 * axis.padding;
  check_extent(name, formatted("the padded {}", what), padded);
  axis.out = transposed              ? padded - 2 * axis.padding
             : padded < axis.reach() ? 0
                                     : (padded - axis.reach()) / axis.stride + 1;
  if (axis.out < 1)
    invalid(formatted("{}: a {} of {} with a kernel of {}, dilation {}, padding {} leaves no output", name,
                      what, axis.in, axis.kernel, axis.dilation, axis.padding));
}

/// The expected dims of x and weight, such as "[batch, channels, length]".
std::string_view kernel_dims(const ConvProblem& problem, std::size_t axes) {
  if (problem.transposed)
    return axes == 1 ? "[channels, out_channels / groups, length]"
                     : "[channels, out_channels / groups, height, width]";
  return axes == 1 ? "[out_channels, channels / groups, length]"
                   : "[out_channels, channels / groups, height, width]";
}

void check_channels(ConvProblem& problem, const Tensor& x, const Tensor& weight, std::int64_t groups,
                    std::size_t axes) {
  const Shape &image = x.shape(), &kernel = weight.shape();
  if (kernel.size() != 2 + axes)
    invalid(formatted("{}: the weight is {}; it has to be {}", problem.name, kernel.to_string(),
                      kernel_dims(problem, axes)));
  if (weight.dtype() != x.dtype())
    invalid(formatted("{}: the weight is {}, the input {}; they must have one dtype", problem.name,
                      name_of(weight.dtype()), name_of(x.dtype())));
  if (groups < 1) invalid(formatted("{}: groups is {}; it has to be at least 1", problem.name, groups));
  const std::int64_t first = kernel[0];
  if (image[1] % groups != 0 || first % groups != 0)
    invalid(formatted("{}: {} groups do not divide the channels of input {} and weight {}", problem.name,
                      groups, image.to_string(), kernel.to_string()));
  problem.batch = image[0];
  problem.groups = groups;
  problem.in_channels = image[1] / groups;
  problem.out_channels = problem.transposed ? kernel[1] : first / groups;
  const bool fits = problem.transposed ? first == image[1] : kernel[1] == problem.in_channels;
  if (!fits)
    invalid(formatted("{}: weight {} does not fit the {} channels of input {} in {} groups; it has to be {}",
                      problem.name, kernel.to_string(), image[1], image.to_string(), groups,
                      kernel_dims(problem, axes)));
  // With zero input channels, any number of groups is valid.
  const Checked channels = Checked(problem.groups) * problem.out_channels;
  if (weight.elements() > launch_limit || channels.value_or(launch_limit + 1) > launch_limit)
    invalid(
        formatted("{}: the weight is {} in {} groups; elements and output channels have to be fewer than "
                  "2^31",
                  problem.name, kernel.to_string(), groups));
}

/// Runs our kernels with rows and columns swapped.
void convolve_transposed(const ConvProblem& problem, const Tensor& x, const Tensor& weight, const Tensor& out,
                         const Operation& operation, const Stream& stream) {
  ConvProblem transposed = problem;
  std::swap(transposed.rows, transposed.columns);
  const Tensor image = make_contiguous(x.transpose(2, 3), stream);
  const Tensor weights = weight.transpose(2, 3);
  OwnConvolution(transposed, image, problem.transposed ? weights : make_contiguous(weights, stream), out,
                 operation, stream, ResultLayout::transposed)
      .convolve(CallerAlgorithm::kernels);
}

/// All tensors have 4 dims.
void compute(const ConvProblem& problem, const Tensor& x, const Tensor& weight, const Tensor& out,
             const Operation& operation, const Stream& stream) {
  const Device& device = x.device();
  if (convolve_by_products(problem, x, weight, out, stream)) return;
  if (is_worth_gemm(problem, device)) {
    const OwnConvolution own(problem, x, weight, out, operation, stream);
    if (own.has(CallerAlgorithm::gemm)) return own.convolve(CallerAlgorithm::gemm);
  }
  if (is_conv_worth_transposing(problem.rows.out, problem.columns.out, traits_of(device)))
    return convolve_transposed(problem, x, weight, out, operation, stream);
  const ConvolutionLibrary* const library =
      is_small_conv(problem, out) ? nullptr : convolution_library(device, problem, x.dtype());
  const bool keeps_layout = library != nullptr && !multiplies_padding(problem) && fits_library(problem, x) &&
                            (library->takes_gaps() || x.layout().is_contiguous());
  const Tensor image = keeps_layout ? x : make_contiguous(x, stream);
  const bool keeps_weight = problem.transposed && library == nullptr;
  const Tensor weights = keeps_weight ? weight : make_contiguous(weight, stream);
  const OwnConvolution own(problem, image, weights, out, operation, stream);
  if (library == nullptr || !convolve_by(*library, problem, image, weights, out, stream, own))
    own.convolve(CallerAlgorithm::kernels);
}

Tensor convolve(std::string_view name, bool transposed, const Tensor& x, const Tensor& weight,
                const Window2& window, std::size_t axes, const CallOptions& options) {
  const Tensor* const inputs[] = {&x, &weight};
  check_inputs(name, inputs);
  check_image(name, x, axes);
  check_float(name, x);
  ConvProblem problem{name, transposed, 0, 0, 0, 0, {}, {}};
  check_channels(problem, x, weight, window.groups, axes);
  problem.columns = {x.shape().back(),     weight.shape().back(), window.stride.width,
                     window.padding.width, window.dilation.width, window.output_padding.width};
  problem.rows = {axes == 1 ? 1 : x.shape()[2], axes == 1 ? 1 : weight.shape()[2],
                  window.stride.height,         window.padding.height,
                  window.dilation.height,       window.output_padding.height};
  check_axis(name, axes == 1 ? "length" : "width", problem.columns, transposed);
  check_axis(name, "height", problem.rows, transposed);

  const Device& device = x.device();
  const Operation operation = Operation::builtin(device, Builtin::conv2d);
  Shape shape{problem.batch, problem.groups * problem.out_channels};
  if (axes == 2) shape.push_back(problem.rows.out);
  shape.push_back(problem.columns.out);
  const Tensor out = output(name, device, shape, x.dtype(), options, inputs);
  if (out.elements() > 0) {
    const auto as_image = [&](const Tensor& t) { return axes == 1 ? t.unsqueeze(2) : t; };
    compute(problem, as_image(x), as_image(weight), as_image(out), operation, options.stream);
  }
  return out;
}

Window2 of_one_row(const Window1& window) {
  return {{1, window.stride},
          {0, window.padding},
          {1, window.dilation},
          {0, window.output_padding},
          window.groups};
}

}  // namespace

Tensor conv1d(const Tensor& x, const Tensor& weight, const Window1& window, const CallOptions& options) {
  return convolve("conv1d", false, x, weight, of_one_row(window), 1, options);
}

Tensor conv2d(const Tensor& x, const Tensor& weight, const Window2& window, const CallOptions& options) {
  return convolve("conv2d", false, x, weight, window, 2, options);
}

Tensor conv_transpose1d(const Tensor& x, const Tensor& weight, const Window1& window,
                        const CallOptions& options) {
  return convolve("conv_transpose1d", true, x, weight, of_one_row(window), 1, options);
}

Tensor conv_transpose2d(const Tensor& x, const Tensor& weight, const Window2& window,
                        const CallOptions& options) {
  return convolve("conv_transpose2d", true, x, weight, window, 2, options);
}

}  // namespace kernelgen
