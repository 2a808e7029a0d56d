#pragma once
#include "kernelgen/tensor.hpp"
#include "library/convolution_library.hpp"
#include "ops/conv_problem.hpp"
#include "ops/operation.hpp"
#include "plan/conv_plan.hpp"

namespace kernelgen {

/// Whether the direct kernel takes a convolution in one launch.
bool is_small_conv(const ConvProblem& problem, const Tensor& out);

/// See is_conv_worth_gemm().
bool is_worth_gemm(const ConvProblem& problem, const Device& device);

/// Whether a result's rows run along the problem's rows or along its columns.
enum class ResultLayout { plain, transposed };

/// A convolution without a convolution library. The arguments of the constructor have to outlive it. The weight is contiguous, or
/// of a transposed convolution.
class OwnConvolution final : public ConvolutionLibrary::Caller {
 public:
  OwnConvolution(const ConvProblem& problem, const Tensor& x, const Tensor& weight, const Tensor& out,
                 const Operation& operation, const Stream& stream, ResultLayout layout = ResultLayout::plain);

  bool has(CallerAlgorithm algorithm) const override;
  void convolve(CallerAlgorithm algorithm) const override;
  /// One launch for all phases: any weight of a channel may have been multiplied by a padding zero anywhere.
  void fix_padding() const override;

 private:
  /// By a direct kernel or an implicit GEMM.
  void convolve_by_kernels() const;
  /// Multiplies all pixels by every kernel element of all output channels, then adds each result's products (col2im).
  void convolve_by_gemm() const;
  /// A transposed convolution as a plain one, of weights with channels swapped and spatial dims reversed.
  void convolve_mirrored() const;
  /// Adds convolutions of ranges of the input channels, whose sums are short enough for the library.
  void convolve_in_parts() const;

  /// See conv_channel_splits().
  std::int64_t channel_splits() const;
  /// Convolves ranges of the input channels as groups, each with all output channels, and adds the groups' results.
  void convolve_split(const Tensor& image, std::int64_t splits) const;
  /// A transposed convolution's weights, [channels, out_channels / groups, rows, columns], restricted to one phase.
  Tensor weights_of(const ConvPhase& row, const ConvPhase& column) const;
  /// Runs a phase that has kernel elements. `weights` are the phase's.
  void run(ConvForm form, const Tensor& image, const Tensor& weights, const ConvPhase& row,
           const ConvPhase& column) const;
  void run_whole(ConvForm form, const Tensor& image) const;

  const ConvProblem& problem_;
  const Tensor& x_;
  const Tensor& weight_;
  const Tensor& out_;
  const Operation& operation_;
  const Stream& stream_;
  const std::int64_t y_row_, y_column_;  ///< strides of the result along the problem's rows and columns
};

}  // namespace kernelgen
