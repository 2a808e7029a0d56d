#pragma once
#include <array>
#include <compare>
#include <map>
#include <memory>
#include <mutex>

#include "device/device_state.hpp"
#include "driver/gpu_driver.hpp"
#include "kernelgen/dtype.hpp"

namespace kernelgen {

class CudnnLibrary;

/// A convolution of [batch, channels, rows, columns]; weights and result contiguous.
struct Convolution {
  struct Axis {
    int in, kernel, out, stride, padding, dilation;
    auto operator<=>(const Axis&) const = default;
  };

  DType dtype;
  int batch, in_channels, out_channels, groups;  ///< channels of all groups
  Axis rows, columns;
  std::array<int, 4> x_strides;  ///< in elements
  auto operator<=>(const Convolution&) const = default;
};

/// NVIDIA's cuDNN on one device: f16, bf16, f32 and f64, summed in f32 (without TF32), f64 in f64, by algorithms
/// that multiply and add what is given: those by transforms (Winograd, FFT) spread an infinity over its neighbours.
/// Padding is taken for zeros: a weight that is not finite makes NaN of it. What was chosen for a problem is kept.
/// Thread-safe.
class Cudnn {
 public:
  /// The device's, opened at the first call. Null where the device is not CUDA's, there is no such library, it does
  /// not work with this driver, or KERNELGEN_CUDNN_LIBRARY is `none`. Throws Error when the library that variable
  /// names cannot be used.
  static const Cudnn* of(DeviceState& device);
  ~Cudnn();

  static bool takes(DType dtype);
  /// Puts the convolution into the stream. False, and nothing done, where the library has none for the problem or
  /// memory is not aligned to 16 bytes.
  bool convolve(const Convolution& problem, const void* x, const void* weight, void* y, void* stream) const;

 private:
  struct Plan;

  static std::unique_ptr<Cudnn> open(GpuDriver& driver);
  Cudnn(std::unique_ptr<const CudnnLibrary> library, GpuDriver& driver);
  /// Null where the library has no algorithm for the problem. The mutex is held.
  std::shared_ptr<const Plan> plan_for(const Convolution& problem) const;

  const std::unique_ptr<const CudnnLibrary> library_;
  GpuDriver& driver_;
  void* handle_ = nullptr;
  mutable std::mutex mutex_;  ///< of the handle too, which holds the stream it works in
  mutable std::map<Convolution, std::shared_ptr<const Plan>> plans_;
};

}  // namespace kernelgen
