// Operations on a package whose kernels have other arguments than the runtime passes: nothing is launched.
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "kernelgen/ops.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/expect_error.hpp"
#include "support/operation_package.hpp"
#include "support/stub_state.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::StubGpu;

/// More bytes than any block of arguments has: a kernel would read far past it.
constexpr std::uint32_t far = 4096;
constexpr std::string_view one_input[] = {"x"}, two_inputs[] = {"x", "y"}, three_inputs[] = {"x", "y", "z"};
constexpr test::SampleForm maps[] = {{"contiguous", far}, {"strided", far}, {"tiled", far}, {"scatter", far}},
                           rows[] = {{"rows", far}, {"columns", far}, {"combine", far}},
                           products[] = {{"tiled", far}, {"vector", far}},
                           convolutions[] = {{"direct", far},
                                             {"implicit_gemm_small", far},
                                             {"implicit_gemm", far}},
                           images[] = {{"images", far}}, sorts[] = {{"rows", far}, {"keys", far}},
                           scans[] = {{"rows", far}, {"columns", far}, {"row_parts", far}},
                           places[] = {{"elements", far}, {"spans", far}, {"lines", far}},
                           pairs[] = {{"strided", far}, {"spans", far}},
                           attentions[] = {{"simt", far}, {"small", far}, {"combine", far}},
                           narrow_sums[] = {{"block", far}, {"positions", far}};
constexpr test::SampleOperation doctored[] = {{"exp", one_input, maps},
                                              {"add", two_inputs, maps},
                                              {"copy", one_input, maps},
                                              {"fill", {}, maps},
                                              {"rand_uniform", {}, maps},
                                              {"sum", one_input, rows},
                                              {"max_with_index", one_input, rows},
                                              {"cumsum", one_input, scans},
                                              {"softmax", one_input, rows},
                                              {"log_softmax", one_input, rows},
                                              {"add_rms_norm", three_inputs, rows},
                                              {"add_layer_norm", three_inputs, rows},
                                              {"cross_entropy", one_input, rows},
                                              {"matmul", two_inputs, products},
                                              {"conv2d", two_inputs, convolutions},
                                              {"max_pool2d", one_input, images},
                                              {"upsample_nearest2d", one_input, images},
                                              {"arg_sort", one_input, sorts},
                                              {"rope", three_inputs, pairs},
                                              {"attention", three_inputs, attentions},
                                              {"gather", one_input, places},
                                              {"scatter_set", two_inputs, places},
                                              {"scatter_claim", {}, places, 0},
                                              {"scatter_add_16bit", two_inputs, narrow_sums},
                                              {"scatter_add_set", two_inputs, places}};

class LaunchTest : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
    for (const char* library : {"KERNELGEN_CUDNN_LIBRARY", "KERNELGEN_CUBLASLT_LIBRARY"})
      ::setenv(library, "none", 1);
    gpu = StubGpu();
  }

  Device open(std::span<const test::SampleOperation> operations) {
    bytes_ = test::operation_package({"sm_90", 2, 32, test::bytes_of("cubin")}, operations);
    return Device::open("cuda:0", Package::from_memory(bytes_));
  }

  StubGpu& gpu = test::stub_state<StubGpu>(KERNELGEN_STUB_CUDA, "stub_gpu");

 private:
  std::vector<std::byte> bytes_;
};

TEST_F(LaunchTest, EveryOperationRefusesAKernelOfOtherArguments) {
  const Device device = open(doctored);
  const Tensor x = Tensor::empty(device, {64, 64}, DType::f32),
               ids = Tensor::empty(device, {64, 64}, DType::u32), transposed = x.transpose(0, 1),
               many = Tensor::empty(device, {1024, 1024}, DType::f32),  // worth tiles
      every_second = Tensor::empty(device, {8, 4, 2}, DType::f32).narrow(2, 0, 1),
               weight = Tensor::empty(device, {64}, DType::f32),
               image = Tensor::empty(device, {1, 4, 8, 8}, DType::f32),
               kernels = Tensor::empty(device, {4, 4, 3, 3}, DType::f32),
               cache = Tensor::empty(device, {8, 32, 512, 64}, DType::f32),
               queries = Tensor::empty(device, {8, 32, 15, 64}, DType::f32),
               halves = Tensor::empty(device, {64, 64}, DType::f16),
               other_halves = Tensor::empty(device, {64, 64}, DType::f16),
               long_halves = Tensor::empty(device, {1 << 20}, DType::f16),
               angles = Tensor::empty(device, {8, 4}, DType::f32),
               long_row = Tensor::empty(device, {1 << 20}, DType::f32),
               other = Tensor::empty(device, {64, 64}, DType::f32);
  const std::int64_t across[] = {1}, down[] = {0};
  const struct {
    std::string_view kernel;
    std::function<void()> call;
  } cases[] = {
      {"exp_contiguous", [&] { exp(x); }},
      {"exp_strided", [&] { exp(every_second); }},
      {"add_tiled", [&] { add(many, many.transpose(0, 1)); }},
      {"copy_tiled", [&] { copy(many.transpose(0, 1)); }},
      {"copy_scatter", [&] { copy_into(transposed, x); }},
      {"fill_contiguous", [&] { const_set(x, 1); }},
      {"fill_strided", [&] { const_set(every_second, 1); }},
      {"rand_uniform_contiguous", [&] { rand_uniform(device, {64}, DType::f32, 0, 1); }},
      {"sum_rows", [&] { sum(x, across); }},
      {"sum_columns", [&] { sum(x, down); }},
      {"max_with_index_rows", [&] { max_with_index(x, 1); }},
      {"cumsum_rows", [&] { cumsum(x, 1); }},
      {"cumsum_columns", [&] { cumsum(x, 0); }},
      {"cumsum_row_parts", [&] { cumsum(long_row, 0); }},
      {"softmax_rows", [&] { softmax(x); }},
      {"log_softmax_rows", [&] { log_softmax(x); }},
      {"add_rms_norm_rows", [&] { add_rms_norm(x, other, weight, 1e-5); }},
      {"add_layer_norm_rows", [&] { add_layer_norm(x, other, weight, weight, 1e-5); }},
      {"cross_entropy_rows", [&] { cross_entropy(x, ids.narrow(0, 0, 1).reshape({64})); }},
      {"matmul_tiled", [&] { matmul(x, x); }},
      {"matmul_vector", [&] { matmul(x, weight.reshape({64, 1})); }},
      {"conv2d_direct", [&] { conv2d(image, kernels, {}); }},
      {"max_pool2d_images", [&] { max_pool2d(image, {2, 2}, {2, 2}); }},
      {"upsample_nearest2d_images", [&] { upsample_nearest2d(image, {16, 16}); }},
      {"arg_sort_rows", [&] { arg_sort(x, true); }},
      {"rope_spans", [&] { rope(image, angles, angles); }},
      {"attention_small", [&] { attention(image, image, image); }},
      {"attention_simt", [&] { attention(queries, cache, cache); }},
      {"rope_spans", [&] { rope_qk(image, image, angles, angles); }},
      {"rope_strided", [&] { rope_i_qk(image, image, angles, angles); }},
      {"gather_elements", [&] { gather(x, 1, ids); }},
      {"gather_spans", [&] { index_select(x, 0, ids.narrow(0, 0, 1).reshape({64})); }},
      {"scatter_claim_elements", [&] { scatter_set(x, 1, ids, other); }},
      {"scatter_set_lines", [&] { scatter_set(x, 1, ids.narrow(1, 0, 1), other); }},
      {"scatter_add_set_elements", [&] { scatter_add_set(x, 1, ids, other, false); }},
      {"scatter_add_16bit_block", [&] { scatter_add_set(halves, 1, ids, other_halves, false); }},
      {"scatter_add_16bit_positions",
       [&] { scatter_add_set(long_halves, 0, ids.reshape({4096}), other_halves.reshape({4096}), false); }},
      {"scatter_add_set_lines", [&] { scatter_add_set(x, 1, ids, other, true); }},
  };
  for (const auto& [kernel, call] : cases) {
    SCOPED_TRACE(kernel);
    expect_error(Code::bad_package, {kernel, "cuda:0", "bytes of arguments", "4096", "other manifests"},
                 call);
  }
  EXPECT_TRUE(gpu.launches.empty());
}

/// What other kernels need is cleared first.
TEST_F(LaunchTest, ALongSortRefusesAKernelOfOtherArguments) {
  static constexpr test::SampleForm fills[] = {{"contiguous", 20}};
  static constexpr test::SampleOperation operations[] = {{"fill", {}, fills}, {"arg_sort", one_input, sorts}};
  const Device device = open(operations);
  expect_error(Code::bad_package, {"arg_sort_keys", "bytes of arguments", "4096"},
               [&] { arg_sort(Tensor::empty(device, {1 << 20}, DType::f32), true); });
  EXPECT_EQ(gpu.launches.size(), 1u);
}

TEST_F(LaunchTest, TellsBothNumbersOfBytes) {
  static constexpr test::SampleForm forms[] = {{"contiguous", 25}, {"strided", 24}};
  static constexpr test::SampleOperation operations[] = {{"neg", one_input, forms}};
  const Device device = open(operations);
  expect_error(Code::bad_package, {"neg_contiguous", "gives 24 bytes", "takes 25"},
               [&] { neg(Tensor::empty(device, {3}, DType::f32)); });
  EXPECT_TRUE(gpu.launches.empty());
}

TEST_F(LaunchTest, LaunchesWhereBytesAgree) {
  static constexpr test::SampleForm forms[] = {{"contiguous", 24}, {"strided", 16}};
  static constexpr test::SampleOperation operations[] = {{"neg", one_input, forms}};
  const Device device = open(operations);
  neg(Tensor::empty(device, {3}, DType::f32));
  ASSERT_EQ(gpu.launches.size(), 1u);
  EXPECT_EQ(gpu.launches[0].function, "neg_contiguous");
  EXPECT_EQ(gpu.launches[0].arguments.size(), 24u);
}

}  // namespace
}  // namespace kernelgen
