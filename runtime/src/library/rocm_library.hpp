#pragma once
#include <array>
#include <string>
#include <vector>

#include "driver/dynamic_library.hpp"
#include "library/vendor_library.hpp"

namespace kernelgen {

/// A library of ROCm's, as installs have it.
struct RocmLibrary {
  /// The suffix of the library's name for a major version of HIP.
  struct Version {
    int hip = 0, library = 0;
  };

  const char* what;                 ///< "rocBLAS library"
  const char* variable;             ///< names another one
  const char* name;                 ///< "librocblas.so"
  std::array<Version, 4> versions;  ///< the newest first; those of no HIP are none
  const char* function;             ///< a function that only it has
  const char* kernel_folder;        ///< next to the library, with its kernels; null if it has none
  const char* kernel_variable;      ///< names another folder, as the library reads it
};

/// Names to open it by, for a HIP library of that major version (0: unknown) in that folder ("": unknown): those of the same
/// version before the one without a number, each in HIP's folder before wherever the loader finds it. Libraries of another
/// version would bring another HIP with them.
std::vector<std::string> rocm_library_names(const RocmLibrary& library, int hip_version,
                                            const std::string& hip_folder);

/// Throws Error(unsupported) where none can be opened, or the one that is works over another HIP library than the one that
/// is open here, whose streams and memory it would not know.
DynamicLibrary open_rocm_library(const RocmLibrary& library);

/// Whether there is a file for the processor of that architecture ("gfx90a:xnack-") among the kernels that the library which
/// has `function` brings. Without one some versions end the process.
bool has_rocm_kernels(const RocmLibrary& library, const std::string& file, const std::string& architecture);

/// Throws Error(unsupported) if it is not found.
void require_kernels(const RocmLibrary& library, const VendorLibrary& opened,
                     const std::string& architecture);

}  // namespace kernelgen
