#pragma once
#include <algorithm>
#include <cstdlib>

#include "convolution_fixture.hpp"
#include "stub_gpu/stub_blas_lt.hpp"
#include "stub_gpu/stub_cudnn.hpp"

namespace kernelgen::test {

inline constexpr const char* cudnn_variable = "KERNELGEN_CUDNN_LIBRARY";

/// Convolutions on a CUDA device through stubs of cuDNN and cuBLASLt.
class CudnnTest : public ConvolutionTest {
 protected:
  CudnnTest() : ConvolutionTest(KERNELGEN_STUB_CUDA, "cuda:0") {}

  void SetUp() override {
    ::setenv("KERNELGEN_CUDA_LIBRARY", KERNELGEN_STUB_CUDA, 1);
    ::setenv("KERNELGEN_CUBLASLT_LIBRARY", KERNELGEN_STUB_CUBLASLT, 1);
    ::setenv(cudnn_variable, KERNELGEN_STUB_CUDNN, 1);
    gpu = StubGpu();
    gpu.compute_units = 1;
    gpu.is_capturing = true;  // what is best is not measured
    products = StubBlasLt();
    library = StubCudnn();
    library.current_context = &gpu.current;
    device = Device::open("cuda:0", package);
  }

  template <class T>
  void check_transposed(const Tensor& x, const Shape& kernel, const Window2& window) {
    library.convolutions.clear();
    gpu.launches.clear();
    const Tensor weight = numbers<T>(kernel);
    const Tensor y = conv_transpose2d(x, weight, window);
    ASSERT_EQ(library.convolutions.size(), 1u);
    EXPECT_TRUE(library.convolutions[0].by_data);
    expect_sums<T>(x, weight, window, y, true);
    expect_fix_padding_transposed(weight, window, y);
  }

  template <class T>
  void check(const Tensor& x, const Shape& kernel, const Window2& window) {
    library.convolutions.clear();
    gpu.launches.clear();
    const Tensor weight = numbers<T>(kernel);
    const Tensor y = conv2d(x, weight, window);
    ASSERT_EQ(library.convolutions.size(), 1u);
    expect_sums<T>(x, weight, window, y);
    expect_fix_padding(x, weight, window, y);
  }

  StubBlasLt& products = stub_state<StubBlasLt>(KERNELGEN_STUB_CUBLASLT, "stub_blas_lt");
  StubCudnn& library = stub_state<StubCudnn>(KERNELGEN_STUB_CUDNN, "stub_cudnn");
};

}  // namespace kernelgen::test
