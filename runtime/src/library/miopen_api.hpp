#pragma once
#include <cstddef>
#include <cstdint>

#include "library/vendor_library.hpp"

namespace kernelgen {

// The functions and numbers of miopen.h that are used here, alike in ROCm 5.2 to 7 (tests/headers compares). Enums are passed
// as ints, handles and descriptors are pointers. The operands of the derivative by data are named as those of the
// convolution whose derivative it is: dy goes in, dx comes out.
//   X(function, arguments)
#define KERNELGEN_MIOPEN_CALLS(X)                                                                           \
  X(miopenCreate, (void** handle))                                                                          \
  X(miopenDestroy, (void* handle))                                                                          \
  X(miopenSetStream, (void* handle, void* stream))                                                          \
  X(miopenCreateTensorDescriptor, (void** tensor))                                                          \
  X(miopenSetTensorDescriptor, (void* tensor, int type, int dims, const int* extents, const int* strides))  \
  X(miopenDestroyTensorDescriptor, (void* tensor))                                                          \
  X(miopenCreateConvolutionDescriptor, (void** convolution))                                                \
  X(miopenInitConvolutionNdDescriptor,                                                                      \
    (void* convolution, int dims, const int* paddings, const int* strides, const int* dilations, int mode)) \
  X(miopenSetConvolutionGroupCount, (void* convolution, int groups))                                        \
  X(miopenSetConvolutionAttribute, (void* convolution, int attribute, int value))                           \
  X(miopenDestroyConvolutionDescriptor, (void* convolution))                                                \
  X(miopenConvolutionForwardGetSolutionCount,                                                               \
    (void* handle, void* w, void* x, void* convolution, void* y, std::size_t* count))                       \
  X(miopenConvolutionForwardGetSolution, (void* handle, void* w, void* x, void* convolution, void* y,       \
                                          std::size_t most, std::size_t* count, MiopenSolution* solutions)) \
  X(miopenConvolutionForwardCompileSolution,                                                                \
    (void* handle, void* w, void* x, void* convolution, void* y, std::uint64_t solution))                   \
  X(miopenConvolutionForwardImmediate,                                                                      \
    (void* handle, void* w, const void* w_data, void* x, const void* x_data, void* convolution, void* y,    \
     void* y_data, void* workspace, std::size_t workspace_bytes, std::uint64_t solution))                   \
  X(miopenConvolutionBackwardDataGetSolutionCount,                                                          \
    (void* handle, void* dy, void* w, void* convolution, void* dx, std::size_t* count))                     \
  X(miopenConvolutionBackwardDataGetSolution,                                                               \
    (void* handle, void* dy, void* w, void* convolution, void* dx, std::size_t most, std::size_t* count,    \
     MiopenSolution* solutions))                                                                            \
  X(miopenConvolutionBackwardDataCompileSolution,                                                           \
    (void* handle, void* dy, void* w, void* convolution, void* dx, std::uint64_t solution))                 \
  X(miopenConvolutionBackwardDataImmediate,                                                                 \
    (void* handle, void* dy, const void* dy_data, void* w, const void* w_data, void* convolution, void* dx, \
     void* dx_data, void* workspace, std::size_t workspace_bytes, std::uint64_t solution))

struct MiopenSolution {  // miopenConvSolution_t
  float milliseconds;    ///< by the library's estimate, or as it once measured
  std::size_t workspace_bytes;
  std::uint64_t id;
  int algorithm;
};

namespace miopen {
constexpr int type_f16 = 0, type_f32 = 1, type_bf16 = 5;  // miopenDataType_t
constexpr int mode_convolution = 0;                       // miopenConvolutionMode_t
/// miopenConvAlgorithm_t.
constexpr int algorithm_gemm = 0, algorithm_direct = 1, algorithm_implicit_gemm = 5;
/// miopenConvolutionAttrib_t; the second is in MIOpen from ROCm 5.3 on.
constexpr int attribute_f16_as_bf16 = 0, attribute_deterministic = 1;
/// miopenStatus_t: values for unsupported problems and for kernels that it cannot compile.
constexpr int status_bad_parameter = 3, status_internal_error = 5, status_not_implemented = 6,
              status_unknown_error = 7, status_unsupported = 8;
}  // namespace miopen

class MiopenLibrary : public VendorLibrary {
 public:
  explicit MiopenLibrary(DynamicLibrary library)
      : VendorLibrary(std::move(library), "conv2d", "miopenGetErrorString") {
#define KERNELGEN_LOAD(function, arguments) \
  function = {reinterpret_cast<int(*) arguments>(required(#function)), #function};
    KERNELGEN_MIOPEN_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_LOAD
  }

  /// Whether the library does what is asked. Throws Error(device) for any failure that is not about that.
  template <class... Parameters, class... Arguments>
  bool does(const GpuCall<Parameters...>& call, Arguments... arguments) const {
    const int status = call.function(arguments...);
    if (status != 0 && !is_refusal(status)) fail(call.name, status);
    return status == 0;
  }

#define KERNELGEN_MEMBER(function, arguments) detail::GpuCallOf<int arguments>::type function;
  KERNELGEN_MIOPEN_CALLS(KERNELGEN_MEMBER)
#undef KERNELGEN_MEMBER

 private:
  static bool is_refusal(int status) {
    using namespace miopen;
    return status == status_bad_parameter || status == status_internal_error ||
           status == status_not_implemented || status == status_unknown_error || status == status_unsupported;
  }
};

}  // namespace kernelgen
