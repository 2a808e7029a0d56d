// Convolutions on a HIP device through a stub of MIOpen: the calls made, and convolutions left to our kernels.
#include <cstdlib>

#include "convolution_fixture.hpp"
#include "kernelgen/graph.hpp"
#include "stub_gpu/stub_miopen.hpp"
#include "support/expect_error.hpp"
#include "support/kernel_files.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubMiopen;

constexpr const char* variable = "KERNELGEN_MIOPEN_LIBRARY";

class MiopenTest : public test::ConvolutionTest {
 protected:
  MiopenTest() : ConvolutionTest(KERNELGEN_STUB_HIP6, "hip:0") {}

  void SetUp() override {
    ::setenv("KERNELGEN_HIP_LIBRARY", KERNELGEN_STUB_HIP6, 1);
    for (const char* other : {"KERNELGEN_ROCBLAS_LIBRARY", "KERNELGEN_HIPBLASLT_LIBRARY"})
      ::setenv(other, "none", 1);
    ::setenv(variable, KERNELGEN_STUB_MIOPEN, 1);
    ::setenv("ROCBLAS_TENSILE_LIBPATH", kernels.path().c_str(), 1);
    gpu = test::StubGpu();
    gpu.compute_units = 1;
    gpu.architecture = "gfx942:sramecc+:xnack-";
    gpu.is_capturing = true;  // what is best is not measured
    library = StubMiopen();
    library.current_context = &gpu.current;
    device = Device::open("hip:0", package);
  }

  void check(const Tensor& x, const Shape& kernel, const Window2& window) {
    library.convolutions.clear();
    gpu.launches.clear();
    const Tensor weight = numbers<float>(kernel);
    const Tensor y = conv2d(x, weight, window);
    ASSERT_EQ(library.convolutions.size(), 1u);
    EXPECT_FALSE(library.convolutions[0].by_data);
    expect_sums<float>(x, weight, window, y);
    expect_fix_padding(x, weight, window, y);
  }
  void check_transposed(const Tensor& x, const Shape& kernel, const Window2& window) {
    library.convolutions.clear();
    gpu.launches.clear();
    const Tensor weight = numbers<float>(kernel);
    const Tensor y = conv_transpose2d(x, weight, window);
    ASSERT_EQ(library.convolutions.size(), 1u);
    EXPECT_TRUE(library.convolutions[0].by_data);
    expect_sums<float>(x, weight, window, y, true);
    expect_fix_padding_transposed(weight, window, y);
  }

  /// Whether our kernel does a problem that was not seen before.
  bool is_ours(DType dtype = DType::f32) {
    gpu.launches.clear();
    library.convolutions.clear();
    conv2d(Tensor::zeros(device, {2, 16, 32, ++columns_}, dtype),
           Tensor::zeros(device, {16, 16, 3, 3}, dtype));
    return library.convolutions.empty() && gpu.launches.size() == 1;
  }

  const test::KernelFiles kernels{"TensileLibrary_lazy_gfx942.dat", "other/TensileLibrary_lazy_gfx90a.dat"};
  StubMiopen& library = test::stub_state<StubMiopen>(KERNELGEN_STUB_MIOPEN, "stub_miopen");

 private:
  std::int64_t columns_ = 32;
};

TEST_F(MiopenTest, ConvolvesAndLeavesToUsWhatPaddingSpoils) {
  check(numbers<float>({2, 16, 30, 30}), {16, 16, 3, 3}, {});
  check(numbers<float>({2, 16, 30, 34}), {16, 16, 3, 3}, {.padding = {1, 1}});
  check(numbers<float>({1, 24, 70, 61}), {24, 12, 3, 2},
        {.stride = {2, 1}, .padding = {2, 1}, .dilation = {2, 3}, .groups = 2});
  check(numbers<float>({8, 32, 20, 20}), {32, 1, 5, 5}, {.groups = 32});
}

TEST_F(MiopenTest, TransposedConvolutionsAreDerivativesByData) {
  check_transposed(numbers<float>({2, 16, 20, 18}), {16, 12, 3, 3}, {.padding = {1, 0}});
  check_transposed(numbers<float>({5, 16, 8, 9}), {16, 3, 3, 2},
                   {.padding = {0, 1}, .dilation = {2, 3}, .groups = 4});
  check_transposed(numbers<float>({4, 18, 9, 10}), {18, 10, 3, 4},
                   {.stride = {2, 2}, .padding = {1, 2}, .output_padding = {1, 0}});
}

TEST_F(MiopenTest, IsAskedForAllDigitsInOneOrder) {
  struct Case {
    DType dtype;
    int type;
  };
  for (const Case& c : {Case{DType::f16, 0}, Case{DType::f32, 1}, Case{DType::bf16, 5}}) {
    EXPECT_FALSE(is_ours(c.dtype)) << name_of(c.dtype);
    const StubMiopen::Convolution& convolution = library.convolutions.at(0);
    for (const auto& tensor : {convolution.x, convolution.y, convolution.filter})
      EXPECT_EQ(tensor.type, c.type) << name_of(c.dtype);
    // No f16 as bf16, and one order of sums.
    EXPECT_EQ(library.attributes, (std::map<int, int>{{0, 0}, {1, 1}})) << name_of(c.dtype);
  }
  EXPECT_TRUE(is_ours(DType::f64));
  EXPECT_TRUE(is_ours(DType::f8e4m3));
  // MIOpen of ROCm 5.2 cannot be asked.
  library.knows_deterministic = false;
  EXPECT_TRUE(is_ours());
}

TEST_F(MiopenTest, OnlyWaysThatAddProductsAreUsed) {
  for (const int algorithm : {0, 1, 5}) {  // products, direct sums, implicit products
    library.choices = {{1, algorithm}};
    EXPECT_FALSE(is_ours()) << algorithm;
  }
  for (const int algorithm : {2, 3, 4, 6}) {  // FFT, Winograd, and what is not known
    library.choices = {{1, algorithm}};
    EXPECT_TRUE(is_ours()) << algorithm;
  }
  // Too much memory, a kernel that cannot be compiled; then one that can.
  library.choices = {{1, 1, std::size_t{1} << 30}, {2, 1, 0, 7}, {3, 3}, {4, 5}};
  EXPECT_FALSE(is_ours());
  EXPECT_EQ(library.convolutions.at(0).engine, 4);
  library.choices = {{1, 1, 0, 0, 5}};
  EXPECT_TRUE(is_ours());
  library.choices = {};
  EXPECT_TRUE(is_ours());
}

TEST_F(MiopenTest, ProductsByARocblasThatDoesNotKnowTheGpuAreNotUsed) {
  ::setenv("ROCBLAS_TENSILE_LIBPATH", (kernels.path() / "other").c_str(), 1);
  library.choices = {{1, 0}, {2, 1}};
  EXPECT_FALSE(is_ours());
  EXPECT_EQ(library.convolutions.at(0).engine, 2);
  library.choices = {{1, 0}};
  EXPECT_TRUE(is_ours());
}

TEST_F(MiopenTest, WhatItRefusesIsOurs) {
  for (const char* function :
       {"miopenConvolutionForwardGetSolutionCount", "miopenConvolutionForwardGetSolution",
        "miopenConvolutionForwardCompileSolution", "miopenInitConvolutionNdDescriptor"})
    for (const int status : {3, 5, 6, 7, 8}) {
      library.failures = {{function, status}};
      EXPECT_TRUE(is_ours()) << function << " " << status;
    }
  library.failures = {{"miopenConvolutionForwardGetSolution", 4}};
  expect_error(Code::device,
               {"conv2d: ", KERNELGEN_STUB_MIOPEN, "miopenConvolutionForwardGetSolution ", "status 4",
                "miopenStatusAllocFailed"},
               [&] { is_ours(); });
  library.failures = {{"miopenSetTensorDescriptor", 3}};
  expect_error(Code::device, {"miopenSetTensorDescriptor", "status 3"}, [&] { is_ours(); });
}

TEST_F(MiopenTest, WorksInTheCallersStreamAndDevice) {
  library.choices = {{7, 5, 4096}};
  const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
  const Stream stream = device.new_stream();
  const Tensor out = Tensor::empty(device, {2, 16, 30, 30}, DType::f32);
  gpu.current = 1;
  gpu.calls.clear();
  for (int i = 0; i < 2; ++i) conv2d(x, weight, {}, {.stream = stream, .out = &out});
  ASSERT_EQ(library.convolutions.size(), 2u);
  for (const StubMiopen::Convolution& convolution : library.convolutions) {
    EXPECT_EQ(convolution.engine, 7);
    EXPECT_NE(convolution.workspace, nullptr);
    EXPECT_EQ(convolution.workspace_bytes, 4096u);
    EXPECT_EQ(convolution.stream, stream.native());
    EXPECT_EQ(convolution.context, 0u);
  }
  EXPECT_EQ(gpu.current, 1u);
  EXPECT_EQ(library.compiled, (std::vector<std::uint64_t>{7}));  // once
}

TEST_F(MiopenTest, TakesWhatIsFastest) {
  gpu.is_capturing = false;
  library.choices = {{1, 1}, {2, 3}, {3, 5}};
  // Three runs of each way that may be used, then three of our kernels and of our matrix product.
  gpu.milliseconds = {9, 3, 3, 8, 2, 2, 9, 5, 5, 9, 6, 6};
  const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
  const Tensor y = conv2d(x, weight);
  EXPECT_TRUE(gpu.milliseconds.empty());
  EXPECT_EQ(library.convolutions.back().engine, 3);
  expect_sums<float>(x, weight, {}, y);
}

TEST_F(MiopenTest, ItsWorkIsPartOfAGraph) {
  gpu.is_capturing = false;
  library.choices = {{1, 1, 4096}, {2, 5}};
  const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
  const Graph graph = device.capture([&] { conv2d(x, weight, {.padding = {1, 1}}); });
  // The first usable algorithm, unmeasured, followed by fix_padding.
  ASSERT_EQ(library.convolutions.size(), 1u);
  EXPECT_EQ(library.convolutions[0].engine, 1);
  EXPECT_NE(library.convolutions[0].workspace, nullptr);
  EXPECT_EQ(graph.nodes(), 1u);
  EXPECT_TRUE(gpu.violations.empty());
}

TEST_F(MiopenTest, ImagesWithGapsAreCopied) {
  const Tensor wide = numbers<float>({2, 20, 34, 48});
  const Tensor x = wide.narrow(1, 4, 16).narrow(2, 2, 30).narrow(3, 8, 30);
  const Tensor y = conv2d(x, numbers<float>({16, 16, 3, 3}));
  ASSERT_EQ(library.convolutions.size(), 1u);
  EXPECT_EQ(library.convolutions[0].x.strides, (std::array<std::int64_t, 4>{16 * 900, 900, 30, 1}));
  EXPECT_EQ(gpu.launches.size(), 1u);
  EXPECT_EQ(gpu.launches.at(0).function, "copy_strided");
}

TEST_F(MiopenTest, SubnormalsAreKeptWhereTheUnitsLoseThem) {
  const std::vector<std::byte> old_bytes = test::gpu_package("hip:0", code, test::conv_operations, "gfx90a");
  device = Device();
  gpu.architecture = "gfx90a:sramecc+:xnack-";
  device = Device::open("hip:0", Package::from_memory(old_bytes));
  EXPECT_TRUE(is_ours(DType::f16));
  EXPECT_TRUE(is_ours(DType::bf16));
  EXPECT_FALSE(is_ours(DType::f32));
}

TEST_F(MiopenTest, LeavesNothingBehind) {
  {
    const Tensor x = numbers<float>({2, 16, 32, 32}), weight = numbers<float>({16, 16, 3, 3});
    conv2d(x, weight);
    EXPECT_GT(library.objects, 0);
  }
  device = Device();
  EXPECT_EQ(library.objects, 0);
}

TEST_F(MiopenTest, TheEnvironmentNamesTheLibrary) {
  ::setenv(variable, "/no/such/miopen.so", 1);
  expect_error(Code::unsupported, {"MIOpen", variable, "/no/such/miopen.so"}, [&] { is_ours(); });
  ::setenv(variable, KERNELGEN_STUB_MIOPEN, 1);
  library.failures = {{"miopenCreate", 1}};
  expect_error(Code::device, {"miopenCreate", "status 1"}, [&] { is_ours(); });
  ::setenv(variable, "none", 1);
  EXPECT_TRUE(is_ours());
}

}  // namespace
}  // namespace kernelgen
