#pragma once
#include <memory>
#include <vector>

#include "device/device_state.hpp"
#include "library/matrix_product.hpp"

namespace kernelgen {

/// The vendor's libraries that multiply matrices on one GPU: cuBLASLt; hipBLASLt, and rocBLAS for what that does not take.
/// Opened at the first call. Thread-safe.
class GpuMatrices final : public MatrixLibrary {
 public:
  /// The device's. Null where it is no GPU, there is no library, or the type's products are ours: its libraries have none,
  /// or would lose digits. Throws Error when a library that the environment names cannot be used.
  static const GpuMatrices* of(DeviceState& device, DType dtype);

  bool multiply(const MatrixProduct& product, void* stream) const override;

 private:
  explicit GpuMatrices(std::vector<std::unique_ptr<MatrixLibrary>> libraries)
      : libraries_(std::move(libraries)) {}
  static std::unique_ptr<GpuMatrices> open(DeviceState& device);

  const std::vector<std::unique_ptr<MatrixLibrary>> libraries_;  ///< the preferred first
};

/// Whether the GPU's matrix units keep subnormal factors of the type. Those of 16 bits take them for zeros on gfx908 and
/// gfx90a, by AMD's manuals of the instruction sets, and the vendor's libraries use them.
bool units_keep_subnormals(const std::string& architecture, DType dtype);

}  // namespace kernelgen
