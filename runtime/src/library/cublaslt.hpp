#pragma once
#include <memory>
#include <mutex>

#include "device/device_state.hpp"
#include "driver/gpu_driver.hpp"
#include "library/matrix_product.hpp"
#include "library/plan_cache.hpp"

namespace kernelgen {

class CublasLtLibrary;

/// NVIDIA's cuBLASLt on one device: f16, bf16, f32 and f64, summed in f32 (without TF32), f64 in f64. What it
/// chose for a problem is kept. Thread-safe.
class CublasLt final : public MatrixLibrary {
 public:
  /// The device's, opened at the first call. Null where the device is not CUDA's, there is no such library, it does
  /// not work with this driver, or KERNELGEN_CUBLASLT_LIBRARY is `none`. Throws Error when the library that variable
  /// names cannot be used.
  static const CublasLt* of(DeviceState& device);
  ~CublasLt() override;

  static bool takes(DType dtype);
  bool multiply(const MatrixProduct& product, void* stream) const override;

 private:
  struct Problem;
  struct Plan;
  /// By everything that a plan depends on, in one order.
  using Plans = PlanCache<15, Plan>;

  static std::unique_ptr<CublasLt> open(GpuDriver& driver);
  CublasLt(std::unique_ptr<const CublasLtLibrary> library, GpuDriver& driver);
  /// Null where the library has no algorithm for the problem.
  std::shared_ptr<const Plan> plan_for(const Problem& problem) const;
  std::shared_ptr<const Plan> make_plan(const Problem& problem) const;

  const std::unique_ptr<const CublasLtLibrary> library_;
  GpuDriver& driver_;
  void* handle_ = nullptr;
  mutable std::mutex mutex_;
  mutable Plans plans_;
};

}  // namespace kernelgen
