// A stream belongs to one device, and a device to one package: every call says so.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "environment.hpp"
#include "inputs.hpp"
#include "kernelgen/ops.hpp"
#include "support/expect_error.hpp"
#include "walk.hpp"

namespace kernelgen::conformance {
namespace {

using test::expect_error;

/// A device that is not the one under test.
Device another_device() { return Device::open(device().location() == "cpu:3" ? "cpu:2" : "cpu:3"); }

TEST(ForeignStream, IsRefusedByEveryCall) {
  const Device other = another_device();
  const Stream foreign = other.new_stream();
  const CallOptions given{.stream = foreign};
  const auto zeros = [](const Shape& shape, DType dtype = DType::f32) {
    return Tensor::zeros(device(), shape, dtype);
  };
  const Tensor x = zeros({2, 2}), out = zeros({2, 2}), other_out = zeros({2, 2}),
               ids = zeros({2, 2}, DType::u8), none = zeros({0});
  const Tensor image = zeros({1, 1, 2, 2}), row = zeros({2}), pairs = zeros({1, 1, 1, 2}),
               angles = zeros({1, 1});
  const CallOptions in_place{.stream = foreign, .out = &out}, empty{.stream = foreign, .out = &none};
  const std::int64_t dim = 0;
  const std::vector<std::byte> bytes(16);
  const std::vector<std::function<void()>> calls = {
      [&] { Storage::allocate(device(), 16, foreign); },
      [&] { Tensor::empty(device(), {2}, DType::f32, foreign); },
      [&] { Tensor::empty(device(), {0}, DType::f32, foreign); },
      [&] { Tensor::zeros(device(), {2}, DType::f32, foreign); },
      [&] { Tensor::from_host(device(), bytes, {4}, DType::f32, foreign); },
      [&] { Tensor::from_host(device(), {}, {0}, DType::f32, foreign); },
      [&] { x.to_host(foreign); },
      [&] { none.to_host(foreign); },
      [&] { device().record(foreign); },
      [&] { device().wait(foreign, device().record()); },
      [&] { exp(x, given); },
      [&] { exp(x, in_place); },
      [&] { exp(none, empty); },
      [&] { add(x, x, in_place); },
      [&] { where_cond(ids, x, x, in_place); },
      [&] { to_dtype(x, DType::f16, given); },
      [&] { copy(x, in_place); },
      [&] { copy_into(out, x, foreign); },
      [&] { copy_into(none, none, foreign); },
      [&] { copy2d(out, x, 1, 2, 2, 2, 0, 0, foreign); },
      [&] { copy2d(out, x, 0, 2, 2, 2, 0, 0, foreign); },
      [&] { const_set(out, 1, foreign); },
      [&] { const_set(none, 1, foreign); },
      [&] { sum(x, {&dim, 1}, false, given); },
      [&] { sum(x, {&dim, 1}, false, {.stream = foreign, .out = &row}); },
      [&] { argmax(x, 0, false, given); },
      [&] { softmax(x, in_place); },
      [&] { rms_norm(x, row, 1, in_place); },
      [&] { add_rms_norm(x, x, row, 1, {.stream = foreign}); },
      [&] { add_layer_norm(x, x, row, row, 1, {.stream = foreign, .sum = &out, .norm = &other_out}); },
      [&] { silu_mul(x, x, in_place); },
      [&] { cross_entropy(x, zeros({2}, DType::u8), {.stream = foreign}); },
      [&] { cross_entropy(x, zeros({2}, DType::u8), {.stream = foreign, .loss = &row}); },
      [&] { matmul(x, zeros({2, 2}), in_place); },
      [&] { sort(x, true, {.stream = foreign}); },
      [&] { gather(x, 0, ids, in_place); },
      [&] { index_select(x, 0, zeros({2}, DType::u8), in_place); },
      [&] { index_add(x, 0, zeros({2}, DType::u8), x, false, in_place); },
      [&] { scatter_set(out, 0, ids, x, foreign); },
      [&] { scatter_add_set(out, 0, ids, x, false, foreign); },
      [&] { conv2d(image, image, {}, given); },
      [&] { conv_transpose2d(image, image, {}, given); },
      [&] { max_pool2d(image, {1, 1}, {1, 1}, given); },
      [&] { upsample_nearest2d(image, {3, 3}, given); },
      [&] { upsample_bilinear2d(image, {3, 3}, false, {}, given); },
      [&] { rope(pairs, angles, angles, given); },
      [&] { rope_qk(pairs, pairs, angles, angles, {.stream = foreign}); },
      [&] { rand_uniform(device(), {2, 2}, DType::f32, 0, 1, in_place); },
  };
  for (std::size_t i = 0; i < calls.size(); ++i) {
    SCOPED_TRACE("call " + std::to_string(i));
    const std::string from = "a stream of " + other.location(), to = "was given to " + device().location();
    expect_error(Code::invalid_argument, {from, to}, calls[i]);
  }
}

TEST(TwoPackages, MakeTwoDevicesOfOneName) {
  const Package second = Package::from_memory(device().package().bytes(), "the second package");
  const Device twin = Device::open(device().location(), second);
  const Tensor here = Tensor::zeros(device(), {2}, DType::f32), there = Tensor::zeros(twin, {2}, DType::f32);
  const std::string location = device().location();
  const std::function<void()> calls[] = {
      [&] { add(here, there); },
      [&] { matmul(here, there); },
      [&] { copy_into(here, there); },
      [&] { exp(here, {.out = &there}); },
  };
  for (const auto& call : calls)
    expect_error(
        Code::invalid_argument,
        {location, "two packages", "the second package", device().package().name(), "one package for both"},
        call);
  expect_error(Code::invalid_argument, {"the second package", "was given to"},
               [&] { here.to_host(twin.new_stream()); });
}

}  // namespace
}  // namespace kernelgen::conformance
