// Kernels of a HIP file that were imported and built, called by the wrappers that `kernel-gen emit --wrappers` wrote, with the
// blocks a GPU would get.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "imported/wrappers/shapes.hpp"
#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

constexpr std::int64_t count = 1000;

std::vector<float> numbers() {
  std::vector<float> all(count);
  std::iota(all.begin(), all.end(), 0.0f);
  return all;
}

class Imported : public testing::TestWithParam<const char*> {
 protected:
  template <class T>
  Tensor upload(const std::vector<T>& values) const {
    return Tensor::from_vector(device_, values, {static_cast<std::int64_t>(values.size())});
  }
  template <class Action>
  static void refused(std::initializer_list<std::string_view> parts, const Action& action) {
    test::expect_error(Code::invalid_argument, parts, action);
  }

  const Package package_ = Package::open(KERNELGEN_IMPORTED_PACKAGE);
  const Device device_ = Device::open(GetParam(), package_);
  const shapes::Kernels kernels_{device_};
};

TEST_P(Imported, AThreadAnElement) {
  const std::vector<float> x = numbers();
  const Tensor from = upload(x), to = upload(std::vector<float>(count, -1));
  kernels_.scale({}, (count + 127) / 128, 128, to, from, count - 1, 3);
  const std::vector<float> y = to.to_vector<float>();
  for (std::int64_t i = 0; i < count - 1; ++i) ASSERT_FLOAT_EQ(y[i], std::sqrt(x[i]) * 3) << i;
  EXPECT_EQ(y.back(), -1) << "after n";
}

TEST_P(Imported, AGridThatStridesAndNumbersOfOneByte) {
  std::vector<std::uint32_t> x(count);
  std::iota(x.begin(), x.end(), 1u << 20);
  const Tensor from = upload(x), to = upload(std::vector<std::uint32_t>(count));
  for (const bool up : {true, false}) {
    kernels_.shift({}, 2, {64, 2, 2}, to, from, count, 3, up);
    const std::vector<std::uint32_t> y = to.to_vector<std::uint32_t>();
    for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(y[i], up ? x[i] << 3 : x[i] >> 3) << i;
  }
}

TEST_P(Imported, NamesOfTheWrappersOwn) {
  const Tensor from = upload(std::vector<std::int16_t>{-3, 5, 7}), to = upload(std::vector<double>(3));
  kernels_.loop({}, 1, 64, to, from, 2);
  EXPECT_EQ(to.to_vector<double>(), (std::vector<double>{-3, 5, 0}));
}

/// Streams are ordered as for operations: `there` is read in another stream than it is written in.
TEST_P(Imported, TensorsOfSeveralStreamsAndAddresses) {
  const Stream one = device_.new_stream(), other = device_.new_stream();
  const Tensor from = upload(std::vector<float>(count, 4)), there = upload(std::vector<float>(count)),
               to = upload(std::vector<float>(count));
  kernels_.scale(one, 8, 128, there, from, count, 8);
  kernels_.scale(other, 8, 128, to, there, count, 1);
  EXPECT_EQ(to.to_vector<float>(other), std::vector<float>(count, 4));
  kernels_.scale(other, 8, 128, static_cast<float*>(to.data()), static_cast<const float*>(from.data()), count,
                 1);
  EXPECT_EQ(to.to_vector<float>(other), std::vector<float>(count, 2));
}

TEST_P(Imported, ABlockLargerThanTheKernelsIsRefused) {
  const Tensor x = upload(numbers());
  refused({"launch of scale on ", "a block of 129", "compiled for, 128"},
          [&] { kernels_.scale({}, 1, 129, x, x, count, 1); });
  refused({"launch of scale on ", "a block of "},
          [&] { kernels_.scale({}, 1, {1u << 31, 2}, x, x, count, 1); });
  refused({"a grid of 0 x 1 x 1"}, [&] { kernels_.scale({}, 0, 1, x, x, count, 1); });
  EXPECT_EQ(x.to_vector<float>(), numbers()) << "nothing was launched";
}

TEST_P(Imported, ATensorThatDoesNotFitIsRefused) {
  const Tensor x = upload(numbers()), bytes = upload(std::vector<std::uint8_t>(count));
  const auto scale = [&](const Tensor& y, const Tensor& from) { kernels_.scale({}, 1, 128, y, from, 1, 1); };
  refused({"launch of scale on ", "argument x (const f32*): the tensor is u8"}, [&] { scale(x, bytes); });
  refused({"argument y (f32*): the tensor is empty"}, [&] { scale({}, x); });
  refused({"argument y (f32*): the tensor is not contiguous"},
          [&] { scale(x.reshape({10, 100}).transpose(0, 1), x); });
  refused({"argument x (const f32*): the tensors are on "},
          [&] { scale(x, Tensor::zeros(Device::open("cpu:2", package_), {1}, DType::f32)); });
  const Tensor read_only(Storage::borrow(device_, x.data(), 4, x.storage(), Access::read), DType::f32,
                         Layout::contiguous({1}));
  refused({"argument y (f32*): the tensor is read-only"}, [&] { scale(read_only, x); });
  EXPECT_EQ(x.to_vector<float>(), numbers()) << "nothing was launched";
  scale(x, read_only);
}

TEST_P(Imported, ArgumentsAreCounted) {
  const std::uint32_t scale = find_kernel(device_, "scale", "f32*, const f32*, u64, f32");
  const Tensor x = upload(numbers());
  const float number = 1;
  const LaunchArgument tensor = {&x}, four_bytes = argument_of(number);
  refused({"launch of scale on ", "3 arguments are given; it takes 4: (f32*, const f32*, u64, f32)"},
          [&] { launch(device_, scale, {}, std::vector{tensor, tensor, four_bytes}); });
  refused({"argument n (u64): 4 bytes are given; it has 8"},
          [&] { launch(device_, scale, {}, std::vector{tensor, tensor, four_bytes, four_bytes}); });
  refused({"argument n (u64): a tensor is given; it takes a value"},
          [&] { launch(device_, scale, {}, std::vector{tensor, tensor, tensor, four_bytes}); });
}

TEST_P(Imported, AnotherPackageThanTheWrappersIsRefused) {
  refused({"kernel scale of ", "takes (f32*, const f32*, u64, f32), and its wrapper was written for (f32*)",
           "kernel-gen emit --wrappers"},
          [&] { find_kernel(device_, "scale", "f32*"); });
  test::expect_error(Code::not_found, {"kernel 'scales'"}, [&] { find_kernel(device_, "scales", "f32*"); });
}

INSTANTIATE_TEST_SUITE_P(Devices, Imported, testing::Values("cpu", "simulated:gfx90a"),
                         [](const auto& info) { return std::string(info.param).substr(0, 3); });

}  // namespace
}  // namespace kernelgen
