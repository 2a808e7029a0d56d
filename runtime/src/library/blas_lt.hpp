#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "device/device_state.hpp"
#include "driver/gpu_driver.hpp"
#include "library/blas_lt_api.hpp"
#include "library/matrix_product.hpp"
#include "library/plan_cache.hpp"

namespace kernelgen {

class BlasLtLibrary;

/// NVIDIA's cuBLASLt or AMD's hipBLASLt on one device: f16, bf16, f32 and f64, summed in f32 (without TF32), f64 in f64.
/// What it chose for a problem is kept. Thread-safe.
class BlasLt final : public MatrixLibrary {
 public:
  /// Null where there is no such library, it does not work with this driver, it is older than hipBLASLt of ROCm 6 or has
  /// no kernels for the GPU, or KERNELGEN_CUBLASLT_LIBRARY or KERNELGEN_HIPBLASLT_LIBRARY is `none`. Throws Error when the
  /// library that variable names cannot be used.
  static std::unique_ptr<BlasLt> open(DeviceState& device);
  ~BlasLt() override;

  const std::string& path() const;

  bool multiply(const MatrixProduct& product, void* stream) const override;

 private:
  struct Problem;
  struct Plan;
  /// By everything that a plan depends on, in one order.
  using Plans = PlanCache<15, Plan>;

  BlasLt(std::unique_ptr<const BlasLtLibrary> library, GpuDriver& driver);
  /// Null where the library has no algorithm for the problem. The mutex is held.
  std::shared_ptr<const Plan> make_plan(const Problem& problem) const;
  /// Of products in the stream; null where there are too many streams. The mutex is held.
  void* handle_for(void* stream) const;

  const std::unique_ptr<const BlasLtLibrary> library_;
  GpuDriver& driver_;
  mutable std::mutex mutex_;
  mutable std::map<void*, void*> handles_;  ///< by stream where a handle has memory, else one
  mutable Plans plans_;
};

}  // namespace kernelgen
