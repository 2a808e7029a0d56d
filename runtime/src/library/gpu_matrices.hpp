#pragma once
#include <memory>
#include <vector>

#include "device/device_state.hpp"
#include "library/matrix_product.hpp"

namespace kernelgen {

/// The vendor's matrix libraries for one GPU: cuBLASLt; hipBLASLt, and rocBLAS for problems hipBLASLt does
/// not support. Opened at the first call. Thread-safe.
class GpuMatrices final : public MatrixLibrary {
 public:
  /// The device's libraries. Null if it is not a GPU, no library exists, or our kernels multiply the type
  /// because the libraries do not support it or lose precision. Throws Error if a library named by the
  /// environment cannot be used.
  static const GpuMatrices* of(DeviceState& device, DType dtype);

  bool multiply(const MatrixProduct& product, void* stream) const override;
  bool leaves_idle(const MatrixProduct& product) const override;

 private:
  explicit GpuMatrices(std::vector<std::unique_ptr<MatrixLibrary>> libraries)
      : libraries_(std::move(libraries)) {}
  static std::unique_ptr<GpuMatrices> open(DeviceState& device);

  const std::vector<std::unique_ptr<MatrixLibrary>> libraries_;  ///< in order of preference
};

/// Whether the GPU's matrix units preserve subnormal inputs of the type. 16-bit units flush them on gfx908
/// and gfx90a, according to AMD's ISA manuals, and the vendor's libraries use these units.
bool units_keep_subnormals(const std::string& architecture, DType dtype);

}  // namespace kernelgen
