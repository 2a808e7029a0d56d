#include "library/gpu_matrices.hpp"

#include <algorithm>

#include "library/blas_lt.hpp"
#include "library/rocblas.hpp"

namespace kernelgen {

bool units_keep_subnormals(const std::string& architecture, DType dtype) {
  if (dtype != DType::f16 && dtype != DType::bf16) return true;
  const std::string processor = architecture.substr(0, architecture.find(':'));
  return processor != "gfx908" && processor != "gfx90a";
}

std::unique_ptr<GpuMatrices> GpuMatrices::open(DeviceState& device) {
  std::vector<std::unique_ptr<MatrixLibrary>> libraries;
  libraries.push_back(BlasLt::open(device));
  if (device.kind() == DeviceKind::hip) libraries.push_back(Rocblas::open(device));
  std::erase(libraries, nullptr);
  if (libraries.empty()) return nullptr;
  return std::unique_ptr<GpuMatrices>(new GpuMatrices(std::move(libraries)));
}

const GpuMatrices* GpuMatrices::of(DeviceState& device, DType dtype) {
  const bool takes =
      dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
  if (device.kind() == DeviceKind::cpu || device.driver().info().is_simulated || !takes ||
      !units_keep_subnormals(device.driver().info().architecture, dtype))
    return nullptr;
  return device.attachments().get<GpuMatrices>([&] { return open(device); });
}

bool GpuMatrices::multiply(const MatrixProduct& product, void* stream) const {
  return std::ranges::any_of(libraries_,
                             [&](const auto& library) { return library->multiply(product, stream); });
}

bool GpuMatrices::leaves_idle(const MatrixProduct& product) const {
  return libraries_.front()->leaves_idle(product);
}

}  // namespace kernelgen
