#include "library/cudnn.hpp"

#include "library/cudnn_plan.hpp"

namespace kernelgen {
namespace {

constexpr const char* variable = "KERNELGEN_CUDNN_LIBRARY";
constexpr const char* library_names[] = {"libcudnn.so.9", "libcudnn.so"};

}  // namespace

Cudnn::Cudnn(std::unique_ptr<const CudnnLibrary> library) : library_(std::move(library)) {
  library_->invoke(library_->cudnnCreate, &handle_);
}

std::unique_ptr<Cudnn> Cudnn::open(DeviceState& device) {
  return open_vendor_library(variable, note_of(device), [&] {
    return std::unique_ptr<Cudnn>(
        new Cudnn(std::make_unique<CudnnLibrary>(DynamicLibrary("cuDNN library", variable, library_names))));
  });
}

Cudnn::~Cudnn() {
  if (!driver_is_exiting()) library_->cudnnDestroy.function(handle_);
}

bool Cudnn::takes(DType dtype) const { return cudnn_takes(dtype); }

void Cudnn::set_stream(void* stream) const { library_->invoke(library_->cudnnSetStream, handle_, stream); }

std::vector<std::unique_ptr<ConvolutionPlan>> Cudnn::plans(const Convolution& problem,
                                                           const ConvolutionOperands<std::int64_t>& alignment,
                                                           std::size_t most) const {
  return cudnn_plans(*library_, handle_, problem, alignment, most);
}

}  // namespace kernelgen
