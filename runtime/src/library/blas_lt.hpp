#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "device/device_state.hpp"
#include "driver/gpu_driver.hpp"
#include "library/blas_lt_api.hpp"
#include "library/matrix_product.hpp"
#include "library/plan_cache.hpp"

namespace kernelgen {

class BlasLtLibrary;

/// NVIDIA's cuBLASLt or AMD's hipBLASLt on one device: f16, bf16, f32 and f64, accumulated in f32 (without
/// TF32), f64 in f64. Caches the chosen algorithm per problem. Thread-safe.
class BlasLt final : public MatrixLibrary {
 public:
  /// Null if the library is missing, does not work with this driver, is older than hipBLASLt of ROCm 6, has
  /// no kernels for the GPU, or KERNELGEN_CUBLASLT_LIBRARY or KERNELGEN_HIPBLASLT_LIBRARY is `none`. Throws
  /// Error if the library that variable names cannot be used.
  static std::unique_ptr<BlasLt> open(DeviceState& device);
  ~BlasLt() override;

  const std::string& path() const;

  bool multiply(const MatrixProduct& product, void* stream) const override;
  bool leaves_idle(const MatrixProduct& product) const override;

 private:
  struct Problem;
  struct Plan;
  /// The plan's key, in a fixed order.
  using Plans = PlanCache<15, Plan>;

  BlasLt(std::unique_ptr<const BlasLtLibrary> library, GpuDriver& driver);
  /// Nothing if the library does not know the dtypes or the layout.
  std::optional<Problem> problem_of(const MatrixProduct& product) const;
  /// Null if the library has no algorithm for the problem. Requires the mutex.
  std::shared_ptr<const Plan> plan_of(const Problem& problem) const;
  std::shared_ptr<const Plan> make_plan(const Problem& problem) const;
  /// The handle for products in the stream; null if there are too many streams. Requires the mutex.
  void* handle_for(void* stream) const;

  const std::unique_ptr<const BlasLtLibrary> library_;
  GpuDriver& driver_;
  mutable std::mutex mutex_;
  mutable std::map<void*, void*> handles_;  ///< per stream if a handle owns memory, else one
  mutable Plans plans_;
};

}  // namespace kernelgen
