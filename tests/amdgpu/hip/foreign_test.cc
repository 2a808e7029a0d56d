// Kernels that clang built, in a package of `kernel-gen import --binary`: found by name and launched on simulated GPUs.
#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "kernelgen/device.hpp"
#include "kernelgen/kernelgen.h"
#include "kernelgen/tensor.hpp"
#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

class ForeignKernels : public testing::TestWithParam<const char*> {
 protected:
  const Device gpu =
      Device::open(std::string("simulated:") + GetParam(), Package::open(KERNELGEN_FOREIGN_PACKAGE));

  template <class T>
  static std::vector<T> values_of(const Tensor& tensor) {
    const std::vector<std::byte> bytes = tensor.to_host();
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

/// As line() of foreign.hip takes them.
struct LineArguments {
  void *y, *x;
  float factor, offset;
  unsigned step;
  int n;
};

TEST_P(ForeignKernels, ComputeWithAStructByValue) {
  std::vector<float> x(100);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) * 0.5f;
  const Tensor from = Tensor::from_host(gpu, std::as_bytes(std::span(x)), {100}, DType::f32),
               to = Tensor::from_host(gpu, std::as_bytes(std::span(x)), {100}, DType::f32);
  const LineArguments arguments = {to.data(), from.data(), 3, 1, 2, 99};
  gpu.launch(gpu.kernel(gpu.find_kernel("_Z4linePfPKf4Linei")), {{2, 1, 1}, {64, 1, 1}},
             std::as_bytes(std::span(&arguments, 1)));
  const std::vector<float> y = values_of<float>(to);
  for (std::size_t i = 0; i < 99; ++i) ASSERT_EQ(y[i], 3 * x[i / 2 * 2] + 1) << i;
  EXPECT_EQ(y[99], x[99]) << "after n";
}

TEST_P(ForeignKernels, ComputeAsInstancesOfATemplate) {
  const Tensor to = Tensor::empty(gpu, {64}, DType::f64);
  struct {
    void* y;
    double value;
  } arguments = {to.data(), 2.5};
  gpu.launch(gpu.kernel(gpu.find_kernel("_Z4fillIdEvPT_S0_")), {{1, 1, 1}, {64, 1, 1}},
             std::as_bytes(std::span(&arguments, 1)));
  EXPECT_EQ(values_of<double>(to), std::vector<double>(64, 2.5));
}

TEST_P(ForeignKernels, AreLaunchedWithoutArguments) {
  gpu.launch(gpu.kernel(gpu.find_kernel("_Z4idlev")), {{1, 1, 1}, {64, 1, 1}}, {});
  gpu.synchronize();
}

TEST_P(ForeignKernels, RefuseOtherNumbersOfBytes) {
  const Function kernel = gpu.kernel(gpu.find_kernel("_Z4linePfPKf4Linei"));
  const std::vector<std::byte> bytes(64);
  for (const std::size_t given :
       {std::size_t{0}, std::size_t{24}, std::size_t{31}, std::size_t{40}, bytes.size()})
    test::expect_error(Code::invalid_argument, {"_Z4linePfPKf4Linei", std::to_string(given)},
                       [&] { gpu.launch(kernel, {{1, 1, 1}, {64, 1, 1}}, std::span(bytes).first(given)); });
}

TEST_P(ForeignKernels, AreWhatTheyWereNamedByGlobs) {
  test::expect_error(Code::not_found, {"_Z4fillIsEvPT_S0_"}, [&] { gpu.find_kernel("_Z4fillIsEvPT_S0_"); });
}

TEST_P(ForeignKernels, AreLaunchedFromC) {
  kernelgen_package* package = nullptr;
  kernelgen_device* device = nullptr;
  std::uint32_t kernel = 0;
  ASSERT_EQ(kernelgen_package_open(KERNELGEN_FOREIGN_PACKAGE, &package), KERNELGEN_OK);
  ASSERT_EQ(kernelgen_device_open((std::string("simulated:") + GetParam()).c_str(), package, &device),
            KERNELGEN_OK);
  ASSERT_EQ(kernelgen_device_find_kernel(device, "_Z4idlev", &kernel), KERNELGEN_OK);
  const kernelgen_launch_shape shape = {{1, 1, 1}, {64, 1, 1}, 0};
  EXPECT_EQ(kernelgen_launch_kernel(device, kernel, &shape, nullptr, 0, nullptr), KERNELGEN_OK);
  const std::uint64_t stranger = 0;
  EXPECT_EQ(kernelgen_launch_kernel(device, kernel, &shape, &stranger, sizeof stranger, nullptr),
            KERNELGEN_INVALID_ARGUMENT);
  kernelgen_device_release(device);
  kernelgen_package_release(package);
}

INSTANTIATE_TEST_SUITE_P(Targets, ForeignKernels, testing::Values("gfx90a", "gfx1100"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kernelgen
