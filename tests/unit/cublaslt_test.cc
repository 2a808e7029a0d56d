// Products on a CUDA device through a stub of cuBLASLt: what the library is told, and when it is not asked.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

#include "kernelgen/ops/matmul.hpp"
#include "plan/abi.hpp"
#include "stub_gpu/stub_cublaslt.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/expect_error.hpp"
#include "support/operation_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubCublasLt;
using test::StubGpu;

constexpr const char* variable = "KERNELGEN_CUBLASLT_LIBRARY";
constexpr std::string_view inputs[] = {"a", "b"}, one_input[] = {"x"};
constexpr test::SampleForm forms[] = {{"tiled", 80 + sizeof(kg::Strided<2>)},
                                      {"vector", 64 + sizeof(kg::Strided<2>)}},
                           copy_forms[] = {{"contiguous", 24},
                                           {"strided", 16 + sizeof(kg::Strided<1>)},
                                           {"tiled", 16 + sizeof(kg::Tiles<1>)}},
                           mul_forms[] = {{"contiguous", 32}, {"strided", 24 + sizeof(kg::Strided<2>)}};
constexpr test::SampleOperation operations[] = {
    {"matmul", inputs, forms}, {"copy", one_input, copy_forms}, {"mul", inputs, mul_forms}};

class CublasLtTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
    ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP, 1);
    ::setenv(variable, KERNELGEN_STUB_CUBLASLT, 1);
    gpu = StubGpu();
    library = StubCublasLt();
    library.current_context = &gpu.current;
    device = Device::open("cuda:0", package);
  }

  template <class T>
  Tensor numbers(const Shape& shape, std::int64_t first = 0) const {
    const std::int64_t count = Layout::contiguous(shape).elements();
    std::vector<T> values;
    for (std::int64_t i = first; i < first + count; ++i) values.push_back(static_cast<T>(i * 7 % 13 - 6));
    return Tensor::from_host(device, std::as_bytes(std::span(values)), shape,
                             sizeof(T) == 4 ? DType::f32 : DType::f64);
  }

  /// The numbers are small integers: every order of sums is exact.
  template <class T>
  static void expect_product(const Tensor& a, const Tensor& b, const Tensor& y) {
    ASSERT_EQ(y.shape().size(), 3u);
    const auto at = [](const Tensor& x, std::int64_t i, std::int64_t j, std::int64_t k) {
      const Shape& strides = x.layout().strides;
      return static_cast<const T*>(x.data())[i * strides[0] + j * strides[1] + k * strides[2]];
    };
    int wrong = 0;
    for (std::int64_t s = 0; s < y.shape()[0]; ++s)
      for (std::int64_t i = 0; i < y.shape()[1]; ++i)
        for (std::int64_t j = 0; j < y.shape()[2]; ++j) {
          T sum = 0;
          for (std::int64_t t = 0; t < a.shape()[2]; ++t)
            sum += at(a, a.shape()[0] == 1 ? 0 : s, i, t) * at(b, b.shape()[0] == 1 ? 0 : s, t, j);
          wrong += at(y, s, i, j) != sum;
        }
    EXPECT_EQ(wrong, 0);
  }

  StubGpu& gpu = test::stub_state<StubGpu>(KERNELGEN_STUB_CUDA, "stub_gpu");
  StubCublasLt& library = test::stub_state<StubCublasLt>(KERNELGEN_STUB_CUBLASLT, "stub_cublaslt");
  const std::vector<std::byte> bytes =
      test::operation_package({"sm_90", 2, 32, test::bytes_of("cubin")}, operations);
  const Package package = Package::from_memory(bytes);
  Device device;
};

template <class T>
void test_layouts(CublasLtTest&, const auto& numbers, const auto& check) {
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

TEST_F(CublasLtTest, MultipliesEveryLayoutItTakes) {
  test_layouts<float>(
      *this, [&](const Shape& shape) { return numbers<float>(shape); },
      [&](const Tensor& a, const Tensor& b) { expect_product<float>(a, b, matmul(a, b)); });
  test_layouts<double>(
      *this, [&](const Shape& shape) { return numbers<double>(shape); },
      [&](const Tensor& a, const Tensor& b) { expect_product<double>(a, b, matmul(a, b)); });
  EXPECT_EQ(library.products.size(), 32u);
  EXPECT_TRUE(gpu.launches.empty());
}

TEST_F(CublasLtTest, IsToldTheColumnMajorProduct) {
  matmul(numbers<float>({66, 75}).narrow(1, 3, 70), numbers<float>({72, 70}).transpose(0, 1));
  ASSERT_EQ(library.products.size(), 1u);
  const StubCublasLt::Product& product = library.products[0];
  EXPECT_EQ(product.transpose_a, 1);
  EXPECT_EQ(product.transpose_b, 0);
  EXPECT_EQ(product.a.leading, 70);
  EXPECT_EQ(product.b.leading, 75);
  EXPECT_EQ(product.y.leading, 72);
  EXPECT_EQ(product.y.rows, 72u);
  EXPECT_EQ(product.y.columns, 66u);
  EXPECT_EQ(product.y.slices, 1);
}

TEST_F(CublasLtTest, AsksForTypesOfFullPrecision) {
  struct Case {
    DType dtype;
    int data, compute, scale;
  };
  // CUDA_R_16F, CUDA_R_16BF, CUDA_R_32F, CUDA_R_64F; CUBLAS_COMPUTE_32F and _64F.
  for (const Case& c : {Case{DType::f16, 2, 68, 0}, Case{DType::bf16, 14, 68, 0}, Case{DType::f32, 0, 68, 0},
                        Case{DType::f64, 1, 70, 1}}) {
    matmul(Tensor::zeros(device, {64, 64}, c.dtype), Tensor::zeros(device, {64, 64}, c.dtype));
    const StubCublasLt::Product& product = library.products.back();
    for (const StubCublasLt::Matrix& matrix : {product.a, product.b, product.y})
      EXPECT_EQ(matrix.type, c.data) << name_of(c.dtype);
    EXPECT_EQ(product.compute, c.compute) << name_of(c.dtype);
    EXPECT_EQ(product.scale, c.scale) << name_of(c.dtype);
  }
  // Parts of sums are kept in the compute type.
  EXPECT_EQ(library.preference.reduction_schemes, 2u);
  EXPECT_EQ(library.preference.workspace_bytes, 32u << 20);
}

TEST_F(CublasLtTest, MultipliesABatchOfOneStrideInOneCall) {
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

TEST_F(CublasLtTest, TakesRunsOfOtherBatchesWhereTheyAreWorthIt) {
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

TEST_F(CublasLtTest, TakesSmallAndNarrowProducts) {
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

TEST_F(CublasLtTest, OneRowOrColumnMayLieAnywhere) {
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

TEST_F(CublasLtTest, OneTermIsAnElementwiseProduct) {
  const Tensor a = numbers<float>({40, 70, 1}), b = numbers<float>({40, 1, 9});
  const Tensor y = matmul(a, b);
  EXPECT_EQ(y.shape(), (Shape{40, 70, 9}));
  EXPECT_TRUE(library.calls.empty());
  ASSERT_EQ(gpu.launches.size(), 1u);
  EXPECT_EQ(gpu.launches[0].function, "mul_strided");
}

TEST_F(CublasLtTest, CopiesWhatLiesInNoOrderItTakes) {
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

TEST_F(CublasLtTest, LeavesTheRestToOurKernels) {
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
  library.failures = {{"cublasLtMatmulAlgoGetHeuristic", 15}};
  EXPECT_EQ(launches(numbers<float>({71, 70}), numbers<float>({70, 70})), 1u);
  EXPECT_TRUE(library.products.empty());
}

TEST_F(CublasLtTest, AsksOnceForAProblem) {
  const Tensor storage = numbers<float>({70 * 70 + 64});
  const auto matrix = [&](std::int64_t offset) { return storage.with_layout({{70, 70}, {70, 1}, offset}); };
  const Tensor b = numbers<float>({70, 70});
  const auto questions = [&] {
    return std::count(library.calls.begin(), library.calls.end(), "cublasLtMatmulAlgoGetHeuristic");
  };
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(storage.data()) % 16, 0u);
  const Tensor out = matmul(matrix(0), b);
  matmul(matrix(64), b, {.out = &out});
  EXPECT_EQ(questions(), 1);
  // Another alignment, and another length of a row.
  matmul(matrix(1), b, {.out = &out});
  EXPECT_EQ(questions(), 2);
  EXPECT_EQ(library.preference.alignment[1], 4u);
  EXPECT_GE(library.preference.alignment[0], 16u);
  EXPECT_EQ(library.preference.alignment[2], library.preference.alignment[3]);
  matmul(numbers<float>({70, 71}).narrow(1, 0, 70), b, {.out = &out});
  EXPECT_EQ(questions(), 3);
  EXPECT_EQ(library.products.size(), 4u);
}

TEST_F(CublasLtTest, WorksInTheCallersStreamAndContext) {
  library.workspace_bytes = 4096;
  const Tensor a = numbers<float>({70, 70}), out = Tensor::empty(device, {70, 70}, DType::f32);
  const Stream stream = device.new_stream();
  constexpr std::uintptr_t foreign = 0x999;
  gpu.current = foreign;
  gpu.calls.clear();
  matmul(a, a, {.stream = stream, .out = &out});
  ASSERT_EQ(library.products.size(), 1u);
  EXPECT_EQ(library.products[0].stream, stream.native());
  EXPECT_EQ(library.products[0].context, 0x100u);
  EXPECT_EQ(gpu.current, foreign);
  EXPECT_NE(library.products[0].workspace, nullptr);
  EXPECT_EQ(library.products[0].workspace_bytes, 4096u);
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), "cuMemAllocAsync"), 1);
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), "cuMemFreeAsync"), 1);
}

TEST_F(CublasLtTest, NamesWhatFailed) {
  const Tensor a = numbers<float>({70, 70});
  library.workspace_bytes = 64;
  library.failures = {{"cublasLtMatmul", 13}};
  gpu.calls.clear();
  expect_error(
      Code::device,
      {"matmul: ", KERNELGEN_STUB_CUBLASLT, "cublasLtMatmul ", "status 13", "CUBLAS_STATUS_EXECUTION_FAILED"},
      [&] { matmul(a, a); });
  // Its workspace and the output.
  EXPECT_EQ(std::count(gpu.calls.begin(), gpu.calls.end(), "cuMemFreeAsync"), 2);
  library.failures = {{"cublasLtMatrixLayoutCreate", 3}};
  expect_error(Code::device, {"cublasLtMatrixLayoutCreate", "status 3"},
               [&] { matmul(a.transpose(0, 1), a); });
  library.failures.clear();
  matmul(a.transpose(0, 1), a);
  EXPECT_EQ(library.products.size(), 1u);
}

TEST_F(CublasLtTest, LeavesNothingBehind) {
  const Tensor a = numbers<float>({70, 70});
  matmul(a, a);
  EXPECT_GT(library.objects, 0);
  const_cast<Tensor&>(a) = Tensor();
  device = Device();
  EXPECT_EQ(library.objects, 0);
}

TEST_F(CublasLtTest, NoneIsAsked) {
  ::setenv(variable, "none", 1);
  const Tensor a = numbers<float>({70, 70});
  matmul(a, a);
  EXPECT_EQ(gpu.launches.size(), 1u);
  // Nothing is copied for it.
  matmul(numbers<float>({70, 70, 2}).narrow(2, 0, 1).squeeze(2), a);
  EXPECT_EQ(gpu.launches.size(), 2u);
  EXPECT_TRUE(library.calls.empty());
}

TEST_F(CublasLtTest, TheNamedLibraryHasToBeUsable) {
  const Tensor a = numbers<float>({70, 70});
  ::setenv(variable, "/no/such/cublaslt.so", 1);
  expect_error(Code::unsupported, {"cuBLASLt", variable, "/no/such/cublaslt.so"}, [&] { matmul(a, a); });
  ::setenv(variable, "libc.so.6", 1);
  expect_error(Code::unsupported, {"matmul", "libc.so.6 has no function cublasLt"}, [&] { matmul(a, a); });
  ::setenv(variable, KERNELGEN_STUB_CUBLASLT, 1);
  library.failures = {{"cublasLtCreate", 1}};
  expect_error(Code::device, {"matmul", "cublasLtCreate", "status 1"}, [&] { matmul(a, a); });
  EXPECT_TRUE(gpu.launches.empty());
}

TEST_F(CublasLtTest, HipDevicesKeepOurKernels) {
  StubGpu& hip = test::stub_state<StubGpu>(KERNELGEN_STUB_HIP, "stub_gpu");
  const std::vector<std::byte> code = test::amd_code_object(4);
  const std::vector<std::byte> hip_bytes = test::operation_package({"gfx90a", 1, 64, code}, operations);
  const Device other = Device::open("hip:0", Package::from_memory(hip_bytes));
  const Tensor a = Tensor::zeros(other, {70, 70}, DType::f32);
  matmul(a, a);
  EXPECT_EQ(hip.launches.size(), 1u);
  EXPECT_TRUE(library.calls.empty());
}

}  // namespace
}  // namespace kernelgen
