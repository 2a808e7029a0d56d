#include "library/cudnn_library.hpp"

namespace kernelgen {

CudnnLibrary::CudnnLibrary(DynamicLibrary library)
    : VendorLibrary(std::move(library), "conv2d", "cudnnGetErrorString") {
#define KERNELGEN_LOAD(function, arguments) \
  function = {reinterpret_cast<int(*) arguments>(required(#function)), #function};
  KERNELGEN_CUDNN_CALLS(KERNELGEN_LOAD)
#undef KERNELGEN_LOAD
}

}  // namespace kernelgen
