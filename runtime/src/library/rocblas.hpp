#pragma once
#include <memory>
#include <mutex>
#include <string>

#include "device/device_state.hpp"
#include "driver/gpu_driver.hpp"
#include "library/matrix_product.hpp"
#include "library/plan_cache.hpp"
#include "library/rocm_library.hpp"

namespace kernelgen {

inline constexpr RocmLibrary rocblas_library{.what = "rocBLAS library",
                                             .variable = "KERNELGEN_ROCBLAS_LIBRARY",
                                             .name = "librocblas.so",
                                             .versions = {{{7, 5}, {6, 4}, {5, 3}, {5, 0}}},
                                             .function = "rocblas_create_handle",
                                             .kernel_folder = "rocblas",
                                             .kernel_variable = "ROCBLAS_TENSILE_LIBPATH"};

class RocblasLibrary;

/// AMD's rocBLAS on one device: f16, bf16, f32 and f64, accumulated in f32, f64 in f64, without atomics, so
/// that results are bitwise reproducible. Thread-safe.
class Rocblas final : public MatrixLibrary {
 public:
  /// Null if the library is missing, does not work with this driver, has no kernels for the GPU, or
  /// KERNELGEN_ROCBLAS_LIBRARY is `none`. Throws Error if the library that variable names cannot be used.
  static std::unique_ptr<Rocblas> open(DeviceState& device);
  ~Rocblas() override;

  const std::string& path() const;

  bool multiply(const MatrixProduct& product, void* stream) const override;

 private:
  struct Problem;
  /// Workspace bytes the library requests for a problem.
  struct Plan {
    std::size_t workspace_bytes;
  };
  using Plans = PlanCache<12, Plan>;

  Rocblas(std::unique_ptr<const RocblasLibrary> library, GpuDriver& driver);
  /// Null if the library does not support the problem. Requires the mutex.
  std::shared_ptr<const Plan> make_plan(const Problem& problem) const;
  void set_workspace(void* workspace, std::size_t bytes) const;

  const std::unique_ptr<const RocblasLibrary> library_;
  GpuDriver& driver_;
  void* handle_ = nullptr;
  mutable std::mutex mutex_;  ///< of the handle too, which holds the stream and the workspace of a call
  mutable Plans plans_;
};

}  // namespace kernelgen
