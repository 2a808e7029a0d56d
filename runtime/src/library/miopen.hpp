#pragma once
#include <memory>
#include <string>

#include "library/convolution_plan.hpp"
#include "library/miopen_api.hpp"

namespace kernelgen {

/// AMD's MIOpen on one device, by its immediate mode: f16, bf16 and f32, summed in f32, by products and direct sums without
/// atomics. What it found for a problem before, in any process, it knows by its own file.
class Miopen final : public ConvolutionVendor {
 public:
  /// Requires the device to be current. Null if the library is missing or does not work with this driver, or
  /// KERNELGEN_MIOPEN_LIBRARY is `none`. Throws Error if the library that variable names cannot be used.
  static std::unique_ptr<Miopen> open(DeviceState& device);
  ~Miopen() override;

  const std::string& path() const { return library_->path(); }

  bool takes(DType dtype) const override;
  /// Some of its kernels ignore strides.
  bool takes_gaps() const override { return false; }
  void set_stream(void* stream) const override;
  std::vector<std::unique_ptr<ConvolutionPlan>> plans(const Convolution& problem,
                                                      const ConvolutionOperands<std::int64_t>& alignment,
                                                      std::size_t most) const override;

 private:
  Miopen(std::unique_ptr<const MiopenLibrary> library, const std::string& architecture);
  bool may_use(const MiopenSolution& solution) const;

  const std::unique_ptr<const MiopenLibrary> library_;
  const std::string architecture_;
  bool has_products_ = true;  ///< whether its rocBLAS algorithms work on the GPU
  void* handle_ = nullptr;
};

}  // namespace kernelgen
