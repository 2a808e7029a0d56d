#pragma once
#include <memory>
#include <mutex>

#include "device/device_state.hpp"
#include "driver/gpu_driver.hpp"
#include "library/convolution_plan.hpp"
#include "library/plan_cache.hpp"

namespace kernelgen {

/// The caller's algorithms.
enum class CallerAlgorithm { kernels, gemm, mirrored, parts };

/// The fastest algorithms for convolutions on one GPU: those of the vendor's library, cuDNN or MIOpen, if there is one, and the
/// caller's. The first call for a problem measures them and caches the fastest. Thread-safe.
class ConvolutionLibrary {
 public:
  /// The caller's own work in the same stream.
  struct Caller {
    virtual ~Caller() = default;
    /// Recomputes results that the library spoiled by multiplying padding.
    virtual void fix_padding() const = 0;
    /// Whether an algorithm suits the problem; `kernels` always does.
    virtual bool has(CallerAlgorithm algorithm) const = 0;
    /// Computes the convolution by an algorithm that suits it. May convolve other problems by the library.
    virtual void convolve(CallerAlgorithm algorithm) const = 0;
  };

  /// The device's, opened at the first call. Null if the device is not a GPU or our kernels compute the type. There is no vendor's
  /// library if it is missing or does not work with this driver, or if KERNELGEN_CUDNN_LIBRARY or KERNELGEN_MIOPEN_LIBRARY is
  /// `none`. Throws Error if the library that variable names cannot be used.
  static const ConvolutionLibrary* of(DeviceState& device, DType dtype);
  ~ConvolutionLibrary();

  /// Whether rows, channels and images of x may be strided.
  bool takes_gaps() const { return vendor_ != nullptr && vendor_->takes_gaps(); }
  /// The longest sums, in terms, that the library may compute. It may accumulate sequentially, on matrix units that truncate
  /// sums: what 65,536 terms lose is below a tenth of the rounding of a 16-bit result.
  static std::int64_t most_terms(DType dtype) { return size_of(dtype) == 2 ? 65536 : 8192; }
  /// Enqueues the convolution by the fastest algorithm of the library or the caller.
  /// The first call for a problem runs several of the library's and all of the caller's, and waits for the
  /// stream; during a capture it uses the library's first choice.
  void convolve(const Convolution& problem, const ConvolutionOperands<void*>& operands, void* stream,
                const Caller& caller) const;

 private:
  struct Choice;
  using Choices = PlanCache<25, Choice>;
  struct Call;

  static std::unique_ptr<ConvolutionLibrary> open(DeviceState& device);
  ConvolutionLibrary(std::unique_ptr<const ConvolutionVendor> vendor, GpuDriver& driver);
  /// Requires the mutex.
  std::shared_ptr<const Choice> choose(const Convolution& problem, const Call& call) const;
  bool run_and_fix_padding(const ConvolutionPlan& plan, const Call& call) const;

  std::unique_ptr<const ConvolutionVendor> vendor_;  ///< null if there is none
  GpuDriver& driver_;
  /// Of the vendor's handle too, which holds the stream it works in. Recursive because of the caller's algorithms.
  mutable std::recursive_mutex mutex_;
  mutable Choices choices_;
};

}  // namespace kernelgen
