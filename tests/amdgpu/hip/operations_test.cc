// Operations on a simulated GPU give what they give on the CPU, and what goes wrong there comes back as an Error.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "kernelgen/dlpack.hpp"
#include "kernelgen/error.hpp"
#include "kernelgen/ops.hpp"

namespace kernelgen {
namespace {

class SimulatedHip : public testing::TestWithParam<const char*> {
 protected:
  const Device cpu = Device::open("cpu"), gpu = Device::open(std::string("simulated:") + GetParam());
  std::mt19937 random{20260814};

  Tensor draw(const Shape& shape) {
    std::int64_t count = 1;
    for (const std::int64_t extent : shape) count *= extent;
    std::vector<float> values(static_cast<std::size_t>(count));
    std::normal_distribution<float> normal;
    for (float& value : values) value = normal(random);
    return Tensor::from_host(cpu, std::as_bytes(std::span(values)), shape, DType::f32);
  }
  Tensor on_gpu(const Tensor& x) const { return Tensor::from_host(gpu, x.to_host(), x.shape(), x.dtype()); }
  static std::vector<float> floats(const Tensor& x) {
    const std::vector<std::byte> bytes = x.to_host();
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  static void expect_near(const Tensor& result, const Tensor& expected, float bound) {
    EXPECT_EQ(result.shape(), expected.shape());
    const std::vector<float> have = floats(result), want = floats(expected);
    ASSERT_EQ(have.size(), want.size());
    for (std::size_t i = 0; i < have.size(); ++i)
      ASSERT_NEAR(have[i], want[i], bound * (1 + std::fabs(want[i]))) << i;
  }
};

TEST_P(SimulatedHip, ElementsAreTheCpus) {
  const Tensor a = draw({3, 37, 5}), b = draw({3, 37, 5});
  expect_near(add(on_gpu(a), on_gpu(b)), add(a, b), 0);
  expect_near(add(on_gpu(a).transpose(0, 2), on_gpu(b).transpose(0, 2)),
              add(a.transpose(0, 2), b.transpose(0, 2)), 0);
  expect_near(exp(on_gpu(a)), exp(a), 1e-6f);
}

TEST_P(SimulatedHip, RowsAreTheCpus) {
  for (const std::int64_t length : {1, 33, 1000}) {
    const Tensor x = draw({5, length});
    expect_near(softmax(on_gpu(x)), softmax(x), 1e-6f);
  }
}

TEST_P(SimulatedHip, SortedRowsAreTheCpus) {
  for (const std::int64_t length : {2, 100, 1500}) {
    const Tensor x = draw({3, length});
    const Indexed result = sort(on_gpu(x)), expected = sort(x);
    expect_near(result.values, expected.values, 0);
    EXPECT_EQ(result.indices.to_host(), expected.indices.to_host());
  }
}

TEST_P(SimulatedHip, ProductsAreTheCpus) {
  for (const std::int64_t size : {1, 40, 130}) {
    const Tensor a = draw({size, 70}), b = draw({70, 33});
    expect_near(matmul(on_gpu(a), on_gpu(b)), matmul(a, b), 1e-5f);
  }
}

TEST_P(SimulatedHip, RefusesMoreMemoryThanThereIs) {
  try {
    Tensor::empty(gpu, {std::int64_t{1} << 45}, DType::f32);
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::out_of_memory);
  }
}

TEST_P(SimulatedHip, HasItsNameAndArchitecture) {
  EXPECT_EQ(gpu.location(), std::string("simulated:") + GetParam());
  EXPECT_EQ(gpu.architecture(), GetParam());
  EXPECT_EQ(gpu.kind(), DeviceKind::hip);
}

TEST_P(SimulatedHip, IsNoDeviceOfDlpack) {
  try {
    to_dlpack(on_gpu(draw({3})));
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unsupported);
    EXPECT_NE(std::string(error.what()).find(gpu.location()), std::string::npos) << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, SimulatedHip, testing::Values("gfx90a", "gfx1030", "gfx1100"),
                         [](const auto& info) { return std::string(info.param); });

TEST(SimulatedDevices, AreOthersThanHips) {
  const Device hip = Device::open("hip:0");
  EXPECT_EQ(hip.architecture(), std::getenv("KERNELGEN_SIMULATED_GPU"));
  EXPECT_EQ(hip.location(), "hip:0");
}

TEST(SimulatedDevices, UnknownProcessorsAreRefused) {
  try {
    Device::open("simulated:gfx999");
    FAIL() << "no Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::unsupported);
    EXPECT_NE(std::string(error.what()).find("simulated:gfx999"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace kernelgen
