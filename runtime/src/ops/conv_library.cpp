#include "ops/conv_library.hpp"

#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "common/quotient.hpp"
#include "device/device_state.hpp"
#include "library/gpu_matrices.hpp"
#include "ops/operand.hpp"

namespace kernelgen {
namespace {

bool is_single(const ConvAxis& axis) { return axis.kernel == 1 && axis.stride == 1 && axis.padding == 0; }

/// Whether kernels have one element that falls on each element of x exactly once and on nothing else.
bool is_pointwise(const ConvProblem& problem) {
  return is_single(problem.rows) && is_single(problem.columns) && problem.rows.out == problem.rows.in &&
         problem.columns.out == problem.columns.in;
}

/// Strides of x, [batch, channels, rows, columns], in the form a library takes. Nothing for unsupported
/// layouts.
std::optional<std::array<std::int64_t, 4>> library_strides(const ConvProblem& problem, const Tensor& x) {
  const Shape& given = x.layout().strides;
  const std::int64_t extents[] = {problem.batch, problem.groups * problem.in_channels, problem.rows.in,
                                  problem.columns.in};
  const std::int64_t own[] = {given[0], given[1], given[2], given.back()};
  std::array<std::int64_t, 4> strides{};
  std::int64_t span = 1;  // elements spanned by the dims visited so far
  for (std::size_t d = 4; d-- > 0;) {
    const std::int64_t stride = extents[d] == 1 ? span : own[d];
    if (stride < span || (d == 3 && stride != 1)) return std::nullopt;
    if (stride > std::numeric_limits<int>::max() / extents[d]) return std::nullopt;
    strides[d] = stride;
    span = stride * extents[d];
  }
  return strides;
}

/// Whether the plain convolution from the result's extent leads back to x's: an output padding may have added
/// steps.
bool is_derivative(const ConvAxis& axis) {
  return (axis.out + 2 * axis.padding - axis.reach()) / axis.stride + 1 == axis.in;
}

}  // namespace

bool multiplies_padding(const ConvProblem& problem) {
  if (problem.transposed) return !is_pointwise(problem);
  return problem.rows.padding != 0 || problem.columns.padding != 0;
}

bool fits_library(const ConvProblem& problem, const Tensor& x) {
  return library_strides(problem, x).has_value();
}

bool convolve_by_products(const ConvProblem& problem, const Tensor& x, const Tensor& weight,
                          const Tensor& out, const Stream& stream) {
  const Device& device = out.device();
  // Batches have a single stride.
  if (!is_pointwise(problem) || problem.in_channels == 0 || (problem.groups != 1 && problem.batch != 1))
    return false;
  const std::optional<std::array<std::int64_t, 4>> strides = library_strides(problem, x);
  const std::int64_t pixels = problem.rows.in * problem.columns.in;
  if (!strides || (problem.rows.in > 1 && (*strides)[2] != problem.columns.in)) return false;
  const GpuMatrices* const library = GpuMatrices::of(state_of(device), x.dtype());
  if (library == nullptr) return false;
  const Tensor factors = make_contiguous(weight, stream);
  const std::int64_t ins = problem.in_channels, outs = problem.out_channels;
  MatrixProduct product{x.dtype(),
                        x.dtype(),
                        {static_cast<const std::byte*>(factors.data()), outs, ins, 1},
                        {static_cast<const std::byte*>(x.data()), pixels, 1, (*strides)[1]},
                        ins,
                        static_cast<std::byte*>(out.data())};
  if (problem.transposed) {  // [channels, out_channels]
    product.a.row_stride = 1;
    product.a.term_stride = outs;
  }
  product.slices = problem.batch * problem.groups;
  product.a.slice_stride = problem.groups == 1 ? 0 : ins * outs;
  product.b.slice_stride = problem.groups == 1 ? (*strides)[0] : ins * (*strides)[1];
  return library->multiply(product, state_of(device).queue(stream));
}

const ConvolutionLibrary* convolution_library(const Device& device, const ConvProblem& problem, DType dtype) {
  if (device.kind() == DeviceKind::cpu) return nullptr;
  if (problem.transposed && !(is_derivative(problem.rows) && is_derivative(problem.columns))) return nullptr;
  const double outputs = static_cast<double>(problem.batch * problem.groups * problem.out_channels) *
                         static_cast<double>(problem.rows.out * problem.columns.out);
  if (outputs > std::numeric_limits<int>::max()) return nullptr;
  return ConvolutionLibrary::of(state_of(device), dtype);
}

bool convolve_by(const ConvolutionLibrary& library, const ConvProblem& problem, const Tensor& x,
                 const Tensor& weight, const Tensor& out, const Stream& stream,
                 const ConvolutionLibrary::Caller& caller) {
  const std::optional<std::array<std::int64_t, 4>> strides = library_strides(problem, x);
  if (!strides) return false;
  const auto axis = [](const ConvAxis& a) {
    return Convolution::Axis{a.in, a.kernel, a.out, a.stride, a.padding, a.dilation};
  };
  const Convolution convolution{x.dtype(),
                                problem.transposed,
                                problem.batch,
                                problem.groups * problem.in_channels,
                                problem.groups * problem.out_channels,
                                problem.groups,
                                axis(problem.rows),
                                axis(problem.columns),
                                *strides,
                                longest_sum(problem)};
  library.convolve(convolution, {x.data(), weight.data(), out.data()}, state_of(out.device()).queue(stream),
                   caller);
  return true;
}

}  // namespace kernelgen
