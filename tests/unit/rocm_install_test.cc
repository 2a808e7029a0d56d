// An install folder of ROCm 6 made of stubs: without environment variables, the libraries next to the HIP library are used.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "kernelgen/ops/matmul.hpp"
#include "matrix_fixture.hpp"
#include "stub_gpu/stub_blas_lt.hpp"
#include "stub_gpu/stub_rocblas.hpp"
#include "support/kernel_files.hpp"

namespace kernelgen {
namespace {

namespace fs = std::filesystem;

// A separate program, since a process opens only one HIP library.
TEST(RocmInstall, ItsLibrariesAreTakenByTheirNumbers) {
  const test::KernelFiles install{"rocblas/library/TensileLibrary_lazy_gfx942.dat",
                                  "hipblaslt/library/TensileLibrary_lazy_gfx90a.dat"};
  const fs::path hip = install.path() / "libamdhip64.so.6";
  fs::copy_file(KERNELGEN_STUB_HIP6, hip);
  // The number of ROCm 5 is there as well, and would be another HIP's.
  fs::copy_file(KERNELGEN_STUB_ROCBLAS, install.path() / "librocblas.so.4");
  fs::copy_file(KERNELGEN_STUB_ROCBLAS_OTHER, install.path() / "librocblas.so.3");
  fs::copy_file(KERNELGEN_STUB_HIPBLASLT, install.path() / "libhipblaslt.so.0");
  ::setenv("KERNELGEN_HIP_LIBRARY", hip.c_str(), 1);
  for (const char* variable : {"KERNELGEN_ROCBLAS_LIBRARY", "KERNELGEN_HIPBLASLT_LIBRARY",
                               "ROCBLAS_TENSILE_LIBPATH", "HIPBLASLT_TENSILE_LIBPATH"})
    ::unsetenv(variable);
  auto& gpu = test::stub_state<test::StubGpu>(hip.c_str(), "stub_gpu");
  gpu.architecture = "gfx942:sramecc+:xnack-";

  const test::KernelFiles logs{"log"};
  const fs::path log = logs.path() / "log";
  ::setenv("KERNELGEN_LOG", log.c_str(), 1);

  const std::vector<std::byte> code = test::amd_code_object(5),
                               bytes = test::gpu_package("hip:0", code, test::matrix_operations);
  const Device device = Device::open("hip:0", Package::from_memory(bytes));
  const Tensor a = Tensor::zeros(device, {70, 70}, DType::f32);
  matmul(a, a);
  const auto& rocblas =
      test::stub_state<test::StubRocblas>((install.path() / "librocblas.so.4").c_str(), "stub_rocblas");
  EXPECT_EQ(rocblas.products.size(), 1u);
  EXPECT_TRUE(gpu.launches.empty());
  // hipBLASLt has kernels for another GPU only.
  const auto& lt =
      test::stub_state<test::StubBlasLt>((install.path() / "libhipblaslt.so.0").c_str(), "stub_blas_lt");
  EXPECT_TRUE(lt.calls.empty());
  std::ifstream file(log);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("kernelgen hip:0: " + (install.path() / "librocblas.so.4").string() + " is used\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("kernelgen hip:0: a library is left out: " +
                      (install.path() / "libhipblaslt.so.0").string() + " has no kernels for gfx942"),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace kernelgen
