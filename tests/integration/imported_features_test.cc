// What real files of HIP and CUDA use, imported and built: the same results on a CPU, whose threads of a block are
// coroutines, and on simulated GPUs with waves of 64 and 32 lanes.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "kernelgen/device.hpp"
#include "kernelgen/kernel.hpp"
#include "kernelgen/tensor.hpp"

namespace kernelgen {
namespace {

using Pointer = void*;
using In = const void*;

class ImportedFeatures : public testing::TestWithParam<std::string> {
 protected:
  /// Lanes of a wave, as warpSize says.
  std::size_t lanes() const { return GetParam() == "simulated:gfx90a" ? 64 : 32; }

  template <class T>
  Tensor upload(const std::vector<T>& values, DType dtype) const {
    const auto count =
        static_cast<std::int64_t>(values.size() * sizeof(T) / element_size(static_cast<std::size_t>(dtype)));
    return Tensor::from_host(device_, std::as_bytes(std::span(values)), {count}, dtype);
  }
  template <class T>
  static std::vector<T> download(const Tensor& tensor) {
    const std::vector<std::byte> bytes = tensor.to_host();
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  template <class... A>
  void launch(std::string_view kernel, const LaunchShape& shape, const A&... arguments) const {
    const auto id = device_.package().find_kernel(kernel);
    ASSERT_TRUE(id.has_value()) << kernel;
    std::array<std::byte, Kernel<A...>::block_bytes> block{};
    const KernelArgument* argument = Kernel<A...>::layout.data();
    ((std::memcpy(block.data() + argument->offset, &arguments, sizeof arguments), ++argument), ...);
    ASSERT_EQ(device_.package().kernels()[*id].kernarg_bytes, block.size()) << kernel;
    device_.launch(device_.kernel(*id), shape, block);
    device_.synchronize();
  }
  static std::vector<float> ramp(std::size_t count) {
    std::vector<float> x(count);
    for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i * 7 % 31) - 11;
    return x;
  }

  Device device_ = Device::open(GetParam(), Package::open(KERNELGEN_IMPORTED_PACKAGE));
};

TEST_P(ImportedFeatures, Shuffles) {
  const std::vector<float> x = ramp(512);
  const Tensor from = upload(x, DType::f32), to = upload(std::vector<float>(512 / lanes()), DType::f32);
  launch<Pointer, In>("wave_sums", {{2, 1, 1}, {256, 1, 1}}, to.data(), from.data());
  const std::vector<float> y = download<float>(to);
  for (std::size_t wave = 0; wave < y.size(); ++wave) {
    float sum = 0;
    for (std::size_t i = 0; i < lanes(); ++i) sum += x[wave * lanes() + i];
    EXPECT_EQ(y[wave], sum) << wave;
  }
}

TEST_P(ImportedFeatures, Ballots) {
  const std::vector<float> x = ramp(256);
  const Tensor from = upload(x, DType::f32), to = upload(std::vector<int>(256), DType::i32);
  launch<Pointer, In>("ranks", {{2, 1, 1}, {128, 1, 1}}, to.data(), from.data());
  const std::vector<int> y = download<int>(to);
  for (std::size_t i = 0; i < y.size(); ++i) {
    int rank = 0;
    for (std::size_t j = i / lanes() * lanes(); j < i; ++j) rank += x[j] > 0;
    EXPECT_EQ(y[i], rank) << i;
  }
}

TEST_P(ImportedFeatures, DynamicSharedMemoryAndBarriers) {
  const std::vector<float> x = ramp(300);
  const Tensor both = upload(x, DType::f32);
  launch<Pointer>("reverse", {{3, 1, 1}, {100, 1, 1}, 400}, both.data());
  const std::vector<float> y = download<float>(both);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], x[i / 100 * 100 + 99 - i % 100]) << i;
}

TEST_P(ImportedFeatures, Atomics) {
  std::vector<int> x(384), expected(12);
  for (int i = 0; i < 384; ++i) {
    x[i] = i * i % 101;
    ++expected[x[i] % 10];
    expected[10] = std::max(expected[10], x[i]);
  }
  expected[11] = 384;
  const Tensor from = upload(x, DType::i32), counts = upload(std::vector<int>(12), DType::i32);
  launch<Pointer, In, unsigned>("histogram", {{3, 1, 1}, {128, 1, 1}}, counts.data(), from.data(), 10);
  EXPECT_EQ(download<int>(counts), expected);
}

TEST_P(ImportedFeatures, StructsByValueAndVectors) {
  struct alignas(16) Line {
    float slope[4];
    float offset;
  };
  const std::vector<float> x = ramp(256);
  const Tensor from = upload(x, DType::f32), to = upload(std::vector<float>(256, -1), DType::f32);
  launch<Pointer, In, Line, int>("lines", {{1, 1, 1}, {64, 1, 1}}, to.data(), from.data(),
                                 Line{{1, 2, 3, 4}, 0.5f}, 63);
  const std::vector<float> y = download<float>(to);
  for (std::size_t i = 0; i < 252; ++i) EXPECT_EQ(y[i], x[i] * static_cast<float>(i % 4 + 1) + 0.5f) << i;
  EXPECT_EQ(y[252], -1) << "after n";
}

TEST_P(ImportedFeatures, HalfAndBfloat16) {
  // 1.5 and -2 as f16.
  const std::vector<std::uint16_t> x = {0x3e00, 0xc000};
  const Tensor from = upload(x, DType::f16), to = upload(std::vector<std::uint16_t>(2), DType::f16),
               narrow = upload(std::vector<std::uint16_t>(1), DType::bf16);
  launch<Pointer, In, Pointer>("narrow", {}, to.data(), from.data(), narrow.data());
  EXPECT_EQ(download<std::uint16_t>(to), (std::vector<std::uint16_t>{0x4400, 0xc500}));  // 4 and -5
  EXPECT_EQ(download<std::uint16_t>(narrow), std::vector<std::uint16_t>{0x3f40});        // 0.75
}

TEST_P(ImportedFeatures, CooperativeGroups) {
  const std::vector<float> x = ramp(64);
  const Tensor from = upload(x, DType::f32), to = upload(std::vector<float>(64), DType::f32);
  launch<Pointer, In>("tiles", {{1, 1, 1}, {64, 1, 1}}, to.data(), from.data());
  const std::vector<float> y = download<float>(to);
  for (std::size_t i = 0; i < y.size(); ++i) {
    float sum = 0;
    for (std::size_t j = 0; j < 16; ++j) sum += x[i / 16 * 16 + j];
    EXPECT_EQ(y[i], sum + x[i ^ 1]) << i;
  }
}

TEST_P(ImportedFeatures, BlocksOfTwoDimensions) {
  const Tensor to = upload(std::vector<int>(24 * 6), DType::i32);
  launch<Pointer>("plane", {{3, 2, 1}, {8, 3, 1}}, to.data());
  const std::vector<int> y = download<int>(to);
  for (int i = 0; i < 24 * 6; ++i) EXPECT_EQ(y[i], i / 24 * 100 + i % 24) << i;
}

TEST_P(ImportedFeatures, InstancesOfTemplates) {
  const std::vector<int> x = {1, 2, 3, 4};
  const std::vector<float> z = {1, 2, 3, 4};
  const Tensor of_int = upload(x, DType::i32), of_float = upload(z, DType::f32),
               of_double = upload(std::vector<double>{1.5}, DType::f64);
  launch<Pointer, In>("by_int_3", {{1, 1, 1}, {4, 1, 1}}, of_int.data(), of_int.data());
  launch<Pointer, In>("by_float_2", {{1, 1, 1}, {4, 1, 1}}, of_float.data(), of_float.data());
  launch<Pointer, In>("by_double_5", {}, of_double.data(), of_double.data());
  EXPECT_EQ(download<int>(of_int), (std::vector<int>{3, 6, 9, 12}));
  EXPECT_EQ(download<float>(of_float), (std::vector<float>{2, 4, 6, 8}));
  EXPECT_EQ(download<double>(of_double), std::vector<double>{7.5});
}

TEST_P(ImportedFeatures, WarpsOfCuda) {
  const std::vector<float> x = ramp(4 * 40);
  const Tensor from = upload(x, DType::f32), to = upload(std::vector<float>(160), DType::f32);
  launch<Pointer, In, int>("softmax_rows", {{2, 1, 1}, {64, 1, 1}}, to.data(), from.data(), 40);
  const std::vector<float> y = download<float>(to);
  for (std::size_t row = 0; row < 4; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 40; ++i) sum += std::exp(static_cast<double>(x[row * 40 + i]));
    for (std::size_t i = row * 40; i < row * 40 + 40; ++i)
      EXPECT_NEAR(y[i], std::exp(static_cast<double>(x[i])) / sum, 2e-6) << i;
  }
}

TEST_P(ImportedFeatures, VotesWithMasks) {
  std::vector<unsigned> x(128), expected;
  for (unsigned i = 0; i < 128; ++i) x[i] = i < 96 ? i * i % 7 : 2 * i + 1;
  for (unsigned warp = 0; warp < 4; ++warp) {
    unsigned odd = 0, sum = 0;
    for (unsigned i = 0; i < 32; ++i) {
      odd |= (x[warp * 32 + i] & 1) << i;
      sum += x[warp * 32 + i];
    }
    expected.insert(expected.end(), {odd, sum, (odd != 0) + 2u * (odd == ~0u), x[warp * 32]});
  }
  const Tensor from = upload(x, DType::u32), to = upload(std::vector<unsigned>(16), DType::u32);
  launch<Pointer, In>("votes", {{1, 1, 1}, {128, 1, 1}}, to.data(), from.data());
  EXPECT_EQ(download<unsigned>(to), expected);
}

INSTANTIATE_TEST_SUITE_P(Devices, ImportedFeatures,
                         testing::Values("cpu", "simulated:gfx90a", "simulated:gfx1100"),
                         [](const auto& info) { return info.param.substr(info.param.find(':') + 1); });

}  // namespace
}  // namespace kernelgen
