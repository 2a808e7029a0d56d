#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kernelgen::test {

/// What the stub of rocBLAS was asked to do, and what it shall answer. It computes f32 and f64 on host memory and only notes
/// the other types. Reached with dlsym(library, "stub_rocblas").
struct StubRocblas {
  struct Matrix {
    int type = -1;
    std::int64_t leading = 0, slice_stride = 0;
  };
  /// As the library sees it: column-major.
  struct Product {
    bool transposes_a = false, transposes_b = false;
    std::int64_t m = 0, n = 0, k = 0, slices = 0;
    Matrix a, b, y;
    int compute = -1;
    void* workspace = nullptr;
    std::size_t workspace_bytes = 0;
    void* stream = nullptr;
    int atomics = -1;
    std::uintptr_t context = 0;
  };

  const std::uintptr_t* current_context = nullptr;  ///< the driver's, to be noted
  /// Status the function of that name returns from now on.
  std::map<std::string, int> failures;
  std::size_t workspace_bytes = 0;  ///< what a product wants

  std::vector<std::string> calls;
  std::vector<Product> products;
  int handles = 0;  ///< that exist
};

}  // namespace kernelgen::test
