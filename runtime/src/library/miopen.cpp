#include "library/miopen.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "device/device_state.hpp"
#include "library/gpu_matrices.hpp"
#include "library/rocblas.hpp"
#include "library/rocm_library.hpp"

namespace kernelgen {
namespace {

constexpr RocmLibrary miopen_library{.what = "MIOpen library",
                                     .variable = "KERNELGEN_MIOPEN_LIBRARY",
                                     .name = "libMIOpen.so",
                                     .versions = {{{7, 1}, {6, 1}, {5, 1}}},
                                     .function = "miopenCreate",
                                     .kernel_folder = nullptr,
                                     .kernel_variable = nullptr};

/// Of the ways that the library proposes, those that are looked at.
constexpr std::size_t most_solutions = 64;

/// miopenDataType_t of a dtype, or nothing. MIOpen has types of f64, and no kernels.
std::optional<int> type_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return miopen::type_f16;
    case DType::bf16:
      return miopen::type_bf16;
    case DType::f32:
      return miopen::type_f32;
    default:
      return std::nullopt;
  }
}

/// A contiguous tensor as the library describes it.
class Tensor4 {
 public:
  Tensor4(const MiopenLibrary& library, int type, const std::array<std::int64_t, 4>& extents)
      : library_(library) {
    std::array<int, 4> shape{}, strides{};
    int stride = 1;
    for (std::size_t d = 4; d-- > 0;) {
      shape[d] = static_cast<int>(extents[d]);
      strides[d] = stride;
      stride *= shape[d];
    }
    library_.invoke(library_.miopenCreateTensorDescriptor, &descriptor_);
    try {
      library_.invoke(library_.miopenSetTensorDescriptor, descriptor_, type, 4,
                      static_cast<const int*>(shape.data()), static_cast<const int*>(strides.data()));
    } catch (const Error&) {
      library_.miopenDestroyTensorDescriptor.function(descriptor_);
      throw;
    }
  }
  ~Tensor4() { library_.miopenDestroyTensorDescriptor.function(descriptor_); }
  Tensor4(const Tensor4&) = delete;
  Tensor4& operator=(const Tensor4&) = delete;
  void* get() const { return descriptor_; }

 private:
  const MiopenLibrary& library_;
  void* descriptor_ = nullptr;
};

/// How elements are multiplied.
class Steps {
 public:
  explicit Steps(const MiopenLibrary& library) : library_(library) {
    library_.invoke(library_.miopenCreateConvolutionDescriptor, &descriptor_);
  }
  ~Steps() { library_.miopenDestroyConvolutionDescriptor.function(descriptor_); }
  Steps(const Steps&) = delete;
  Steps& operator=(const Steps&) = delete;
  void* get() const { return descriptor_; }

  /// False where the library is too old to be asked for one order of sums, or does not do it.
  bool describe(const Convolution& c) const {
    const auto pair = [&](std::int64_t Convolution::Axis::* member) {
      return std::array<int, 2>{static_cast<int>(c.rows.*member), static_cast<int>(c.columns.*member)};
    };
    const std::array<int, 2> padding = pair(&Convolution::Axis::padding),
                             stride = pair(&Convolution::Axis::stride),
                             dilation = pair(&Convolution::Axis::dilation);
    const auto& set = library_.miopenSetConvolutionAttribute;
    return library_.does(library_.miopenInitConvolutionNdDescriptor, descriptor_, 2, padding.data(),
                         stride.data(), dilation.data(), miopen::mode_convolution) &&
           library_.does(library_.miopenSetConvolutionGroupCount, descriptor_, static_cast<int>(c.groups)) &&
           library_.does(set, descriptor_, miopen::attribute_f16_as_bf16, 0) &&
           library_.does(set, descriptor_, miopen::attribute_deterministic, 1);
  }

 private:
  const MiopenLibrary& library_;
  void* descriptor_ = nullptr;
};

/// A transposed convolution is the derivative of a plain one by its input: x is the derivative by the output.
struct Problem {
  const MiopenLibrary& library;
  void* const handle;
  const bool transposed;
  const Tensor4 x, weight, y;
  const Steps steps;

  Problem(const MiopenLibrary& of, void* by, const Convolution& c, int type)
      : library(of),
        handle(by),
        transposed(c.transposed),
        x(of, type, {c.batch, c.in_channels, c.rows.in, c.columns.in}),
        weight(of, type,
               c.transposed
                   ? std::array{c.in_channels, c.out_channels / c.groups, c.rows.kernel, c.columns.kernel}
                   : std::array{c.out_channels, c.in_channels / c.groups, c.rows.kernel, c.columns.kernel}),
        y(of, type, {c.batch, c.out_channels, c.rows.out, c.columns.out}),
        steps(of) {}

  /// The descriptors in the order of the library's functions: weights first, or after the input.
  void* first() const { return transposed ? x.get() : weight.get(); }
  void* second() const { return transposed ? weight.get() : x.get(); }

  /// Best first by the library's estimate.
  std::vector<MiopenSolution> solutions() const {
    const auto& count_of = transposed ? library.miopenConvolutionBackwardDataGetSolutionCount
                                      : library.miopenConvolutionForwardGetSolutionCount;
    const auto& get = transposed ? library.miopenConvolutionBackwardDataGetSolution
                                 : library.miopenConvolutionForwardGetSolution;
    std::size_t count = 0;
    if (!library.does(count_of, handle, first(), second(), steps.get(), y.get(), &count) || count == 0)
      return {};
    std::vector<MiopenSolution> found(std::min(count, most_solutions));
    if (!library.does(get, handle, first(), second(), steps.get(), y.get(), found.size(), &count,
                      found.data()))
      return {};
    found.resize(std::min(count, found.size()));
    return found;
  }
  bool compile(std::uint64_t solution) const {
    const auto& call = transposed ? library.miopenConvolutionBackwardDataCompileSolution
                                  : library.miopenConvolutionForwardCompileSolution;
    return library.does(call, handle, first(), second(), steps.get(), y.get(), solution);
  }
  bool run(const ConvolutionOperands<void*>& operands, void* workspace, std::size_t bytes,
           std::uint64_t solution) const {
    const auto& call = transposed ? library.miopenConvolutionBackwardDataImmediate
                                  : library.miopenConvolutionForwardImmediate;
    const void* const first_data = transposed ? operands.x : operands.weight;
    const void* const second_data = transposed ? operands.weight : operands.x;
    return library.does(call, handle, first(), first_data, second(), second_data, steps.get(), y.get(),
                        operands.y, workspace, bytes, solution);
  }
};

struct Plan final : ConvolutionPlan {
  Plan(std::shared_ptr<const Problem> of, const MiopenSolution& by)
      : problem(std::move(of)), solution(by.id) {
    workspace_bytes = by.workspace_bytes;
  }
  bool run(const ConvolutionOperands<void*>& operands, void* workspace) const override {
    return problem->run(operands, workspace, workspace_bytes, solution);
  }

  const std::shared_ptr<const Problem> problem;
  const std::uint64_t solution;
};

}  // namespace

Miopen::Miopen(std::unique_ptr<const MiopenLibrary> library, const std::string& architecture)
    : library_(std::move(library)), architecture_(architecture) {
  const std::string rocblas = library_->file_of(rocblas_library.function);
  has_products_ = rocblas.empty() || has_rocm_kernels(rocblas_library, rocblas, architecture);
  library_->invoke(library_->miopenCreate, &handle_);
}

std::unique_ptr<Miopen> Miopen::open(DeviceState& device) {
  return open_vendor_library(miopen_library.variable, note_of(device), [&] {
    return std::unique_ptr<Miopen>(
        new Miopen(std::make_unique<const MiopenLibrary>(open_rocm_library(miopen_library)),
                   device.driver().info().architecture));
  });
}

Miopen::~Miopen() {
  if (!driver_is_exiting()) library_->miopenDestroy.function(handle_);
}

bool Miopen::takes(DType dtype) const {
  return type_of(dtype).has_value() && units_keep_subnormals(architecture_, dtype);
}

void Miopen::set_stream(void* stream) const { library_->invoke(library_->miopenSetStream, handle_, stream); }

bool Miopen::may_use(const MiopenSolution& solution) const {
  const bool adds_products = (solution.algorithm == miopen::algorithm_gemm && has_products_) ||
                             solution.algorithm == miopen::algorithm_direct ||
                             solution.algorithm == miopen::algorithm_implicit_gemm;
  return adds_products && solution.workspace_bytes <= std::size_t{convolution_workspace_limit};
}

std::vector<std::unique_ptr<ConvolutionPlan>> Miopen::plans(const Convolution& problem,
                                                            const ConvolutionOperands<std::int64_t>&,
                                                            std::size_t most) const {
  std::vector<std::unique_ptr<ConvolutionPlan>> plans;
  const auto described =
      std::make_shared<const Problem>(*library_, handle_, problem, type_of(problem.dtype).value());
  if (!described->steps.describe(problem)) return plans;
  for (const MiopenSolution& solution : described->solutions()) {
    if (plans.size() == most) break;
    if (may_use(solution) && described->compile(solution.id))
      plans.push_back(std::make_unique<Plan>(described, solution));
  }
  return plans;
}

}  // namespace kernelgen
