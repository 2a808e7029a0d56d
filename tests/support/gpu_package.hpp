#pragma once
#include "support/operation_package.hpp"

namespace kernelgen::test {

/// operation_package() for "cuda:N" (sm_90) or "hip:N", where it has that code for `architecture`.
inline std::vector<std::byte> gpu_package(std::string_view device, std::span<const std::byte> amd_code,
                                          std::span<const SampleOperation> operations,
                                          std::string_view architecture = "gfx942") {
  if (device.starts_with("cuda")) return operation_package({"sm_90", 2, 32, bytes_of("cubin")}, operations);
  return operation_package({architecture, 1, 64, amd_code}, operations);
}

}  // namespace kernelgen::test
