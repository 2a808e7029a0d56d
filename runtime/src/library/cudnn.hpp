#pragma once
#include <memory>
#include <mutex>

#include "device/device_state.hpp"
#include "driver/gpu_driver.hpp"
#include "library/cudnn_plan.hpp"
#include "library/plan_cache.hpp"

namespace kernelgen {

/// NVIDIA's cuDNN on one device: f16, bf16, f32 and f64, summed in f32 (without TF32), f64 in f64, by engines that
/// multiply and add what is given: those by transforms (Winograd, FFT) spread an infinity over its neighbours. What lies
/// outside of an operand is taken for zeros: a weight that is not finite makes NaN of it.
///
/// Which of the library's ways is best for a problem, or whether it is none of them, is measured at the first call, and
/// kept. Thread-safe.
class Cudnn {
 public:
  /// What the caller puts into the same stream.
  struct Caller {
    virtual ~Caller() = default;
    /// Makes a result of the library's right.
    virtual void repair() const = 0;
    /// Does the convolution without the library.
    virtual void convolve() const = 0;
  };

  /// The device's, opened at the first call. Null where the device is not CUDA's, there is no such library, it does
  /// not work with this driver, or KERNELGEN_CUDNN_LIBRARY is `none`. Throws Error when the library that variable
  /// names cannot be used.
  static const Cudnn* of(DeviceState& device);
  ~Cudnn();

  static bool takes(DType dtype) { return cudnn_takes(dtype); }
  /// Puts the convolution into the stream. False, and nothing of use done, where the library has none for the problem, or
  /// the caller's own is faster.
  ///
  /// The first call for a problem runs several ways, the caller's among them, and waits for the stream; where the stream
  /// is being captured it takes the library's first.
  bool convolve(const Convolution& problem, const ConvolutionOperands<void*>& operands, void* stream,
                const Caller& caller) const;

 private:
  using Plans = PlanCache<25, CudnnPlan>;
  struct Call;

  static std::unique_ptr<Cudnn> open(GpuDriver& driver);
  Cudnn(std::unique_ptr<const CudnnLibrary> library, GpuDriver& driver);
  /// Null where the caller shall do it. The mutex is held.
  std::shared_ptr<const CudnnPlan> choose(const Convolution& problem, const Call& call) const;
  bool run_and_repair(const CudnnPlan& plan, const Call& call) const;

  const std::unique_ptr<const CudnnLibrary> library_;
  GpuDriver& driver_;
  void* handle_ = nullptr;
  mutable std::mutex mutex_;  ///< of the handle too, which holds the stream it works in
  mutable Plans plans_;
};

}  // namespace kernelgen
