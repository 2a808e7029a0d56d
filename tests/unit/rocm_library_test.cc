// Names under which ROCm's libraries are looked for, and whether they have kernels for a GPU.
#include "library/rocm_library.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "library/rocblas.hpp"
#include "support/kernel_files.hpp"

namespace kernelgen {
namespace {

using Names = std::vector<std::string>;

TEST(RocmLibrary, NamesAreThoseOfTheVersionOfHip) {
  EXPECT_EQ(rocm_library_names(rocblas_library, 7, "/opt/rocm/lib"),
            (Names{"/opt/rocm/lib/librocblas.so.5", "librocblas.so.5", "/opt/rocm/lib/librocblas.so",
                   "librocblas.so"}));
  EXPECT_EQ(rocm_library_names(rocblas_library, 6, ""), (Names{"librocblas.so.4", "librocblas.so"}));
  // ROCm up to 5.5, and Debian's, have another number than 5.6 and 5.7.
  EXPECT_EQ(rocm_library_names(rocblas_library, 5, ""),
            (Names{"librocblas.so.3", "librocblas.so.0", "librocblas.so"}));
  // Of a HIP newer than what is known here.
  EXPECT_EQ(rocm_library_names(rocblas_library, 8, ""), (Names{"librocblas.so"}));
  EXPECT_EQ(
      rocm_library_names(rocblas_library, 0, ""),
      (Names{"librocblas.so.5", "librocblas.so.4", "librocblas.so.3", "librocblas.so.0", "librocblas.so"}));
}

TEST(RocmLibrary, KernelsLieBesideItOrWhereTheVariableSays) {
  const test::KernelFiles files{
      "lib/librocblas.so.4", "lib/rocblas/library/Kernels.so-000-gfx90a-xnack-.hsaco",
      "lib/rocblas/2.47/library/TensileLibrary_Type_HH_gfx1030.co", "other/TensileLibrary_lazy_gfx1100.dat"};
  const std::string library = files.path() / "lib/librocblas.so.4";
  ::unsetenv("ROCBLAS_TENSILE_LIBPATH");
  EXPECT_TRUE(has_rocm_kernels(rocblas_library, library, "gfx90a:sramecc+:xnack-"));
  EXPECT_TRUE(has_rocm_kernels(rocblas_library, library, "gfx1030"));
  for (const char* unknown : {"gfx1100", "gfx90", "gfx103", "gfx942"})
    EXPECT_FALSE(has_rocm_kernels(rocblas_library, library, unknown)) << unknown;
  EXPECT_FALSE(has_rocm_kernels(rocblas_library, "/no/such/librocblas.so", "gfx90a"));
  ::setenv("ROCBLAS_TENSILE_LIBPATH", (files.path() / "other").c_str(), 1);
  EXPECT_TRUE(has_rocm_kernels(rocblas_library, library, "gfx1100"));
  EXPECT_FALSE(has_rocm_kernels(rocblas_library, library, "gfx90a"));
}

}  // namespace
}  // namespace kernelgen
