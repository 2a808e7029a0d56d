// Matrix products on a HIP device through stubs of rocBLAS and hipBLASLt: which is called, and with what.
#include <algorithm>
#include <array>
#include <cstdlib>

#include "kernelgen/graph.hpp"
#include "matrix_fixture.hpp"
#include "stub_gpu/stub_blas_lt.hpp"
#include "stub_gpu/stub_rocblas.hpp"
#include "support/expect_error.hpp"
#include "support/kernel_files.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubBlasLt;
using test::StubRocblas;

constexpr const char *rocblas_variable = "KERNELGEN_ROCBLAS_LIBRARY",
                     *lt_variable = "KERNELGEN_HIPBLASLT_LIBRARY";

class RocblasTest : public test::MatrixTest {
 protected:
  RocblasTest() : MatrixTest(KERNELGEN_STUB_HIP6, "hip:0") {}

  void SetUp() override {
    ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP6, 1);
    ::setenv(rocblas_variable, KERNELGEN_STUB_ROCBLAS, 1);
    ::setenv(lt_variable, "none", 1);
    ::setenv("ROCBLAS_TENSILE_LIBPATH", kernels.path().c_str(), 1);
    ::setenv("HIPBLASLT_TENSILE_LIBPATH", kernels.path().c_str(), 1);
    gpu = test::StubGpu();
    gpu.architecture = "gfx942:sramecc+:xnack-";
    library = StubRocblas();
    library.current_context = &gpu.current;
    preferred = StubBlasLt();
    device = Device::open("hip:0", package);
  }

  const test::KernelFiles kernels{"4.4/TensileLibrary_Type_SS_gfx942.co"};
  StubRocblas& library = test::stub_state<StubRocblas>(KERNELGEN_STUB_ROCBLAS, "stub_rocblas");
  StubBlasLt& preferred = test::stub_state<StubBlasLt>(KERNELGEN_STUB_HIPBLASLT, "stub_blas_lt");
};

TEST_F(RocblasTest, MultipliesEveryLayoutItTakes) {
  constexpr std::int64_t m = 66, k = 70, n = 72;
  const auto check = [&]<class T>(T) {
    const Tensor a[] = {numbers<T>({1, m, k}), numbers<T>({1, k, m}).transpose(1, 2),
                        numbers<T>({1, m, k + 5}).narrow(2, 3, k),
                        numbers<T>({1, k, m + 9}).transpose(1, 2).narrow(1, 4, m)};
    const Tensor b[] = {numbers<T>({1, k, n}), numbers<T>({1, n, k}).transpose(1, 2),
                        numbers<T>({1, k, n + 3}).narrow(2, 1, n),
                        numbers<T>({1, n, k + 2}).transpose(1, 2).narrow(1, 2, k)};
    for (const Tensor& left : a)
      for (const Tensor& right : b) expect_product<T>(left, right, matmul(left, right));
  };
  check(float{});
  check(double{});
  EXPECT_EQ(library.products.size(), 32u);
  EXPECT_TRUE(gpu.launches.empty());
}

TEST_F(RocblasTest, IsToldTheColumnMajorBatch) {
  const Tensor a = numbers<float>({5, 66, 70}), b = numbers<float>({5, 70, 65}, 3);
  expect_product<float>(a, b, matmul(a, b));
  ASSERT_EQ(library.products.size(), 1u);
  const StubRocblas::Product& product = library.products[0];
  EXPECT_EQ((std::array{product.m, product.n, product.k, product.slices}),
            (std::array<std::int64_t, 4>{65, 66, 70, 5}));
  EXPECT_FALSE(product.transposes_a);
  EXPECT_FALSE(product.transposes_b);
  EXPECT_EQ(product.a.slice_stride, 70 * 65);
  EXPECT_EQ(product.b.slice_stride, 66 * 70);
  EXPECT_EQ(product.y.slice_stride, 66 * 65);
  // The same bits at every call.
  EXPECT_EQ(product.atomics, 0);
}

TEST_F(RocblasTest, AsksForTypesOfFullPrecision) {
  struct Case {
    DType dtype;
    int data, compute;
  };
  // rocblas_datatype_f16_r, _bf16_r, _f32_r and _f64_r.
  for (const Case& c : {Case{DType::f16, 150, 151}, Case{DType::bf16, 168, 151}, Case{DType::f32, 151, 151},
                        Case{DType::f64, 152, 152}}) {
    matmul(Tensor::zeros(device, {64, 64}, c.dtype), Tensor::zeros(device, {64, 64}, c.dtype));
    ASSERT_FALSE(library.products.empty()) << name_of(c.dtype);
    const StubRocblas::Product& product = library.products.back();
    for (const StubRocblas::Matrix& matrix : {product.a, product.b, product.y})
      EXPECT_EQ(matrix.type, c.data) << name_of(c.dtype);
    EXPECT_EQ(product.compute, c.compute) << name_of(c.dtype);
  }
  const Tensor f8 = Tensor::zeros(device, {64, 64}, DType::f8e4m3);
  matmul(f8, f8);
  EXPECT_EQ(library.products.size(), 4u);
}

TEST_F(RocblasTest, WorksInTheCallersStreamAndDeviceWithMemoryOfOurs) {
  library.workspace_bytes = 4096;
  const Tensor a = numbers<float>({70, 70}), out = Tensor::empty(device, {70, 70}, DType::f32);
  const Stream stream = device.new_stream();
  gpu.current = 1;
  gpu.calls.clear();
  for (int i = 0; i < 2; ++i) matmul(a, a, {.stream = stream, .out = &out});
  ASSERT_EQ(library.products.size(), 2u);
  for (const StubRocblas::Product& product : library.products) {
    EXPECT_EQ(product.stream, stream.native());
    EXPECT_EQ(product.context, 0u);
    EXPECT_EQ(product.workspace_bytes, 4096u);
  }
  EXPECT_EQ(gpu.current, 1u);
  // The second takes the workspace of the first.
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), "hipMallocAsync"), 1);
  // Asked once for a problem.
  const auto questions =
      std::count(library.calls.begin(), library.calls.end(), "rocblas_start_device_memory_size_query");
  EXPECT_EQ(questions, 1);
  // No memory where none is wanted, and never the library's own.
  library.workspace_bytes = 0;
  gpu.calls.clear();
  matmul(a, a.transpose(0, 1), {.stream = stream, .out = &out});
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), "hipMallocAsync"), 0);
  EXPECT_NE(library.products.back().workspace, nullptr);
  EXPECT_LT(library.products.back().workspace_bytes, 256u);  // the least that it makes use of
  library.workspace_bytes = std::size_t{1} << 30;
  matmul(numbers<float>({71, 70}), a);
  EXPECT_EQ(library.products.back().workspace_bytes, std::size_t{32} << 20);
}

TEST_F(RocblasTest, ItsWorkIsPartOfAGraph) {
  library.workspace_bytes = 4096;
  const Tensor a = numbers<float>({70, 70});
  const Graph graph = device.capture([&] { matmul(a, a); });
  EXPECT_EQ(library.products.size(), 1u);
  EXPECT_NE(library.products[0].stream, nullptr);
  EXPECT_TRUE(gpu.violations.empty());
}

TEST_F(RocblasTest, WhatItDoesNotDoIsOurs) {
  const Tensor a = numbers<float>({70, 70});
  // Not implemented, invalid size, invalid value, excluded from the build, another architecture.
  for (const int status : {2, 4, 11, 14, 15}) {
    gpu.launches.clear();
    library.failures = {{"rocblas_gemm_strided_batched_ex", status}};
    matmul(a, numbers<float>({70, 70 + status}));
    EXPECT_EQ(gpu.launches.size(), 1u) << status;
  }
  library.failures = {{"rocblas_gemm_strided_batched_ex", 6}};
  expect_error(Code::device,
               {"matmul: ", KERNELGEN_STUB_ROCBLAS, "rocblas_gemm_strided_batched_ex ", "status 6",
                "rocblas_status_internal_error"},
               [&] { matmul(a, a); });
  library.failures.clear();
  matmul(a, a);
  EXPECT_EQ(library.products.size(), 1u);
}

TEST_F(RocblasTest, SubnormalsAreKeptWhereTheUnitsLoseThem) {
  const std::vector<std::byte> old_bytes =
      test::gpu_package("hip:0", code, test::matrix_operations, "gfx90a");
  device = Device();
  gpu.architecture = "gfx90a:sramecc+:xnack-";
  const test::KernelFiles files{"TensileLibrary_gfx90a.co"};
  ::setenv("ROCBLAS_TENSILE_LIBPATH", files.path().c_str(), 1);
  device = Device::open("hip:0", Package::from_memory(old_bytes));
  for (const DType dtype : {DType::f16, DType::bf16}) {
    gpu.launches.clear();
    const Tensor a = Tensor::zeros(device, {64, 64}, dtype);
    matmul(a, a);
    EXPECT_EQ(gpu.launches.size(), 1u) << name_of(dtype);
  }
  EXPECT_TRUE(library.products.empty());
  const Tensor a = Tensor::zeros(device, {64, 64}, DType::f32);
  matmul(a, a);
  EXPECT_EQ(library.products.size(), 1u);
}

TEST_F(RocblasTest, HipblasLtIsPreferredAndRocblasDoesTheRest) {
  ::setenv(lt_variable, KERNELGEN_STUB_HIPBLASLT, 1);
  const Tensor a = numbers<float>({1, 70, 70});
  expect_product<float>(a, a, matmul(a, a));
  EXPECT_EQ(preferred.products.size(), 1u);
  EXPECT_TRUE(library.products.empty());
  preferred.has_algorithm = false;
  const Tensor b = numbers<float>({1, 70, 71});
  expect_product<float>(a, b, matmul(a, b));
  EXPECT_EQ(preferred.products.size(), 1u);
  EXPECT_EQ(library.products.size(), 1u);
  EXPECT_TRUE(gpu.launches.empty());
}

TEST_F(RocblasTest, HipblasLtHasAHandleForEachStream) {
  ::setenv(lt_variable, KERNELGEN_STUB_HIPBLASLT, 1);
  const Tensor a = numbers<float>({70, 70}), out = Tensor::empty(device, {70, 70}, DType::f32);
  std::vector<Stream> streams;
  for (int i = 0; i < 40; ++i) streams.push_back(device.new_stream());
  for (int twice = 0; twice < 2; ++twice)
    for (const Stream& stream : streams) matmul(a, a, {.stream = stream, .out = &out});
  std::map<void*, void*> handles;
  for (const StubBlasLt::Product& product : preferred.products) {
    const auto known = handles.emplace(product.handle, product.stream).first;
    EXPECT_EQ(known->second, product.stream);
  }
  // One is the default queue's. The others' streams are rocBLAS's.
  EXPECT_EQ(handles.size(), 31u);
  EXPECT_EQ(library.products.size(), 2 * (streams.size() - 31));
}

TEST_F(RocblasTest, GraphsAreRocblassAsTheirProductsMayMeet) {
  ::setenv(lt_variable, KERNELGEN_STUB_HIPBLASLT, 1);
  const Tensor a = numbers<float>({70, 70});
  const Graph graph = device.capture([&] { matmul(a, a); });
  EXPECT_TRUE(preferred.products.empty());
  EXPECT_EQ(library.products.size(), 1u);
  EXPECT_TRUE(gpu.violations.empty());
  matmul(a, a);
  EXPECT_EQ(preferred.products.size(), 1u);
}

TEST_F(RocblasTest, ALibraryThatDoesNotKnowTheGpuIsNotAsked) {
  const test::KernelFiles files{"TensileLibrary_gfx90a.co", "TensileLibrary_gfx9424.co"};
  ::setenv("ROCBLAS_TENSILE_LIBPATH", files.path().c_str(), 1);
  ::setenv("HIPBLASLT_TENSILE_LIBPATH", files.path().c_str(), 1);
  const Tensor a = numbers<float>({70, 70});
  expect_error(Code::unsupported,
               {KERNELGEN_STUB_ROCBLAS, "has no kernels for gfx942:sramecc+:xnack-", files.path().c_str(),
                "ROCBLAS_TENSILE_LIBPATH"},
               [&] { matmul(a, a); });
  ::setenv(lt_variable, KERNELGEN_STUB_HIPBLASLT, 1);
  expect_error(Code::unsupported,
               {KERNELGEN_STUB_HIPBLASLT, "has no kernels for gfx942", "HIPBLASLT_TENSILE_LIBPATH"},
               [&] { matmul(a, a); });
  // Before it is called for anything: it would end the process.
  EXPECT_TRUE(library.calls.empty());
  EXPECT_TRUE(preferred.calls.empty());
}

TEST_F(RocblasTest, ALibraryOverAnotherHipIsRefused) {
  ::setenv(rocblas_variable, KERNELGEN_STUB_ROCBLAS_OTHER, 1);
  const Tensor a = numbers<float>({70, 70});
  expect_error(Code::unsupported,
               {KERNELGEN_STUB_ROCBLAS_OTHER, "works over", KERNELGEN_STUB_HIP6, rocblas_variable},
               [&] { matmul(a, a); });
}

TEST_F(RocblasTest, AnOldHipblasLtIsRefused) {
  ::setenv(lt_variable, KERNELGEN_STUB_HIPBLASLT, 1);
  preferred.version = 300;  // ROCm 5.7's
  const Tensor a = numbers<float>({70, 70});
  expect_error(Code::unsupported, {KERNELGEN_STUB_HIPBLASLT, "version 0.3", "ROCm 6.0"},
               [&] { matmul(a, a); });
  EXPECT_EQ(preferred.objects, 0);
}

TEST_F(RocblasTest, NoneIsNone) {
  ::setenv(rocblas_variable, "none", 1);
  const Tensor a = numbers<float>({70, 70});
  matmul(a, a);
  EXPECT_EQ(gpu.launches.size(), 1u);
  EXPECT_TRUE(library.calls.empty());
  EXPECT_TRUE(preferred.calls.empty());
}

TEST_F(RocblasTest, LeavesNothingBehind) {
  ::setenv(lt_variable, KERNELGEN_STUB_HIPBLASLT, 1);
  {
    const Tensor a = numbers<float>({70, 70});
    matmul(a, a);
    EXPECT_EQ(library.handles, 1);
    EXPECT_GT(preferred.objects, 0);
  }
  device = Device();
  EXPECT_EQ(library.handles, 0);
  EXPECT_EQ(preferred.objects, 0);
}

}  // namespace
}  // namespace kernelgen
