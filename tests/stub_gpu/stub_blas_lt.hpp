#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernelgen::test {

/// What the stub of cuBLASLt, or of hipBLASLt, was asked to do, and what it shall answer. It computes f32 and f64 on host
/// memory and only notes the other types. Reached with dlsym(library, "stub_blas_lt").
struct StubBlasLt {
  struct Matrix {
    int type = -1;
    std::uint64_t rows = 0, columns = 0;
    std::int64_t leading = 0;
    std::int32_t slices = 1;
    std::int64_t slice_stride = 0;
  };
  /// As the library sees it: column-major.
  struct Product {
    int compute = -1, scale = -1;
    std::int32_t transpose_a = 0, transpose_b = 0;
    Matrix a, b, y;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
    void* handle = nullptr;
    void* stream = nullptr;
    std::uintptr_t context = 0;  ///< or device
  };
  struct Preference {
    std::uint64_t workspace_bytes = 0;
    std::uint32_t reduction_schemes = 7;
    std::uint32_t alignment[4] = {256, 256, 256, 256};
  };

  const std::uintptr_t* current_context = nullptr;  ///< the driver's, to be noted
  /// Status the function of that name returns from now on.
  std::map<std::string, int> failures;
  bool has_algorithm = true;
  std::size_t workspace_bytes = 0;  ///< what the chosen algorithm needs
  float waves = 1;                  ///< its estimate
  int version = 800;                ///< hipBLASLt's

  std::vector<std::string> calls;
  std::vector<Product> products;
  Preference preference;  ///< the last
  int objects = 0;        ///< handles and descriptors that exist
};

}  // namespace kernelgen::test
