#pragma once
#include <gtest/gtest.h>

#include <vector>

#include "kernelgen/ops/matmul.hpp"
#include "plan/abi.hpp"
#include "stub_gpu/stub_gpu.hpp"
#include "support/gpu_package.hpp"
#include "support/stub_state.hpp"
#include "support/synthetic_elf.hpp"

namespace kernelgen::test {

inline constexpr std::string_view matrix_inputs[] = {"a", "b"}, matrix_copy_inputs[] = {"x"};
inline constexpr SampleForm matrix_forms[] = {{"tiled", 80 + sizeof(kg::Strided<2>)},
                                              {"vector", 64 + sizeof(kg::Strided<2>)}},
                            matrix_copy_forms[] = {{"contiguous", 24},
                                                   {"strided", 16 + sizeof(kg::Strided<1>)},
                                                   {"tiled", 16 + sizeof(kg::Tiles<1>)}},
                            matrix_mul_forms[] = {{"contiguous", 32},
                                                  {"strided", 24 + sizeof(kg::Strided<2>)}};
inline constexpr SampleOperation matrix_operations[] = {{"matmul", matrix_inputs, matrix_forms},
                                                        {"copy", matrix_copy_inputs, matrix_copy_forms},
                                                        {"mul", matrix_inputs, matrix_mul_forms}};

/// Products on the device of a stub driver, which a test opens.
class MatrixTest : public testing::Test {
 protected:
  MatrixTest(const char* driver, const char* name)
      : gpu(stub_state<StubGpu>(driver, "stub_gpu")), bytes(gpu_package(name, code, matrix_operations)) {}

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

  StubGpu& gpu;
  const std::vector<std::byte> code = amd_code_object(4), bytes;
  const Package package = Package::from_memory(bytes);
  Device device;
};

}  // namespace kernelgen::test
