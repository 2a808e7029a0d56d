#pragma once
#include <memory>
#include <mutex>

#include "device/device_state.hpp"
#include "driver/gpu_driver.hpp"
#include "library/convolution_plan.hpp"
#include "library/plan_cache.hpp"

namespace kernelgen {

/// The vendor's convolution library for one GPU: cuDNN or MIOpen.
/// The first call for a problem measures the library's algorithms and the caller's kernels, and caches the
/// fastest. Thread-safe.
class ConvolutionLibrary {
 public:
  /// The caller's own work in the same stream.
  struct Caller {
    virtual ~Caller() = default;
    /// Recomputes results that the library spoiled by multiplying padding.
    virtual void fix_padding() const = 0;
    /// Computes the convolution without the library.
    virtual void convolve() const = 0;
  };

  /// The device's library, opened at the first call. Null if the device is not a GPU, the library is missing
  /// or does not work with this driver, KERNELGEN_CUDNN_LIBRARY or KERNELGEN_MIOPEN_LIBRARY is `none`, or our
  /// kernels compute the type. Throws Error if the library that variable names cannot be used.
  static const ConvolutionLibrary* of(DeviceState& device, DType dtype);
  ~ConvolutionLibrary();

  /// Whether rows, channels and images of x may be strided.
  bool takes_gaps() const { return vendor_->takes_gaps(); }
  /// Enqueues the convolution. Returns false, without a usable result, if the library does not support the
  /// problem or the caller's kernels are faster.
  /// The first call for a problem runs several algorithms and the caller's kernels, and waits for the stream;
  /// during a capture it uses the library's first choice.
  bool convolve(const Convolution& problem, const ConvolutionOperands<void*>& operands, void* stream,
                const Caller& caller) const;

 private:
  using Plans = PlanCache<25, ConvolutionPlan>;
  struct Call;

  static std::unique_ptr<ConvolutionLibrary> open(DeviceState& device);
  ConvolutionLibrary(std::unique_ptr<const ConvolutionVendor> vendor, GpuDriver& driver);
  /// Null if the caller computes it. Requires the mutex.
  std::shared_ptr<const ConvolutionPlan> choose(const Convolution& problem, const Call& call) const;
  bool run_and_fix_padding(const ConvolutionPlan& plan, const Call& call) const;

  std::unique_ptr<const ConvolutionVendor> vendor_;
  GpuDriver& driver_;
  mutable std::mutex mutex_;  ///< of the vendor's handle too, which holds the stream it works in
  mutable Plans plans_;
};

}  // namespace kernelgen
