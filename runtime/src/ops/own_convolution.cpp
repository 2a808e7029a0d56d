#include "ops/own_convolution.hpp"

#include <algorithm>

#include "common/quotient.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/image.hpp"
#include "kernelgen/ops/matmul.hpp"
#include "kernelgen/ops/reduce.hpp"
#include "ops/conv_library.hpp"
#include "ops/iteration.hpp"
#include "ops/launch.hpp"
#include "ops/matmul_choice.hpp"
#include "ops/operand.hpp"
#include "ops/sum_type.hpp"
#include "ops/traits.hpp"
#include "plan/divisor.hpp"

namespace kernelgen {
namespace {

/// Names of the forms, in the order of ConvForm.
constexpr std::string_view form_names[] = {"direct", "fix_padding", "implicit_gemm_small", "implicit_gemm",
                                           "col2im"};

/// No kernel element falls on the phase's elements: the sum is empty.
bool is_empty(const ConvPhase& row, const ConvPhase& column) {
  return row.kernel_count == 0 || column.kernel_count == 0;
}

template <class F>
void for_each_phases(const ConvProblem& problem, const F& f) {
  for_each_conv_phase(problem.rows, problem.transposed, [&](const ConvPhase& row) {
    for_each_conv_phase(problem.columns, problem.transposed,
                        [&](const ConvPhase& column) { f(row, column); });
  });
}

std::int64_t taps_of(const ConvProblem& problem) { return problem.rows.kernel * problem.columns.kernel; }

/// Bytes of one image's products.
std::int64_t product_bytes(const ConvProblem& problem, DType dtype) {
  return problem.groups * problem.out_channels * taps_of(problem) * problem.rows.in * problem.columns.in *
         static_cast<std::int64_t>(size_of(sum_type(dtype)));
}

/// Whether a transposed convolution is a plain one along this axis.
bool is_mirrorable(const ConvAxis& axis) {
  return axis.stride == 1 && axis.output_padding == 0 && axis.padding < axis.reach();
}

/// The number of channels a library may sum over in f32.
std::int64_t channels_at_once(const ConvProblem& problem) {
  return ConvolutionLibrary::most_terms(DType::f32) / channel_terms(problem);
}

Window2 window_of(const ConvProblem& problem) {
  const ConvAxis &rows = problem.rows, &columns = problem.columns;
  return {{rows.stride, columns.stride},
          {rows.padding, columns.padding},
          {rows.dilation, columns.dilation},
          {rows.output_padding, columns.output_padding}};
}

}  // namespace

bool is_small_conv(const ConvProblem& problem, const Tensor& out) {
  return is_conv_small(out.elements(), problem.in_channels * taps_of(problem), traits_of(out.device()));
}

bool is_worth_gemm(const ConvProblem& problem, const Device& device) {
  const bool is_strided = problem.rows.stride != 1 || problem.columns.stride != 1;
  return problem.groups == 1 && is_conv_worth_gemm(problem.in_channels, problem.out_channels,
                                                   problem.transposed, is_strided, traits_of(device));
}

OwnConvolution::OwnConvolution(const ConvProblem& problem, const Tensor& x, const Tensor& weight,
                               const Tensor& out, const Operation& operation, const Stream& stream,
                               ResultLayout layout)
    : problem_(problem),
      x_(x),
      weight_(weight),
      out_(out),
      operation_(operation),
      stream_(stream),
      y_row_(layout == ResultLayout::plain ? problem.columns.out : 1),
      y_column_(layout == ResultLayout::plain ? 1 : problem.rows.out) {}

bool OwnConvolution::has(CallerAlgorithm algorithm) const {
  // The products of fewer channels take longer to store than the whole convolution.
  constexpr std::int64_t least_gemm_channels = 4;
  switch (algorithm) {
    case CallerAlgorithm::kernels:
      return true;
    case CallerAlgorithm::gemm:
      return problem_.in_channels >= least_gemm_channels &&
             product_bytes(problem_, out_.dtype()) <= convolution_workspace_limit &&
             Operation::find(out_.device(), is_16bit(out_.dtype()) ? Builtin::matmul_wide : Builtin::matmul);
    case CallerAlgorithm::mirrored:
      return problem_.transposed && problem_.groups == 1 && is_mirrorable(problem_.rows) &&
             is_mirrorable(problem_.columns);
    case CallerAlgorithm::parts:
      return problem_.groups == 1 && !has(CallerAlgorithm::mirrored) && channels_at_once(problem_) > 0 &&
             longest_sum(problem_) > ConvolutionLibrary::most_terms(out_.dtype());
  }
  return false;
}

void OwnConvolution::convolve(CallerAlgorithm algorithm) const {
  switch (algorithm) {
    case CallerAlgorithm::kernels:
      return convolve_by_kernels();
    case CallerAlgorithm::gemm:
      return convolve_by_gemm();
    case CallerAlgorithm::mirrored:
      return convolve_mirrored();
    case CallerAlgorithm::parts:
      return convolve_in_parts();
  }
}

void OwnConvolution::convolve_by_kernels() const {
  const Tensor image = make_contiguous(x_, stream_);
  if (is_small_conv(problem_, out_)) return run_whole(ConvForm::direct, image);
  if (const std::int64_t splits = channel_splits(); splits > 1) return convolve_split(image, splits);
  bool has_gaps = false;
  for_each_phases(problem_,
                  [&](const ConvPhase& row, const ConvPhase& column) { has_gaps |= is_empty(row, column); });
  if (has_gaps) const_set(out_, 0, stream_);  // fills all gaps in one launch
  const ConvForm form = conv_form(problem_.out_channels, traits_of(out_.device()));
  for_each_phases(problem_, [&](const ConvPhase& row, const ConvPhase& column) {
    if (is_empty(row, column)) return;
    run(form, image, problem_.transposed ? weights_of(row, column) : weight_, row, column);
  });
}

void OwnConvolution::fix_padding() const {
  if (!multiplies_padding(problem_)) return;
  run_whole(ConvForm::fix_padding, make_contiguous(x_, stream_));
}

void OwnConvolution::convolve_by_gemm() const {
  constexpr std::int64_t bytes_at_once = std::int64_t{64} << 20;  // about a level-2 cache
  const std::int64_t taps = taps_of(problem_), groups = problem_.groups, ins = problem_.in_channels,
                     outs = problem_.out_channels, pixels = problem_.rows.in * problem_.columns.in;
  // No matrix product has 8-bit operands and a wider result.
  const auto operand = [&](const Tensor& t) {
    return size_of(t.dtype()) > 1 ? t : to_dtype(t, DType::f32, {.stream = stream_});
  };
  const Tensor whole = make_contiguous(operand(weight_), stream_);
  const Tensor by_channel =
      problem_.transposed ? whole : whole.reshape({groups, outs, ins, taps}).transpose(1, 2);
  const Tensor factors =
      make_contiguous(by_channel, stream_).reshape({groups, ins, outs * taps}).transpose(1, 2);
  ConvProblem sums = problem_;  // of the products, without weights
  sums.groups = groups * outs;
  sums.in_channels = taps;
  sums.out_channels = 1;
  const std::int64_t most =
      std::clamp<std::int64_t>(bytes_at_once / product_bytes(problem_, out_.dtype()), 1, problem_.batch);
  for (std::int64_t first = 0; first < problem_.batch; first += most) {
    sums.batch = std::min(most, problem_.batch - first);
    const Tensor image = make_contiguous(operand(x_.narrow(0, first, sums.batch)), stream_);
    const Tensor products = Tensor::empty(out_.device(), {sums.batch, groups, outs * taps, pixels},
                                          sum_type(out_.dtype()), stream_);
    matmul(factors, image.reshape({sums.batch, groups, ins, pixels}), {.stream = stream_, .out = &products});
    const Tensor out = out_.narrow(0, first, sums.batch);
    OwnConvolution(sums, products, products, out, operation_, stream_).run_whole(ConvForm::col2im, products);
  }
}

void OwnConvolution::convolve_mirrored() const {
  Layout layout = weight_.layout().transpose(0, 1);
  for (std::size_t d = 2; d < layout.shape.size(); ++d) {
    layout.offset += (layout.shape[d] - 1) * layout.strides[d];
    layout.strides[d] = -layout.strides[d];
  }
  const auto padding = [](const ConvAxis& axis) { return axis.reach() - 1 - axis.padding; };
  const Window2 window{.padding = {padding(problem_.rows), padding(problem_.columns)},
                       .dilation = {problem_.rows.dilation, problem_.columns.dilation}};
  conv2d(x_, weight_.with_layout(layout), window, {.stream = stream_, .out = &out_});
}

void OwnConvolution::convolve_in_parts() const {
  const DType type = out_.dtype(), wide = sum_type(type);
  const auto widened = [&](const Tensor& t) {
    return wide == type ? t : to_dtype(t, wide, {.stream = stream_});
  };
  const Tensor image = widened(x_), weights = widened(weight_);
  // Only the total is rounded.
  const Tensor sum = wide == type ? out_ : Tensor::empty(out_.device(), out_.shape(), wide, stream_);
  const std::int64_t most = channels_at_once(problem_);
  for (std::int64_t first = 0; first < problem_.in_channels; first += most) {
    const std::int64_t count = std::min(most, problem_.in_channels - first);
    const auto some = [&](const CallOptions& options) {
      return (problem_.transposed ? conv_transpose2d : conv2d)(
          image.narrow(1, first, count), weights.narrow(problem_.transposed ? 0 : 1, first, count),
          window_of(problem_), options);
    };
    if (first == 0)
      some({.stream = stream_, .out = &sum});
    else
      add(sum, some({.stream = stream_}), {.stream = stream_, .out = &sum});
  }
  if (wide != type) to_dtype(sum, type, {.stream = stream_, .out = &out_});
}

std::int64_t OwnConvolution::channel_splits() const {
  // The results of a split would be rounded before they are added.
  if (problem_.groups != 1 || size_of(out_.dtype()) < 4) return 1;
  // A transposed convolution computes every stride-th result per launch.
  const auto results = [&](const ConvAxis& axis) {
    return problem_.transposed ? quotient_up(axis.out, axis.stride) : axis.out;
  };
  return conv_channel_splits(problem_.in_channels, channel_terms(problem_), problem_.out_channels,
                             problem_.batch * results(problem_.rows) * results(problem_.columns),
                             traits_of(out_.device()));
}

void OwnConvolution::convolve_split(const Tensor& image, std::int64_t splits) const {
  ConvProblem grouped = problem_;
  grouped.groups = splits;
  grouped.in_channels /= splits;
  Tensor weights = weight_;  // those of a transposed convolution begin with the input's channels
  if (!problem_.transposed)
    weights =
        make_contiguous(weight_.reshape({weight_.shape()[0], splits, grouped.in_channels * taps_of(problem_)})
                            .transpose(0, 1),
                        stream_);
  Shape shape = out_.shape();
  shape.insert(1, splits);
  const Tensor sums = Tensor::empty(out_.device(), shape, out_.dtype(), stream_);
  OwnConvolution(grouped, image, weights, sums, operation_, stream_).convolve_by_kernels();
  constexpr std::int64_t split_dim[] = {1};
  sum(sums, split_dim, false, {.stream = stream_, .out = &out_});
}

Tensor OwnConvolution::weights_of(const ConvPhase& row, const ConvPhase& column) const {
  const Shape& strides = weight_.layout().strides;
  // The stride of a single row or column is unused.
  const std::int64_t row_stride = row.kernel_count > 1 || row.kernel_first > 0 ? strides[2] : 0;
  const std::int64_t column_stride = column.kernel_count > 1 || column.kernel_first > 0 ? strides[3] : 0;
  const Layout phase{
      {problem_.groups, problem_.out_channels, problem_.in_channels, row.kernel_count, column.kernel_count},
      {problem_.in_channels * strides[0], strides[1], strides[0],
       row.kernel_count > 1 ? row.kernel_step * row_stride : 0,
       column.kernel_count > 1 ? column.kernel_step * column_stride : 0},
      weight_.layout().offset + row.kernel_first * row_stride + column.kernel_first * column_stride};
  return make_contiguous(weight_.with_layout(phase), stream_);
}

void OwnConvolution::run_whole(ConvForm form, const Tensor& image) const {
  run(form, image, make_contiguous(weight_, stream_), whole_conv_phase(problem_.rows, problem_.transposed),
      whole_conv_phase(problem_.columns, problem_.transposed));
}

void OwnConvolution::run(ConvForm form, const Tensor& image, const Tensor& weights, const ConvPhase& row,
                         const ConvPhase& column) const {
  const DType type = out_.dtype();
  const Device& device = out_.device();
  const std::uint32_t kernel =
      operation_.kernel({&type, 1}, operation_.form(form_names[static_cast<std::size_t>(form)]));
  kg::ConvShape shape = conv_shape(problem_, row, column, y_row_, y_column_);
  const std::int64_t channels = problem_.groups * problem_.out_channels;
  const std::int64_t x_batch = problem_.groups * problem_.in_channels * shape.x_channel;
  const std::int64_t y_batch = channels * shape.y_channel;
  const std::int64_t out_first = row.first * y_row_ + column.first * y_column_;
  // Keeps the elements and the tiles of a launch below 2^31.
  const std::int64_t limit = launch_limit / channels;
  const std::int64_t column_limit = std::min(column.count, limit);
  const std::int64_t row_limit = std::min(row.count, limit / column_limit);
  const std::int64_t batch_limit = std::min(problem_.batch, limit / (column_limit * row_limit));
  for (std::int64_t b = 0; b < problem_.batch; b += batch_limit)
    for (std::int64_t r = 0; r < row.count; r += row_limit)
      for (std::int64_t c = 0; c < column.count; c += column_limit) {
        shape.batch = static_cast<unsigned>(std::min(batch_limit, problem_.batch - b));
        shape.rows = divisor(static_cast<unsigned>(std::min(row_limit, row.count - r)));
        shape.columns = divisor(static_cast<unsigned>(std::min(column_limit, column.count - c)));
        shape.row_padding = static_cast<int>(row.padding - r * row.stride);
        shape.column_padding = static_cast<int>(column.padding - c * column.stride);
        Arguments arguments;
        arguments.add(element_address(image, b * x_batch));
        if (form != ConvForm::col2im) arguments.add(weights.data());
        arguments.add(element_address(out_, out_first + b * y_batch + r * shape.y_row + c * shape.y_column))
            .add(shape);
        launch(device, kernel, conv_grid(form, shape, traits_of(device)), arguments, stream_);
      }
}

}  // namespace kernelgen
