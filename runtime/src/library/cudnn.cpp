#include "library/cudnn.hpp"

#include <optional>
#include <span>

#include "driver/device_memory.hpp"
#include "library/vendor_library.hpp"

namespace kernelgen {
namespace {

constexpr const char* variable = "KERNELGEN_CUDNN_LIBRARY";
constexpr const char* library_names[] = {"libcudnn.so.9", "libcudnn.so"};

// The functions and numbers of cuDNN 9's cudnn_graph.h, cudnn_ops.h and cudnn_cnn.h that are used here. Enums are
// passed as ints, handles and descriptors are pointers.
//   X(function, arguments)
#define KERNELGEN_CUDNN_CALLS(X)                                                                          \
  X(cudnnCreate, (void** handle))                                                                         \
  X(cudnnDestroy, (void* handle))                                                                         \
  X(cudnnSetStream, (void* handle, void* stream))                                                         \
  X(cudnnCreateTensorDescriptor, (void** tensor))                                                         \
  X(cudnnDestroyTensorDescriptor, (void* tensor))                                                         \
  X(cudnnSetTensor4dDescriptorEx, (void* tensor, int type, int n, int c, int h, int w, int n_stride,      \
                                   int c_stride, int h_stride, int w_stride))                             \
  X(cudnnCreateFilterDescriptor, (void** filter))                                                         \
  X(cudnnDestroyFilterDescriptor, (void* filter))                                                         \
  X(cudnnSetFilter4dDescriptor, (void* filter, int type, int format, int k, int c, int h, int w))         \
  X(cudnnCreateConvolutionDescriptor, (void** convolution))                                               \
  X(cudnnDestroyConvolutionDescriptor, (void* convolution))                                               \
  X(cudnnSetConvolution2dDescriptor,                                                                      \
    (void* convolution, int row_padding, int column_padding, int row_stride, int column_stride,           \
     int row_dilation, int column_dilation, int mode, int compute_type))                                  \
  X(cudnnSetConvolutionGroupCount, (void* convolution, int groups))                                       \
  X(cudnnSetConvolutionMathType, (void* convolution, int math))                                           \
  X(cudnnGetConvolutionForwardAlgorithm_v7, (void* handle, void* x, void* filter, void* convolution,      \
                                             void* y, int wanted, int* count, Choice* choices))           \
  X(cudnnGetConvolutionForwardWorkspaceSize,                                                              \
    (void* handle, void* x, void* filter, void* convolution, void* y, int algorithm, std::size_t* bytes)) \
  X(cudnnConvolutionForward,                                                                              \
    (void* handle, const void* alpha, void* x_layout, const void* x, void* filter_layout,                 \
     const void* filter, void* convolution, int algorithm, void* workspace, std::size_t workspace_bytes,  \
     const void* beta, void* y_layout, void* y))

struct Choice {  // cudnnConvolutionFwdAlgoPerf_t
  int algorithm;
  int status;
  float time;
  std::size_t memory;
  int determinism;
  int math;
  int reserved[3];
};

constexpr int format_nchw = 0;
constexpr int mode_cross_correlation = 1;
/// CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, _IMPLICIT_PRECOMP_GEMM, _GEMM and _DIRECT; behind them come FFT and
/// Winograd.
constexpr int last_plain_algorithm = 3;
constexpr int algorithm_count = 8;
constexpr int math_default = 0, math_tensor = 1, math_tensor_converting = 2, math_fma = 3;

constexpr std::size_t workspace_limit = std::size_t{256} << 20;
/// More than a program has shapes; one that has more starts anew.
constexpr std::size_t most_plans = 4096;

/// cudnnDataType_t, and the cudnnMathType_t that keeps the inputs' precision.
struct Types {
  int data, compute, math;
};
std::optional<Types> types_of(DType dtype) {
  constexpr int f32 = 0, f64 = 1, f16 = 2, bf16 = 9;
  switch (dtype) {
    case DType::f16:
      return Types{f16, f32, math_tensor};
    case DType::bf16:
      return Types{bf16, f32, math_tensor};
    case DType::f32:
      return Types{f32, f32, math_fma};
    case DType::f64:
      return Types{f64, f64, math_default};
    default:
      return std::nullopt;
  }
}

/// CUDNN_STATUS_NOT_SUPPORTED and its kinds.
bool says_unsupported(int status) { return status / 1000 == 3; }

bool is_aligned(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) % 16 == 0; }

}  // namespace

class CudnnLibrary : public VendorLibrary {
 public:
  explicit CudnnLibrary(DynamicLibrary library)
      : VendorLibrary(std::move(library), "conv2d", "cudnnGetErrorString") {
#define KERNELGEN_LOAD(function, arguments) \
  function = {reinterpret_cast<int(*) arguments>(required(#function)), #function};
    KERNELGEN_CUDNN_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_LOAD
  }

  /// Whether the library can do it. Throws Error(device) for any failure that is not about that.
  template <class... Parameters, class... Arguments>
  bool supports(const GpuCall<Parameters...>& call, Arguments... arguments) const {
    const int status = call.function(arguments...);
    if (status != 0 && !says_unsupported(status)) fail(call.name, status);
    return status == 0;
  }

#define KERNELGEN_MEMBER(function, arguments) detail::GpuCallOf<int arguments>::type function;
  KERNELGEN_CUDNN_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER
};

/// Descriptors of a problem and the algorithm chosen for it.
struct Cudnn::Plan {
  explicit Plan(const CudnnLibrary& of) : library(of) {
    library.invoke(library.cudnnCreateTensorDescriptor, &x);
    library.invoke(library.cudnnCreateTensorDescriptor, &y);
    library.invoke(library.cudnnCreateFilterDescriptor, &filter);
    library.invoke(library.cudnnCreateConvolutionDescriptor, &convolution);
  }
  ~Plan() {
    library.cudnnDestroyTensorDescriptor.function(x);
    library.cudnnDestroyTensorDescriptor.function(y);
    library.cudnnDestroyFilterDescriptor.function(filter);
    library.cudnnDestroyConvolutionDescriptor.function(convolution);
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  bool describe(const Convolution& c, const Types& types) {
    const Convolution::Axis &rows = c.rows, &columns = c.columns;
    const int image = rows.out * columns.out;
    return library.supports(library.cudnnSetTensor4dDescriptorEx, x, types.data, c.batch, c.in_channels,
                            rows.in, columns.in, c.x_strides[0], c.x_strides[1], c.x_strides[2],
                            c.x_strides[3]) &&
           library.supports(library.cudnnSetTensor4dDescriptorEx, y, types.data, c.batch, c.out_channels,
                            rows.out, columns.out, c.out_channels * image, image, columns.out, 1) &&
           library.supports(library.cudnnSetFilter4dDescriptor, filter, types.data, format_nchw,
                            c.out_channels, c.in_channels / c.groups, rows.kernel, columns.kernel) &&
           library.supports(library.cudnnSetConvolution2dDescriptor, convolution, rows.padding,
                            columns.padding, rows.stride, columns.stride, rows.dilation, columns.dilation,
                            mode_cross_correlation, types.compute) &&
           library.supports(library.cudnnSetConvolutionGroupCount, convolution, c.groups) &&
           library.supports(library.cudnnSetConvolutionMathType, convolution, types.math);
  }

  /// The fastest by the library's estimate among those that may be used; false where it has none.
  bool choose_algorithm(void* handle, const Types& types) {
    std::array<Choice, algorithm_count> choices{};
    int count = 0;
    if (!library.supports(library.cudnnGetConvolutionForwardAlgorithm_v7, handle, x, filter, convolution, y,
                          algorithm_count, &count, choices.data()))
      return false;
    for (const Choice& choice : std::span(choices).first(static_cast<std::size_t>(count))) {
      const bool is_exact =
          choice.math != math_tensor_converting && (types.math != math_fma || choice.math != math_tensor);
      if (choice.status != 0 || choice.algorithm > last_plain_algorithm || !is_exact) continue;
      if (!library.supports(library.cudnnGetConvolutionForwardWorkspaceSize, handle, x, filter, convolution,
                            y, choice.algorithm, &workspace_bytes) ||
          workspace_bytes > workspace_limit)
        continue;
      algorithm = choice.algorithm;
      return true;
    }
    return false;
  }

  const CudnnLibrary& library;
  void *x = nullptr, *y = nullptr, *filter = nullptr, *convolution = nullptr;
  int algorithm = 0;
  std::size_t workspace_bytes = 0;
};

Cudnn::Cudnn(std::unique_ptr<const CudnnLibrary> library, GpuDriver& driver)
    : library_(std::move(library)), driver_(driver) {
  const Current current = driver_.make_current();
  current.require();
  library_->invoke(library_->cudnnCreate, &handle_);
}

std::unique_ptr<Cudnn> Cudnn::open(GpuDriver& driver) {
  return open_vendor_library(variable, [&] {
    return std::unique_ptr<Cudnn>(new Cudnn(
        std::make_unique<CudnnLibrary>(DynamicLibrary("cuDNN library", variable, library_names)), driver));
  });
}

const Cudnn* Cudnn::of(DeviceState& device) {
  if (device.kind() != DeviceKind::cuda) return nullptr;
  return device.attachments().get<Cudnn>([&] { return open(dynamic_cast<GpuDriver&>(device.driver())); });
}

Cudnn::~Cudnn() {
  if (driver_is_exiting()) return;
  const Current current = driver_.make_current();
  plans_.clear();
  if (current.status() == 0) library_->cudnnDestroy.function(handle_);
}

bool Cudnn::takes(DType dtype) { return types_of(dtype).has_value(); }

std::shared_ptr<const Cudnn::Plan> Cudnn::plan_for(const Convolution& problem) const {
  if (const auto known = plans_.find(problem); known != plans_.end()) return known->second;
  if (plans_.size() == most_plans) plans_.clear();
  const Types types = *types_of(problem.dtype);
  auto plan = std::make_shared<Plan>(*library_);
  const bool has_algorithm = plan->describe(problem, types) && plan->choose_algorithm(handle_, types);
  return plans_[problem] = has_algorithm ? plan : nullptr;
}

bool Cudnn::convolve(const Convolution& problem, const void* x, const void* weight, void* y,
                     void* stream) const {
  if (!takes(problem.dtype) || !is_aligned(x) || !is_aligned(weight) || !is_aligned(y)) return false;
  const Current current = driver_.make_current();
  current.require();
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<const Plan> plan = plan_for(problem);
  if (plan == nullptr) return false;
  library_->invoke(library_->cudnnSetStream, handle_, stream);
  const DeviceMemory workspace(driver_, plan->workspace_bytes, stream);
  constexpr double one = 1, zero = 0;
  constexpr float one_f32 = 1, zero_f32 = 0;
  const bool is_f64 = problem.dtype == DType::f64;
  const void* alpha = is_f64 ? static_cast<const void*>(&one) : &one_f32;
  const void* beta = is_f64 ? static_cast<const void*>(&zero) : &zero_f32;
  return library_->supports(library_->cudnnConvolutionForward, handle_, alpha, plan->x, x, plan->filter,
                            weight, plan->convolution, plan->algorithm, workspace.data(),
                            plan->workspace_bytes, beta, plan->y, y);
}

}  // namespace kernelgen
