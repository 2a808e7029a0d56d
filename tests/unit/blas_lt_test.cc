// Matrix products on a GPU through stubs of cuBLASLt and hipBLASLt: the calls made, and products that are not offered.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <ostream>

#include "library/gpu_matrices.hpp"
#include "matrix_fixture.hpp"
#include "stub_gpu/stub_blas_lt.hpp"
#include "support/expect_error.hpp"
#include "support/kernel_files.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubBlasLt;

/// A vendor's driver and library, and what they call things.
struct Vendor {
  const char *name, *device, *driver, *library, *variable, *what, *functions;
  const char* allocate;
  std::uintptr_t current, foreign;  ///< what is current when the device works, and what another library chose
  int compute_f32, compute_f64;
  std::vector<int> refusals;
  int execution_failed, allocation_failed;
  const char* execution_failed_text;
  bool asks_for_alignment;
};
void PrintTo(const Vendor& vendor, std::ostream* out) { *out << vendor.name; }
// CUDA_R_..., CUBLAS_COMPUTE_32F and _64F, CUBLAS_STATUS_...; HIPBLAS_COMPUTE_32F and _64F, HIPBLAS_STATUS_....
const Vendor vendors[] = {{"cuda",
                           "cuda:0",
                           KERNELGEN_STUB_CUDA,
                           KERNELGEN_STUB_CUBLASLT,
                           "KERNELGEN_CUBLASLT_LIBRARY",
                           "cuBLASLt",
                           "cublasLt",
                           "cuMemAllocAsync",
                           0x100,
                           0x999,
                           68,
                           70,
                           {15},
                           13,
                           3,
                           "CUBLAS_STATUS_EXECUTION_FAILED",
                           true},
                          {"hip",
                           "hip:0",
                           KERNELGEN_STUB_HIP6,
                           KERNELGEN_STUB_HIPBLASLT,
                           "KERNELGEN_HIPBLASLT_LIBRARY",
                           "hipBLASLt",
                           "hipblasLt",
                           "hipMallocAsync",
                           0,
                           1,
                           2,
                           7,
                           {3, 6, 7, 8, 10},
                           5,
                           2,
                           "HIPBLAS_STATUS_EXECUTION_FAILED",
                           false}};

class BlasLtTest : public test::MatrixTest, public testing::WithParamInterface<Vendor> {
 protected:
  BlasLtTest() : MatrixTest(GetParam().driver, GetParam().device) {}

  void SetUp() override {
    ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
    ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP6, 1);
    ::setenv("KERNELGEN_ROCBLAS_LIBRARY", "none", 1);
    ::setenv("HIPBLASLT_TENSILE_LIBPATH", kernels.path().c_str(), 1);
    ::setenv(vendor.variable, vendor.library, 1);
    gpu = test::StubGpu();
    gpu.architecture = "gfx942:sramecc+:xnack-";
    library = StubBlasLt();
    library.current_context = &gpu.current;
    device = Device::open(vendor.device, package);
  }

  std::string function(const char* name) const { return std::string(vendor.functions) + name; }

  const Vendor& vendor = GetParam();
  const test::KernelFiles kernels{"TensileLibrary_lazy_gfx942.dat"};
  StubBlasLt& library = test::stub_state<StubBlasLt>(vendor.library, "stub_blas_lt");
};

template <class T>
void test_layouts(BlasLtTest&, const auto& numbers, const auto& check) {
  constexpr std::int64_t m = 66, k = 70, n = 72;
  const Tensor rows_a = numbers(Shape{1, m, k}), columns_a = numbers(Shape{1, k, m}).transpose(1, 2),
               wide_a = numbers(Shape{1, m, k + 5}).narrow(2, 3, k),
               wide_columns_a = numbers(Shape{1, k, m + 9}).transpose(1, 2).narrow(1, 4, m);
  const Tensor rows_b = numbers(Shape{1, k, n}), columns_b = numbers(Shape{1, n, k}).transpose(1, 2),
               wide_b = numbers(Shape{1, k, n + 3}).narrow(2, 1, n),
               wide_columns_b = numbers(Shape{1, n, k + 2}).transpose(1, 2).narrow(1, 2, k);
  for (const Tensor& a : {rows_a, columns_a, wide_a, wide_columns_a})
    for (const Tensor& b : {rows_b, columns_b, wide_b, wide_columns_b}) check(a, b);
}

TEST_P(BlasLtTest, MultipliesEveryLayoutItTakes) {
  test_layouts<float>(
      *this, [&](const Shape& shape) { return numbers<float>(shape); },
      [&](const Tensor& a, const Tensor& b) { expect_product<float>(a, b, matmul(a, b)); });
  test_layouts<double>(
      *this, [&](const Shape& shape) { return numbers<double>(shape); },
      [&](const Tensor& a, const Tensor& b) { expect_product<double>(a, b, matmul(a, b)); });
  EXPECT_EQ(library.products.size(), 32u);
  EXPECT_TRUE(gpu.launches.empty());
}

TEST_P(BlasLtTest, IsToldTheColumnMajorProduct) {
  matmul(numbers<float>({66, 75}).narrow(1, 3, 70), numbers<float>({72, 70}).transpose(0, 1));
  ASSERT_EQ(library.products.size(), 1u);
  const StubBlasLt::Product& product = library.products[0];
  EXPECT_EQ(product.transpose_a, 1);
  EXPECT_EQ(product.transpose_b, 0);
  EXPECT_EQ(product.a.leading, 70);
  EXPECT_EQ(product.b.leading, 75);
  EXPECT_EQ(product.y.leading, 72);
  EXPECT_EQ(product.y.rows, 72u);
  EXPECT_EQ(product.y.columns, 66u);
  EXPECT_EQ(product.y.slices, 1);
}

TEST_P(BlasLtTest, AsksForTypesOfFullPrecision) {
  struct Case {
    DType dtype;
    int data, compute, scale;
  };
  const int f32 = vendor.compute_f32, f64 = vendor.compute_f64;
  // CUDA_R_16F, _16BF, _32F and _64F, or HIP_R_....
  for (const Case& c : {Case{DType::f16, 2, f32, 0}, Case{DType::bf16, 14, f32, 0},
                        Case{DType::f32, 0, f32, 0}, Case{DType::f64, 1, f64, 1}}) {
    matmul(Tensor::zeros(device, {64, 64}, c.dtype), Tensor::zeros(device, {64, 64}, c.dtype));
    const StubBlasLt::Product& product = library.products.back();
    for (const StubBlasLt::Matrix& matrix : {product.a, product.b, product.y})
      EXPECT_EQ(matrix.type, c.data) << name_of(c.dtype);
    EXPECT_EQ(product.compute, c.compute) << name_of(c.dtype);
    EXPECT_EQ(product.scale, c.scale) << name_of(c.dtype);
  }
  // Parts of sums are kept in the compute type, which hipBLASLt does unasked.
  EXPECT_EQ(library.preference.reduction_schemes, vendor.asks_for_alignment ? 2u : 7u);
  EXPECT_EQ(library.preference.workspace_bytes, 32u << 20);
}

TEST_P(BlasLtTest, MultipliesABatchOfOneStrideInOneCall) {
  const Tensor a = numbers<float>({5, 66, 70}), b = numbers<float>({5, 70, 65}, 3);
  expect_product<float>(a, b, matmul(a, b));
  ASSERT_EQ(library.products.size(), 1u);
  EXPECT_EQ(library.products[0].y.slices, 5);
  EXPECT_EQ(library.products[0].a.slice_stride, 70 * 65);
  EXPECT_EQ(library.products[0].b.slice_stride, 66 * 70);
  EXPECT_EQ(library.products[0].y.slice_stride, 66 * 65);
  // One side for all slices.
  const Tensor one = numbers<float>({1, 66, 70});
  expect_product<float>(one, b, matmul(one, b));
  EXPECT_EQ(library.products.back().b.slice_stride, 0);
  EXPECT_TRUE(gpu.launches.empty());
}

TEST_P(BlasLtTest, TakesRunsOfOtherBatchesWhereTheyAreWorthIt) {
  const auto multiply = [&](std::int64_t inner) {
    const Tensor a = numbers<float>({2, inner, 64, 64}), b = numbers<float>({2, 1, 64, 64}, 5);
    const Tensor y = matmul(a, b);
    return std::array{a, b, y};
  };
  multiply(3);
  EXPECT_EQ(library.products.size(), 0u);
  EXPECT_EQ(gpu.launches.size(), 1u);
  const auto [a, b, y] = multiply(64);
  ASSERT_EQ(library.products.size(), 2u);
  EXPECT_EQ(library.products[0].y.slices, 64);
  for (const std::int64_t i : {0, 1}) {
    const auto part = [&](const Tensor& x) { return x.narrow(0, i, 1).squeeze(0); };
    expect_product<float>(part(a), part(b), part(y));
  }
}

TEST_P(BlasLtTest, TakesSmallAndNarrowProducts) {
  const auto check = [&](const Tensor& a, const Tensor& b) {
    library.products.clear();
    expect_product<float>(a, b, matmul(a, b));
    EXPECT_EQ(library.products.size(), 1u);
  };
  check(numbers<float>({1, 3, 5}), numbers<float>({1, 5, 4}));
  check(numbers<float>({1, 16, 359}), numbers<float>({1, 3, 359}).transpose(1, 2));
  check(numbers<float>({500, 2, 2}), numbers<float>({500, 2, 94}));
  check(numbers<float>({83, 4, 13}).transpose(1, 2), numbers<float>({83, 5, 4}).transpose(1, 2));
  // Of one row, of one column, in either order.
  check(numbers<float>({1, 1, 300}), numbers<float>({1, 300, 200}));
  check(numbers<float>({7, 1, 300}), numbers<float>({7, 20, 300}).transpose(1, 2));
  check(numbers<float>({1, 200, 300}), numbers<float>({1, 300, 1}));
  check(numbers<float>({7, 300, 20}).transpose(1, 2), numbers<float>({7, 300, 1}));
  EXPECT_TRUE(gpu.launches.empty());
}

TEST_P(BlasLtTest, OneRowOrColumnMayLieAnywhere) {
  const auto check = [&](const Tensor& a, const Tensor& b) {
    library.products.clear();
    expect_product<float>(a, b, matmul(a, b));
    EXPECT_EQ(library.products.size(), 1u);
    return library.products.at(0);
  };
  const Tensor matrix = numbers<float>({1, 70, 72});
  // A row's own length, whatever the step to the next one would be.
  const auto row = check(numbers<float>({1, 9, 75}).narrow(1, 4, 1).narrow(2, 1, 70), matrix);
  EXPECT_EQ(row.b.leading, 70);
  EXPECT_EQ(row.transpose_b, 0);
  const auto column = check(numbers<float>({1, 68, 70}), numbers<float>({1, 70, 1}));
  EXPECT_EQ(column.a.leading, 70);
  EXPECT_EQ(column.transpose_a, 1);
  // Every 3rd element.
  const auto sparse = check(numbers<float>({1, 70, 3}).narrow(2, 1, 1).transpose(1, 2), matrix);
  EXPECT_EQ(sparse.b.leading, 3);
  EXPECT_EQ(sparse.transpose_b, 1);
  EXPECT_TRUE(gpu.launches.empty());
}

TEST_P(BlasLtTest, OneTermIsAnElementwiseProduct) {
  const Tensor a = numbers<float>({40, 70, 1}), b = numbers<float>({40, 1, 9});
  const Tensor y = matmul(a, b);
  EXPECT_EQ(y.shape(), (Shape{40, 70, 9}));
  EXPECT_TRUE(library.calls.empty());
  ASSERT_EQ(gpu.launches.size(), 1u);
  EXPECT_EQ(gpu.launches[0].function, "mul_strided");
}

TEST_P(BlasLtTest, CopiesWhatLiesInNoOrderItTakes) {
  const auto check = [&](const Tensor& a, const Tensor& b) {
    library.products.clear();
    gpu.launches.clear();
    matmul(a, b);
    ASSERT_EQ(library.products.size(), 1u);
    EXPECT_EQ(library.products[0].a.leading, 72);
    EXPECT_EQ(library.products[0].b.leading, 70);
    ASSERT_EQ(gpu.launches.size(), 1u);
    EXPECT_EQ(gpu.launches[0].function, "copy_strided");
  };
  check(numbers<float>({70, 70, 2}).narrow(2, 0, 1).squeeze(2), numbers<float>({70, 72}));
  check(numbers<float>({1, 70}).broadcast_to({70, 70}), numbers<float>({70, 72}));
  check(numbers<float>({70, 70}), numbers<float>({70, 72, 2}).narrow(2, 1, 1).squeeze(2));
}

TEST_P(BlasLtTest, LeavesTheRestToOurKernels) {
  const auto launches = [&](const Tensor& a, const Tensor& b) {
    gpu.launches.clear();
    matmul(a, b);
    return gpu.launches.size();
  };
  // A few results.
  EXPECT_EQ(launches(numbers<float>({1, 2000}), numbers<float>({2000, 1})), 1u);
  EXPECT_EQ(launches(numbers<float>({3000, 2, 64}), numbers<float>({3000, 64, 1})), 1u);
  // Not worth a copy: few uses of an element, little work.
  const Tensor every_other = numbers<float>({300, 300, 2}).narrow(2, 0, 1).squeeze(2);
  EXPECT_EQ(launches(every_other, numbers<float>({300, 15})), 1u);
  EXPECT_EQ(launches(every_other.narrow(0, 0, 20).narrow(1, 0, 20), numbers<float>({20, 20})), 1u);
  const Tensor f8 = Tensor::zeros(device, {64, 64}, DType::f8e4m3);
  EXPECT_EQ(launches(f8, f8), 1u);
  EXPECT_TRUE(library.products.empty());
  library.has_algorithm = false;
  EXPECT_EQ(launches(numbers<float>({70, 70}), numbers<float>({70, 70})), 1u);
  library.has_algorithm = true;
  std::int64_t rows = 70;  // problems not seen before
  for (const int refusal : vendor.refusals) {
    library.failures = {{function("MatmulAlgoGetHeuristic"), refusal}};
    EXPECT_EQ(launches(numbers<float>({++rows, 70}), numbers<float>({70, 70})), 1u) << refusal;
    library.failures = {{function("MatmulDescCreate"), refusal}};
    EXPECT_EQ(launches(numbers<float>({++rows, 70}), numbers<float>({70, 70})), 1u) << refusal;
  }
  EXPECT_TRUE(library.products.empty());
}

TEST_P(BlasLtTest, AsksOnceForAProblem) {
  const Tensor storage = numbers<float>({70 * 70 + 64});
  const auto matrix = [&](std::int64_t offset) { return storage.with_layout({{70, 70}, {70, 1}, offset}); };
  const Tensor b = numbers<float>({70, 70});
  const auto questions = [&] {
    return std::count(library.calls.begin(), library.calls.end(), function("MatmulAlgoGetHeuristic"));
  };
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(storage.data()) % 16, 0u);
  const Tensor out = matmul(matrix(0), b);
  matmul(matrix(64), b, {.out = &out});
  EXPECT_EQ(questions(), 1);
  // Another alignment, where the library looks at it, and another length of a row.
  matmul(matrix(1), b, {.out = &out});
  EXPECT_EQ(questions(), vendor.asks_for_alignment ? 2 : 1);
  if (vendor.asks_for_alignment) {
    EXPECT_EQ(library.preference.alignment[1], 4u);
    EXPECT_GE(library.preference.alignment[0], 16u);
    EXPECT_EQ(library.preference.alignment[2], library.preference.alignment[3]);
  }
  matmul(numbers<float>({70, 71}).narrow(1, 0, 70), b, {.out = &out});
  EXPECT_EQ(questions(), vendor.asks_for_alignment ? 3 : 2);
  EXPECT_EQ(library.products.size(), 4u);
}

TEST_P(BlasLtTest, TellsWhichAlgorithmsLeaveMostOfTheDeviceIdle) {
  const GpuMatrices* const matrices = GpuMatrices::of(state_of(device), DType::f32);
  ASSERT_NE(matrices, nullptr);
  std::int64_t rows = 4;
  const auto leaves_idle = [&](float waves, std::size_t workspace_bytes) {
    library.waves = waves;
    library.workspace_bytes = workspace_bytes;
    ++rows;  // a problem not seen before
    const MatrixProduct product{DType::f32, DType::f32, {nullptr, rows, 8192, 1}, {nullptr, 3000, 8192, 1},
                                8192,       nullptr};
    return matrices->leaves_idle(product);
  };
  EXPECT_TRUE(leaves_idle(0.1F, 0));
  EXPECT_FALSE(leaves_idle(0.1F, 1 << 20));  // it splits the terms
  EXPECT_FALSE(leaves_idle(0.5F, 0));
  EXPECT_FALSE(leaves_idle(0, 0));  // no estimate
  library.has_algorithm = false;
  EXPECT_FALSE(leaves_idle(0.1F, 0));
}

TEST_P(BlasLtTest, WorksInTheCallersStreamAndContext) {
  library.workspace_bytes = 4096;
  const Tensor a = numbers<float>({70, 70}), out = Tensor::empty(device, {70, 70}, DType::f32);
  const Stream stream = device.new_stream();
  const std::size_t in_use = device.memory_use().in_use;
  gpu.current = vendor.foreign;
  gpu.calls.clear();
  matmul(a, a, {.stream = stream, .out = &out});
  ASSERT_EQ(library.products.size(), 1u);
  EXPECT_EQ(library.products[0].stream, stream.native());
  EXPECT_EQ(library.products[0].context, vendor.current);
  EXPECT_EQ(gpu.current, vendor.foreign);
  EXPECT_NE(library.products[0].workspace, nullptr);
  EXPECT_EQ(library.products[0].workspace_bytes, 4096u);
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), vendor.allocate), 1);
  EXPECT_EQ(device.memory_use().in_use, in_use);
}

TEST_P(BlasLtTest, NamesWhatFailed) {
  const Tensor a = numbers<float>({70, 70});
  library.workspace_bytes = 64;
  library.failures = {{function("Matmul"), vendor.execution_failed}};
  const std::size_t in_use = device.memory_use().in_use;
  expect_error(Code::device,
               {"matmul: ", vendor.library, function("Matmul").c_str(),
                ("status " + std::to_string(vendor.execution_failed)).c_str(), vendor.execution_failed_text},
               [&] { matmul(a, a); });
  // Its workspace and the output are freed.
  EXPECT_EQ(device.memory_use().in_use, in_use);
  library.failures = {{function("MatrixLayoutCreate"), vendor.allocation_failed}};
  expect_error(Code::device,
               {function("MatrixLayoutCreate").c_str(),
                ("status " + std::to_string(vendor.allocation_failed)).c_str()},
               [&] { matmul(a.transpose(0, 1), a); });
  library.failures.clear();
  matmul(a.transpose(0, 1), a);
  EXPECT_EQ(library.products.size(), 1u);
}

TEST_P(BlasLtTest, LeavesNothingBehind) {
  const Tensor a = numbers<float>({70, 70});
  matmul(a, a);
  EXPECT_GT(library.objects, 0);
  const_cast<Tensor&>(a) = Tensor();
  device = Device();
  EXPECT_EQ(library.objects, 0);
}

TEST_P(BlasLtTest, NoneIsAsked) {
  ::setenv(vendor.variable, "none", 1);
  const Tensor a = numbers<float>({70, 70});
  matmul(a, a);
  EXPECT_EQ(gpu.launches.size(), 1u);
  // Nothing is copied for it.
  matmul(numbers<float>({70, 70, 2}).narrow(2, 0, 1).squeeze(2), a);
  EXPECT_EQ(gpu.launches.size(), 2u);
  EXPECT_TRUE(library.calls.empty());
}

TEST_P(BlasLtTest, TheNamedLibraryHasToBeUsable) {
  const Tensor a = numbers<float>({70, 70});
  ::setenv(vendor.variable, "/no/such/library.so", 1);
  expect_error(Code::unsupported, {vendor.what, vendor.variable, "/no/such/library.so"},
               [&] { matmul(a, a); });
  ::setenv(vendor.variable, "libc.so.6", 1);
  expect_error(Code::unsupported, {"matmul", "libc.so.6 has no function", vendor.functions},
               [&] { matmul(a, a); });
  ::setenv(vendor.variable, vendor.library, 1);
  library.failures = {{function("Create"), 1}};
  expect_error(Code::device, {"matmul", function("Create").c_str(), "status 1"}, [&] { matmul(a, a); });
  EXPECT_TRUE(gpu.launches.empty());
}

INSTANTIATE_TEST_SUITE_P(Vendors, BlasLtTest, testing::ValuesIn(vendors),
                         [](const auto& vendor) { return std::string(vendor.param.name); });

}  // namespace
}  // namespace kernelgen
