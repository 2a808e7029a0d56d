#pragma once
#include <memory>

#include "library/convolution_plan.hpp"
#include "library/cudnn_library.hpp"

namespace kernelgen {

/// NVIDIA's cuDNN on one device: f16, bf16, f32 and f64, accumulated in f32 (without TF32), f64 in f64.
class Cudnn final : public ConvolutionVendor {
 public:
  /// Requires the device to be current. Null if the library is missing or does not work with this driver, or
  /// KERNELGEN_CUDNN_LIBRARY is `none`. Throws Error if the library that variable names cannot be used.
  static std::unique_ptr<Cudnn> open(DeviceState& device);
  ~Cudnn() override;

  const std::string& path() const { return library_->path(); }

  bool takes(DType dtype) const override;
  bool takes_gaps() const override { return true; }
  void set_stream(void* stream) const override;
  std::vector<std::unique_ptr<ConvolutionPlan>> plans(const Convolution& problem,
                                                      const ConvolutionOperands<std::int64_t>& alignment,
                                                      std::size_t most) const override;

 private:
  explicit Cudnn(std::unique_ptr<const CudnnLibrary> library);

  const std::unique_ptr<const CudnnLibrary> library_;
  void* handle_ = nullptr;
};

}  // namespace kernelgen
