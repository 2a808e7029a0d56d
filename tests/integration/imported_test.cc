// Kernels of a HIP file that were imported and built: launched by name on the CPU, with the blocks a GPU would get.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <string>
#include <vector>

#include "kernelgen/device.hpp"
#include "kernelgen/tensor.hpp"
#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

constexpr std::int64_t count = 1000;

class Imported : public testing::Test {
 protected:
  template <class T>
  Tensor upload(const std::vector<T>& values, DType dtype) const {
    return Tensor::from_host(device_, std::as_bytes(std::span(values)), {count}, dtype);
  }
  /// `bytes`: of the arguments, without the padding after the last.
  template <class Arguments>
  void launch(std::string_view kernel, std::uint32_t grid, std::uint32_t block, const Arguments& arguments,
              std::size_t bytes) const {
    const auto id = device_.package().find_kernel(kernel);
    ASSERT_TRUE(id.has_value());
    EXPECT_EQ(device_.package().kernels()[*id].block, block);
    ASSERT_EQ(device_.package().kernels()[*id].kernarg_bytes, bytes);
    device_.launch(device_.kernel(*id), {{grid, 1, 1}, {block, 1, 1}},
                   std::as_bytes(std::span(&arguments, 1)).first(bytes));
    device_.synchronize();
  }
  template <class T>
  static std::vector<T> download(const Tensor& tensor) {
    const std::vector<std::byte> bytes = tensor.to_host();
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  Device device_ = Device::open("cpu", Package::open(KERNELGEN_IMPORTED_PACKAGE));
};

TEST_F(Imported, AThreadAnElement) {
  std::vector<float> x(count);
  std::iota(x.begin(), x.end(), 0.0f);
  const Tensor from = upload(x, DType::f32), to = upload(std::vector<float>(count, -1), DType::f32);
  struct {
    void *y, *x;
    std::uint64_t n;
    float factor;
  } arguments = {to.data(), from.data(), count - 1, 3};
  launch("scale", (count + 127) / 128, 128, arguments, 28);
  const std::vector<float> y = download<float>(to);
  for (std::int64_t i = 0; i < count - 1; ++i) ASSERT_EQ(y[i], std::sqrt(x[i]) * 3) << i;
  EXPECT_EQ(y.back(), -1) << "after n";
}

TEST_F(Imported, AGridThatStridesAndNumbersOfOneByte) {
  std::vector<std::uint32_t> x(count);
  std::iota(x.begin(), x.end(), 1u << 20);
  const Tensor from = upload(x, DType::u32), to = upload(std::vector<std::uint32_t>(count), DType::u32);
  for (const bool up : {true, false}) {
    struct {
      void *y, *x;
      std::uint64_t n;
      std::uint8_t by, up;
    } arguments = {to.data(), from.data(), count, 3, static_cast<std::uint8_t>(up)};
    launch("shift", 2, 256, arguments, 26);
    const std::vector<std::uint32_t> y = download<std::uint32_t>(to);
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(y[i], up ? x[i] << 3 : x[i] >> 3) << i;
  }
}

/// On a CPU a kernel runs as many threads of a block as it was built for: the others' elements were left as they were.
TEST_F(Imported, ABlockLargerThanTheKernelsIsRefused) {
  const Tensor from = upload(std::vector<std::uint32_t>(count), DType::u32);
  struct {
    void *y, *x;
    std::uint64_t n;
    std::uint8_t by, up;
  } arguments = {from.data(), from.data(), count, 3, 1};
  const auto id = device_.package().find_kernel("shift");
  ASSERT_TRUE(id.has_value());
  for (const std::uint32_t block : {512u, 1024u})
    test::expect_error(Code::invalid_argument,
                       {"launch of shift on cpu: a block of " + std::to_string(block), "compiled for, 256"},
                       [&] {
                         device_.launch(device_.kernel(*id), {{1, 1, 1}, {block, 1, 1}},
                                        std::as_bytes(std::span(&arguments, 1)).first(26));
                       });
}

}  // namespace
}  // namespace kernelgen
