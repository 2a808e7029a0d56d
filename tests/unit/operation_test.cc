// The lookup of kernels by dtypes, and the refusal of packages that do not match the library.
#include "ops/operation.hpp"

#include <gtest/gtest.h>

#include "kernelgen/device.hpp"
#include "kernelgen/ops.hpp"
#include "ops/arguments.hpp"
#include "support/expect_error.hpp"
#include "support/sample_package.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen {
namespace {

using test::expect_error;

constexpr std::string_view inputs[] = {"x"};
constexpr std::uint32_t u8_and_i64[] = {0, 4};
// f32 by itself, everything else of 4 and 2 bytes by its width.
constexpr std::uint32_t f32_and_widths[] = {7, 66, 65};
const test::TypeVariable variables[] = {{"C", u8_and_i64}, {"T", f32_and_widths}};

/// An operation "pick" of two type variables and two forms; kernel i serves variant i, but the last one has none.
std::vector<std::byte> two_variables() {
  constexpr std::string_view forms[] = {"rows", "columns"};
  test::PackageBuilder builder;
  builder.add_module("pick");
  std::vector<std::uint32_t> kernels;
  for (int i = 0; i < 2 * 3 * 2; ++i)
    kernels.push_back(builder.add_kernel("kernel_" + std::to_string(i), test::visit_arguments));
  kernels.back() = KERNELGEN_NO_KERNEL;
  builder.add_operation("pick", inputs, forms, variables, kernels);
  return builder.finish();
}

TEST(Operation, FindsKernelsByDtypeThenByWidth) {
  const std::vector<std::byte> bytes = two_variables();
  const Package package = Package::from_memory(bytes);
  const Operation pick(FoundOperation{&package, package.find_operation("pick"), 0, 0});
  const auto kernel = [&](DType c, DType t, const char* form) {
    const DType types[] = {c, t};
    return pick.kernel(types, pick.form(form));
  };
  EXPECT_EQ(kernel(DType::u8, DType::f32, "rows"), 0u);
  EXPECT_EQ(kernel(DType::u8, DType::f32, "columns"), 1u);
  EXPECT_EQ(kernel(DType::u8, DType::u32, "rows"), 2u);
  EXPECT_EQ(kernel(DType::u8, DType::bf16, "rows"), 4u);
  EXPECT_EQ(kernel(DType::i64, DType::f32, "rows"), 6u);
  EXPECT_EQ(kernel(DType::i64, DType::i32, "columns"), 9u);
  EXPECT_EQ(kernel(DType::i64, DType::i16, "rows"), 10u);
  for (const auto& [c, t] : {std::pair(DType::u8, DType::f64), {DType::f32, DType::f32}})
    expect_error(Code::invalid_argument,
                 {"pick: no kernel for dtype", "it accepts u8 i64 for C, u32 i16 i32 bf16 f16 f32 for T"},
                 [&] { kernel(c, t, "rows"); });
  // The table has a hole.
  expect_error(Code::invalid_argument, {"pick: no kernel for dtype i64,f16"},
               [&] { kernel(DType::i64, DType::f16, "columns"); });
}

TEST(Operation, OfOtherTypeVariablesThanTheLibraryKnowsIsRefused) {
  const std::vector<std::byte> bytes = two_variables();
  const Package package = Package::from_memory(bytes);
  const Operation pick(FoundOperation{&package, package.find_operation("pick"), 0, 0});
  const DType one[] = {DType::u8}, three[] = {DType::u8, DType::f32, DType::f32};
  expect_error(Code::bad_package, {"pick", "1 dtypes at a time, the package's for 2"},
               [&] { pick.kernel(one, 0); });
  expect_error(Code::bad_package, {"pick", "3 dtypes at a time"}, [&] { pick.kernel(three, 0); });
}

TEST(Operation, OfSeveralPackagesTheFirstIsCalled) {
  constexpr std::string_view forms[] = {"contiguous", "strided"};
  constexpr std::uint32_t f32[] = {7};
  const test::TypeVariable one_variable[] = {{"T", f32}};
  const auto package_of = [&](std::initializer_list<const char*> operations) {
    test::PackageBuilder builder;
    builder.add_target("cpu-x86-64", 0, 1);
    builder.add_module("module");
    builder.add_kernel("unused", test::visit_arguments);
    for (const char* name : operations) {
      const std::uint32_t kernel = builder.add_kernel(name, test::scale_arguments);
      const std::uint32_t kernels[] = {kernel, KERNELGEN_NO_KERNEL};
      builder.add_operation(name, inputs, forms, one_variable, kernels);
    }
    return builder.finish();
  };
  const std::vector<std::byte> mine = package_of({"mine", "neg"}), shipped = package_of({"abs", "neg"});
  const std::vector<Package> packages = {Package::from_memory(mine), Package::from_memory(shipped)};
  const Device device = Device::open("cpu:1", packages);
  const DType type = DType::f32;
  EXPECT_EQ(Operation::named(device, "mine").kernel({&type, 1}, 0), 1u);
  EXPECT_EQ(Operation::named(device, "neg").kernel({&type, 1}, 0), 2u);
  EXPECT_EQ(Operation::builtin(device, Builtin::neg).kernel({&type, 1}, 0), 2u);
  EXPECT_EQ(Operation::builtin(device, Builtin::abs).kernel({&type, 1}, 0), 4u);
  EXPECT_EQ(device.find_kernel("neg"), 2u);
  EXPECT_EQ(device.find_kernel("abs"), 4u);
  expect_error(Code::not_found, {"operation 'ab' is not in the packages (did you mean 'abs'?)"},
               [&] { Operation::named(device, "ab"); });
  expect_error(Code::not_found, {"kernel 'ab' is in no package of cpu:1"}, [&] { device.find_kernel("ab"); });
  const Device other = Device::open("cpu:1", std::vector<Package>{packages[1], packages[0]});
  EXPECT_EQ(Operation::builtin(other, Builtin::neg).kernel({&type, 1}, 0), 2u);
  EXPECT_EQ(Operation::builtin(other, Builtin::abs).kernel({&type, 1}, 0), 1u);
}

TEST(Operation, ASumOfTwoTypeVariablesIsNotCalled) {
  constexpr std::string_view forms[] = {"rows", "columns", "combine"};
  const std::vector<std::byte> code = test::read_file(KERNELGEN_CPU_KERNELS);
  test::PackageBuilder builder;
  builder.add_target("cpu-x86-64", 0, 1);
  builder.add_module("sum");
  builder.add_code(0, 0, code);
  const std::uint32_t kernel = builder.add_kernel("kg_visit", test::visit_arguments);
  builder.add_operation("sum", inputs, forms, variables, std::vector<std::uint32_t>(2 * 3 * 3, kernel));
  const std::vector<std::byte> bytes = builder.finish();
  const Package package = Package::from_memory(bytes);
  const Tensor x = Tensor::empty(Device::open("cpu:1", package), {4}, DType::f32);
  expect_error(Code::bad_package, {"sum", "1 dtypes at a time, the package's for 2"},
               [&] { sum(x, std::array<std::int64_t, 1>{0}, false); });
}

TEST(Arguments, LieAtTheirAlignment) {
  Arguments arguments;
  arguments.add(std::uint8_t{1}).add(std::uint64_t{2}).add(std::uint32_t{3});
  EXPECT_EQ(arguments.bytes().size(), 20u);
  EXPECT_EQ(arguments.bytes()[8], std::byte{2});
}

TEST(Arguments, EndWhereAKernelsDo) {
  Arguments arguments;
  for (std::size_t i = 0; i < KERNELGEN_MAX_ARGUMENT_BYTES / 8 - 1; ++i) arguments.add(std::uint64_t{i});
  arguments.add(std::uint32_t{1});
  expect_error(Code::unsupported, {"8 bytes at offset 4096", "at most 4096 bytes"},
               [&] { arguments.add(std::uint64_t{1}); });
  arguments.add(std::uint32_t{1});
  EXPECT_EQ(arguments.bytes().size(), KERNELGEN_MAX_ARGUMENT_BYTES);
  expect_error(Code::unsupported, {"1 bytes at offset 4096"}, [&] { arguments.add(std::uint8_t{1}); });
  EXPECT_EQ(arguments.bytes().size(), KERNELGEN_MAX_ARGUMENT_BYTES);
}

}  // namespace
}  // namespace kernelgen
