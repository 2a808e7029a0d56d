#include "manifest/part.hpp"

#include <gtest/gtest.h>

#include <tuple>

namespace kernelgen::tool {
namespace {

Kernel kernel(std::optional<std::uint32_t> operation) {
  Kernel kernel{};
  kernel.operation = operation;
  return kernel;
}

Operation operation(const char* name) {
  Operation operation{};
  operation.name = name;
  return operation;
}

/// Name, first kernel, number of kernels.
using Rows = std::vector<std::tuple<std::string, std::uint32_t, std::uint32_t>>;

Rows rows(const KernelSet& set) {
  Rows rows;
  for (const Module& module : set.modules) {
    rows.emplace_back(module.name, module.first_kernel, module.kernel_count);
    for (const Kernel& kernel : set.kernels_of(module))
      EXPECT_EQ(kernel.module, static_cast<std::uint32_t>(&module - set.modules.data()));
  }
  return rows;
}

/// One module "m" of operations and symbols with as many kernels each.
KernelSet set(std::initializer_list<std::pair<const char*, int>> operations, int symbols) {
  KernelSet set;
  for (const auto& [name, count] : operations) {
    for (int i = 0; i < count; ++i)
      set.kernels.push_back(kernel(static_cast<std::uint32_t>(set.operations.size())));
    set.operations.push_back(operation(name));
  }
  for (int i = 0; i < symbols; ++i) set.kernels.push_back(kernel(std::nullopt));
  Module module{};
  module.name = "m";
  module.kernel_count = static_cast<std::uint32_t>(set.kernels.size());
  set.modules.push_back(module);
  return set;
}

TEST(Part, IsAnOperation) {
  const KernelSet parts = in_parts(set({{"a", 2}, {"m", 3}}, 4));
  EXPECT_EQ(rows(parts), (Rows{{"m.a", 0, 2}, {"m", 2, 3}, {"m.by-name", 5, 4}}));
  EXPECT_EQ(parts.operations[0].module, 0u);
  EXPECT_EQ(parts.operations[1].module, 1u);
}

TEST(Part, OfOneOperationIsTheModule) {
  EXPECT_EQ(rows(in_parts(set({{"a", 20}}, 0))), (Rows{{"m", 0, 20}}));
  EXPECT_EQ(rows(in_parts(set({}, 5))), (Rows{{"m", 0, 5}}));
}

TEST(Part, LargeOperationsAreCutEvenly) {
  EXPECT_EQ(rows(in_parts(set({{"a", 50}, {"b", 1}}, 0))),
            (Rows{{"m.a.1", 0, 16}, {"m.a.2", 16, 17}, {"m.a.3", 33, 17}, {"m.b", 50, 1}}));
  EXPECT_EQ(rows(in_parts(set({}, 21))), (Rows{{"m", 0, 21}})) << "kernels by name stay together";
}

TEST(Part, BelongsToItsModule) {
  EXPECT_TRUE(is_part_of("reduce", "reduce"));
  EXPECT_TRUE(is_part_of("reduce.sum.1", "reduce"));
  EXPECT_TRUE(is_part_of("reduce.sum.1", "reduce.sum"));
  EXPECT_FALSE(is_part_of("reduced", "reduce"));
  EXPECT_FALSE(is_part_of("reduce", "reduce.sum"));
}

}  // namespace
}  // namespace kernelgen::tool
