#include "common/format.hpp"

#include <algorithm>

#include "common/quotient.hpp"
#include "kernelgen/ops/elementwise.hpp"
#include "kernelgen/ops/reduce.hpp"
#include "ops/conv_library.hpp"
#include "ops/conv_problem.hpp"
#include "ops/image.hpp"
#include "ops/launch.hpp"
#include "ops/operand.hpp"
#include "ops/operation.hpp"
#include "ops/output.hpp"
#include "ops/traits.hpp"
#include "plan/conv_plan.hpp"
#include "tensor/checked.hpp"

namespace kernelgen {
namespace {

/// Whether the direct kernel takes a convolution in one launch.
bool is_small(const ConvProblem& problem, const Tensor& out) {
  return is_conv_small(out.elements(), problem.in_channels * problem.rows.kernel * problem.columns.kernel,
                       traits_of(out.device()));
}

/// Names of the forms, in the order of ConvForm.
constexpr std::string_view form_names[] = {"direct", "fix_padding", "implicit_gemm_small", "implicit_gemm"};

/// Whether a result's rows run along the problem's rows or along its columns.
enum class ResultLayout { plain, transposed };

/// A convolution by our own kernels. weight is contiguous, or of a transposed convolution.
struct OwnKernels final : ConvolutionLibrary::Caller {
  const ConvProblem& problem;
  const Tensor& x;
  const Tensor& weight;
  const Tensor& out;
  const Operation& operation;
  const Stream& stream;
  const ConvForm own_form;
  const std::int64_t y_row,
      y_column;  ///< strides of the result along the problem's rows and columns

  OwnKernels(const ConvProblem& of, const Tensor& image, const Tensor& weights, const Tensor& result,
             const Operation& by, const Stream& in, ResultLayout layout = ResultLayout::plain)
      : problem(of),
        x(image),
        weight(weights),
        out(result),
        operation(by),
        stream(in),
        own_form(conv_form(of.out_channels, traits_of(result.device()))),
        y_row(layout == ResultLayout::plain ? of.columns.out : 1),
        y_column(layout == ResultLayout::plain ? 1 : of.rows.out) {}

  void convolve() const override {
    const Tensor image = make_contiguous(x, stream);
    if (is_small(problem, out)) return run_whole(ConvForm::direct, image);
    if (const std::int64_t splits = channel_splits(); splits > 1) return convolve_split(image, splits);
    bool has_gaps = false;
    for_each_phases(
        [&](const ConvPhase& row, const ConvPhase& column) { has_gaps |= is_empty(row, column); });
    if (has_gaps) const_set(out, 0, stream);  // fills all gaps in one launch
    for_each_phases([&](const ConvPhase& row, const ConvPhase& column) {
      if (is_empty(row, column)) return;
      run(own_form, image, problem.transposed ? weights_of(row, column) : weight, row, column);
    });
  }

  /// One launch for all phases: any weight of a channel may have been multiplied by a padding zero anywhere.
  void fix_padding() const override {
    if (!multiplies_padding(problem)) return;
    run_whole(ConvForm::fix_padding, make_contiguous(x, stream));
  }

 private:
  /// See conv_channel_splits(). 1 for results of fewer than 32 bits: those of a split would be rounded before they are added.
  std::int64_t channel_splits() const {
    if (problem.groups != 1 || size_of(out.dtype()) < 4) return 1;
    // A transposed convolution computes every stride-th result per launch.
    const auto results = [&](const ConvAxis& axis) {
      return problem.transposed ? quotient_up(axis.out, axis.stride) : axis.out;
    };
    return conv_channel_splits(problem.in_channels, channel_terms(problem), problem.out_channels,
                               problem.batch * results(problem.rows) * results(problem.columns),
                               traits_of(out.device()));
  }
  /// Convolves ranges of the input channels as groups, each with all output channels, and adds the groups' results.
  void convolve_split(const Tensor& image, std::int64_t splits) const {
    ConvProblem grouped = problem;
    grouped.groups = splits;
    grouped.in_channels /= splits;
    Tensor weights = weight;  // those of a transposed convolution begin with the input's channels
    if (!problem.transposed) {
      const std::int64_t elements = problem.rows.kernel * problem.columns.kernel;
      weights = make_contiguous(
          weight.reshape({weight.shape()[0], splits, grouped.in_channels * elements}).transpose(0, 1),
          stream);
    }
    Shape shape = out.shape();
    shape.insert(1, splits);
    const Tensor sums = Tensor::empty(out.device(), shape, out.dtype(), stream);
    OwnKernels(grouped, image, weights, sums, operation, stream).convolve();
    constexpr std::int64_t split_dim[] = {1};
    sum(sums, split_dim, false, {.stream = stream, .out = &out});
  }

  /// No kernel element falls on the phase's elements: the sum is empty.
  static bool is_empty(const ConvPhase& row, const ConvPhase& column) {
    return row.kernel_count == 0 || column.kernel_count == 0;
  }

  template <class F>
  void for_each_phases(const F& f) const {
    for_each_conv_phase(problem.rows, problem.transposed, [&](const ConvPhase& row) {
      for_each_conv_phase(problem.columns, problem.transposed,
                          [&](const ConvPhase& column) { f(row, column); });
    });
  }

  /// A transposed convolution's weights, [channels, out_channels / groups, rows, columns], restricted to one
  /// phase.
  Tensor weights_of(const ConvPhase& row, const ConvPhase& column) const {
    const Shape& strides = weight.layout().strides;
    // The stride of a single row or column is unused.
    const std::int64_t row_stride = row.kernel_count > 1 || row.kernel_first > 0 ? strides[2] : 0;
    const std::int64_t column_stride =
        column.kernel_count > 1 || column.kernel_first > 0 ? strides.back() : 0;
    const Layout phase{
        {problem.groups, problem.out_channels, problem.in_channels, row.kernel_count, column.kernel_count},
        {problem.in_channels * strides[0], strides[1], strides[0],
         row.kernel_count > 1 ? row.kernel_step * row_stride : 0,
         column.kernel_count > 1 ? column.kernel_step * column_stride : 0},
        weight.layout().offset + row.kernel_first * row_stride + column.kernel_first * column_stride};
    return make_contiguous(weight.with_layout(phase), stream);
  }

  void run_whole(ConvForm form, const Tensor& image) const {
    run(form, image, make_contiguous(weight, stream), whole_conv_phase(problem.rows, problem.transposed),
        whole_conv_phase(problem.columns, problem.transposed));
  }

  /// Runs a phase that has kernel elements. `weights` are the phase's.
  void run(ConvForm form, const Tensor& image, const Tensor& weights, const ConvPhase& row,
           const ConvPhase& column) const {
    const DType type = out.dtype();
    const std::uint32_t kernel =
        operation.kernel({&type, 1}, operation.form(form_names[static_cast<std::size_t>(form)]));
    kg::ConvShape shape = conv_shape(problem, row, column, y_row, y_column);
    const std::int64_t channels = problem.groups * problem.out_channels;
    const std::int64_t x_batch = problem.groups * problem.in_channels * shape.x_channel;
    const std::int64_t y_batch = channels * shape.y_channel;
    const std::int64_t out_first = row.first * y_row + column.first * y_column;
    // Keeps the elements and the tiles of a launch below 2^31.
    const std::int64_t limit = launch_limit / channels;
    const std::int64_t column_limit = std::min(column.count, limit);
    const std::int64_t row_limit = std::min(row.count, limit / column_limit);
    const std::int64_t batch_limit = std::min(problem.batch, limit / (column_limit * row_limit));
    for (std::int64_t b = 0; b < problem.batch; b += batch_limit)
      for (std::int64_t r = 0; r < row.count; r += row_limit)
        for (std::int64_t c = 0; c < column.count; c += column_limit) {
          shape.batch = static_cast<unsigned>(std::min(batch_limit, problem.batch - b));
          shape.rows = divisor(static_cast<unsigned>(std::min(row_limit, row.count - r)));
          shape.columns = divisor(static_cast<unsigned>(std::min(column_limit, column.count - c)));
          shape.row_padding = static_cast<int>(row.padding - r * row.stride);
          shape.column_padding = static_cast<int>(column.padding - c * column.stride);
          const Arguments arguments =
              Arguments()
                  .add(element_address(image, b * x_batch))
                  .add(weights.data())
                  .add(element_address(out, out_first + b * y_batch + r * shape.y_row + c * shape.y_column))
                  .add(shape);
          const Device& device = out.device();
          launch(device, kernel, conv_grid(form, shape, traits_of(device)), arguments, stream);
        }
  }
};

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

/// The dtype in which convolutions of ranges of the input channels are computed and added.
DType part_dtype(DType dtype) { return dtype == DType::f64 ? dtype : DType::f32; }

/// Whether sums over all input channels are too long for the library's precision, but sums over ranges of them are not.
bool is_worth_parts(const ConvProblem& problem, const Device& device, DType dtype) {
  ConvProblem part = problem;
  part.in_channels = channels_at_once(problem);
  return problem.groups == 1 && part.in_channels > 0 && part.in_channels < problem.in_channels &&
         convolution_library(device, part, part_dtype(dtype)) != nullptr;
}

Tensor convolve(std::string_view name, bool transposed, const Tensor& x, const Tensor& weight,
                const Window2& window, std::size_t axes, const CallOptions& options);

/// Adds the library's convolutions of ranges of the input channels. These are in part_dtype(): only the total is rounded.
void convolve_in_parts(const ConvProblem& problem, const Tensor& x, const Tensor& weight,
                       const Window2& window, std::size_t axes, const Tensor& out, const Stream& stream) {
  const DType type = out.dtype(), wide = part_dtype(type);
  const auto widened = [&](const Tensor& t) {
    return wide == type ? t : to_dtype(t, wide, {.stream = stream});
  };
  const Tensor image = widened(x), weights = widened(weight);
  const Tensor sum = wide == type ? out : Tensor::empty(out.device(), out.shape(), wide, stream);
  const std::int64_t most = channels_at_once(problem);
  for (std::int64_t first = 0; first < problem.in_channels; first += most) {
    const std::int64_t count = std::min(most, problem.in_channels - first);
    const auto some = [&](const CallOptions& options) {
      return convolve(problem.name, problem.transposed, image.narrow(1, first, count),
                      weights.narrow(problem.transposed ? 0 : 1, first, count), window, axes, options);
    };
    if (first == 0)
      some({.stream = stream, .out = &sum});
    else
      add(sum, some({.stream = stream}), {.stream = stream, .out = &sum});
  }
  if (wide != type) to_dtype(sum, type, {.stream = stream, .out = &out});
}

/// A transposed convolution as a plain one, of weights with channels swapped and spatial dims reversed.
void convolve_mirrored(const ConvProblem& problem, const Tensor& x, const Tensor& weight, std::size_t axes,
                       const Tensor& out, const Stream& stream) {
  Layout layout = weight.layout().transpose(0, 1);
  for (std::size_t d = 2; d < layout.shape.size(); ++d) {
    layout.offset += (layout.shape[d] - 1) * layout.strides[d];
    layout.strides[d] = -layout.strides[d];
  }
  const auto padding = [](const ConvAxis& axis) { return axis.reach() - 1 - axis.padding; };
  const Window2 window{.padding = {padding(problem.rows), padding(problem.columns)},
                       .dilation = {problem.rows.dilation, problem.columns.dilation}};
  convolve(problem.name, false, x, weight.with_layout(layout), window, axes, {.stream = stream, .out = &out});
}

/// Runs our kernels with rows and columns swapped.
void convolve_transposed(const ConvProblem& problem, const Tensor& x, const Tensor& weight, const Tensor& out,
                         const Operation& operation, const Stream& stream) {
  ConvProblem transposed = problem;
  std::swap(transposed.rows, transposed.columns);
  const Tensor image = make_contiguous(x.transpose(2, 3), stream);
  const Tensor weights = weight.transpose(2, 3);
  OwnKernels(transposed, image, problem.transposed ? weights : make_contiguous(weights, stream), out,
             operation, stream, ResultLayout::transposed)
      .convolve();
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
  if (out.elements() == 0) return out;

  if (convolve_by_products(problem, x, weight, out, options.stream)) return out;
  if (is_conv_worth_transposing(problem.rows.out, problem.columns.out, traits_of(device))) {
    convolve_transposed(problem, x, weight, out, operation, options.stream);
    return out;
  }
  const ConvolutionLibrary* const library =
      is_small(problem, out) ? nullptr : convolution_library(device, problem, x.dtype());
  const bool has_parts = library == nullptr && is_worth_parts(problem, device, x.dtype());
  if ((library != nullptr || has_parts) && is_worth_mirroring(problem, x.dtype())) {
    convolve_mirrored(problem, x, weight, axes, out, options.stream);
    return out;
  }
  if (has_parts) {
    convolve_in_parts(problem, x, weight, window, axes, out, options.stream);
    return out;
  }
  const bool keeps_layout = library != nullptr && !multiplies_padding(problem) && fits_library(problem, x) &&
                            (library->takes_gaps() || x.layout().is_contiguous());
  const Tensor image = keeps_layout ? x : make_contiguous(x, options.stream);
  const Tensor weights = transposed && library == nullptr ? weight : make_contiguous(weight, options.stream);
  const OwnKernels own(problem, image, weights, out, operation, options.stream);
  if (library == nullptr || !convolve_by(*library, problem, image, weights, out, options.stream, own))
    own.convolve();
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
