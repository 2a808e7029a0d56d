// User modules: typed handles of their kernels, and module counts.
#include "compile_fixture.hpp"
#include "kernelgen/kernel.hpp"
#include "support/expect_error.hpp"

namespace kernelgen {
namespace {

using test::expect_error;
using test::twice;
using test::with_factor;

class Modules : public test::Compiling {};

TEST_F(Modules, HandlesHaveTheTypesOfArguments) {
  const Device device = cpu();
  const Module module = device.compile(twice, with_factor("2"));
  EXPECT_EQ(module.device(), device);
  EXPECT_EQ(module.arguments("twice"), (std::vector<KernelArgument>{{0, 8}, {8, 8}}));
  const Tensor x = tensor(device, {3});
  const Kernel<void*, std::uint64_t> kernel(module, "twice");
  kernel.launch({.grid = {2, 1, 1}, .block = {64, 1, 1}}, x.data(), 3);
  EXPECT_EQ(values(x), (std::vector<float>{-12, -10, -8}));
  expect_error(Code::invalid_argument,
               {"kernel twice of module twice.cu on cpu:2: its arguments are 2 of 8 and 8 bytes, those given "
                "3 of 8, 8 "
                "and 4 bytes"},
               [&] { Kernel<void*, std::uint64_t, float>(module, "twice"); });
  expect_error(Code::invalid_argument, {"those given 2 of 8 and 4 bytes"},
               [&] { Kernel<void*, std::uint32_t>(module, "twice"); });
  expect_error(Code::invalid_argument, {"those given none"}, [&] { Kernel<>(module, "twice"); });
  expect_error(Code::not_found, {"has no kernel thrice"}, [&] { Kernel<void*>(module, "thrice"); });

  using Mixed = Kernel<std::uint8_t, double, std::uint16_t, void*>;
  EXPECT_EQ(Mixed::layout, (std::array<KernelArgument, 4>{{{0, 1}, {8, 8}, {16, 2}, {24, 8}}}));
  EXPECT_EQ(Mixed::block_bytes, 32u);
}

TEST_F(Modules, AreCounted) {
  const Device device = Device::open("cpu:4", Package::embedded());
  const Tensor x = tensor(device, {3});
  EXPECT_EQ(device.module_use().loads, 0u);
  add(x, x);
  EXPECT_EQ(device.module_use().loads, 1u);  // of the package
  expression("x * 3 + 5", {{"x", x}});
  {
    const Module module = device.compile(twice, with_factor("2")),
                 same = device.compile(twice, with_factor("2"));
    EXPECT_EQ(device.module_use().loads, 3u);
    EXPECT_EQ(device.module_use().loaded, 3u);
  }
  EXPECT_EQ(device.module_use().loaded, 2u);
  device.compile(twice, with_factor("2"));
  EXPECT_EQ(device.module_use().loads, 4u);
}

}  // namespace
}  // namespace kernelgen
