#pragma once
#include <memory>
#include <mutex>

#include "device/device_state.hpp"
#include "driver/gpu_driver.hpp"
#include "library/convolution_plan.hpp"
#include "library/plan_cache.hpp"

namespace kernelgen {

/// The vendor's library that convolves on one GPU: cuDNN or MIOpen.
///
/// Which of the library's ways is best for a problem, or whether it is none of them, is measured at the first call, and
/// kept. Thread-safe.
class ConvolutionLibrary {
 public:
  /// What the caller puts into the same stream.
  struct Caller {
    virtual ~Caller() = default;
    /// Makes a result of the library's right.
    virtual void repair() const = 0;
    /// Does the convolution without the library.
    virtual void convolve() const = 0;
  };

  /// The device's, opened at the first call. Null where it is no GPU, there is no such library, it does not work with this
  /// driver, KERNELGEN_CUDNN_LIBRARY or KERNELGEN_MIOPEN_LIBRARY is `none`, or the type's convolutions are ours. Throws
  /// Error when the library that variable names cannot be used.
  static const ConvolutionLibrary* of(DeviceState& device, DType dtype);
  ~ConvolutionLibrary();

  /// Whether rows, channels and images of x may have gaps between them.
  bool takes_gaps() const { return vendor_->takes_gaps(); }
  /// Puts the convolution into the stream. False, and nothing of use done, where the library has none for the problem, or
  /// the caller's own is faster.
  ///
  /// The first call for a problem runs several ways, the caller's among them, and waits for the stream; where the stream
  /// is being captured it takes the library's first.
  bool convolve(const Convolution& problem, const ConvolutionOperands<void*>& operands, void* stream,
                const Caller& caller) const;

 private:
  using Plans = PlanCache<25, ConvolutionPlan>;
  struct Call;

  static std::unique_ptr<ConvolutionLibrary> open(DeviceState& device);
  ConvolutionLibrary(std::unique_ptr<const ConvolutionVendor> vendor, GpuDriver& driver);
  /// Null where the caller shall do it. The mutex is held.
  std::shared_ptr<const ConvolutionPlan> choose(const Convolution& problem, const Call& call) const;
  bool run_and_repair(const ConvolutionPlan& plan, const Call& call) const;

  std::unique_ptr<const ConvolutionVendor> vendor_;
  GpuDriver& driver_;
  mutable std::mutex mutex_;  ///< of the vendor's handle too, which holds the stream it works in
  mutable Plans plans_;
};

}  // namespace kernelgen
