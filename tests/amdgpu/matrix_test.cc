#include <gtest/gtest.h>

#include "device.hpp"

namespace kernelgen::amdgpu {
namespace {

/// Small whole numbers, whose products and sums are exact in every type: the order of sums does not show.
template <class T>
std::vector<T> numbers(unsigned count, unsigned seed) {
  std::vector<T> list;
  for (unsigned i = 0; i < count; ++i)
    list.push_back(static_cast<T>(static_cast<int>((i * 7 + seed) * 2654435761u >> 28) - 8));
  return list;
}

template <class From, class To>
void check(Device& device, const std::string& kernel, unsigned size, unsigned terms, unsigned wave) {
  SCOPED_TRACE(kernel);
  const std::vector<From> a = numbers<From>(size * terms, 1), b = numbers<From>(size * terms, 5);
  To* const d = device.allocate<To>(size * size);
  const Counters counters =
      device.launch(kernel, {1, 1, 1}, {wave, 1, 1}, d, device.upload(a), device.upload(b));
  EXPECT_EQ(counters.of(Pipe::matrix), 1u);
  unsigned wrong = 0;
  for (unsigned row = 0; row < size; ++row)
    for (unsigned column = 0; column < size; ++column) {
      double sum = 0;
      for (unsigned k = 0; k < terms; ++k)
        sum += static_cast<double>(a[row * terms + k]) * static_cast<double>(b[k * size + column]);
      wrong += static_cast<double>(d[row * size + column]) != sum ? 1 : 0;
    }
  EXPECT_EQ(wrong, 0u);
}

/// A has two elements of each four of a row, those of its indices.
void check_sparse(const char* target, unsigned wave) {
  SCOPED_TRACE(target);
  Device device(target, {}, "matrix");
  const std::vector<_Float16> a = numbers<_Float16>(16 * 16, 3), b = numbers<_Float16>(32 * 16, 7);
  std::vector<int> index;  // 4 elements each
  for (unsigned i = 0; i < 64; ++i) index.push_back(static_cast<int>(i % 2 == 0 ? 0b1101'0100 : 0b1110'1100));
  float* const d = device.allocate<float>(16 * 16);
  device.launch("sparse_16x16x32_f16", {1, 1, 1}, {wave, 1, 1}, d, device.upload(a), device.upload(b),
                device.upload(index));
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned column = 0; column < 16; ++column) {
      float sum = 0;
      for (unsigned e = 0; e < 16; ++e) {
        const unsigned kept = static_cast<unsigned>(index[row * 4 + e / 4]) >> (2 * (e % 4)) & 3;
        sum += static_cast<float>(a[row * 16 + e]) * static_cast<float>(b[(e / 2 * 4 + kept) * 16 + column]);
      }
      ASSERT_EQ(d[row * 16 + column], sum) << row << ", " << column;
    }
}

TEST(MatrixProducts, OfSparseMatrices) {
  check_sparse("gfx942", 64);
  check_sparse("gfx1201", 32);
}

TEST(MatrixProducts, OfGfx90a) {
  Device device("gfx90a", {}, "matrix");
  check<_Float16, float>(device, "product_16x16x16_f16", 16, 16, 64);
  check<_Float16, float>(device, "product_32x32x8_f16", 32, 8, 64);
  check<double, double>(device, "product_16x16x4_f64", 16, 4, 64);
  check<float, float>(device, "product_32x32x2_f32", 32, 2, 64);
}

TEST(MatrixProducts, OfGfx942) {
  Device device("gfx942", {}, "matrix");
  check<_Float16, float>(device, "product_16x16x16_f16", 16, 16, 64);
  check<_Float16, float>(device, "product_32x32x8_f16", 32, 8, 64);
  check<double, double>(device, "product_16x16x4_f64", 16, 4, 64);
  check<float, float>(device, "product_32x32x2_f32", 32, 2, 64);
  check<signed char, int>(device, "product_16x16x32_i8", 16, 32, 64);
}

TEST(MatrixProducts, OfGfx11AndGfx12) {
  for (const char* target : {"gfx1100", "gfx1201"}) {
    SCOPED_TRACE(target);
    Device device(target, {}, "matrix");
    check<_Float16, float>(device, "product_16x16x16_f16", 16, 16, 32);
    check<signed char, int>(device, "product_16x16x16_i8", 16, 16, 32);
  }
}

}  // namespace
}  // namespace kernelgen::amdgpu
