// Every operation of the package has an entry in the walk and a function in the C interface.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "environment.hpp"

namespace kernelgen::conformance {
namespace {

using Names = std::vector<std::string>;

/// An operation whose tests or function have another name: the manifest's is a word of C or C++, or its kernels are
/// steps of that function.
struct Alias {
  std::string_view operation, suite, function;
};
constexpr Alias aliases[] = {
    {"arg_sort", "sort", "arg_sort"},
    {"add_experts", "route_experts", "indexed_matmul"},
    {"attention_f8", "attention_f8", "attention"},
    {"attention_mma", "attention", "attention"},
    {"attention_mma_f8", "attention_f8", "attention"},
    {"cast", "cast", "to_dtype"},
    {"fill", "const_set", "const_set"},
    {"expert_matmul", "indexed_matmul", "indexed_matmul"},
    {"group_columns", "indexed_matmul", "indexed_matmul"},
    {"add_partial_products", "quantized_matmul", "quantized_matmul"},
    {"matmul_wide", "matmul_wide", "matmul"},
    {"quantize_columns", "quantized_matmul", "quantized_matmul"},
    {"set_block_rows", "set_rows", "set_rows"},
    {"triangle", "triangle", "tril"},
    {"vector_products", "vector_products", "matmul"},
    {"route_experts", "route_experts", "indexed_matmul"},
    {"scatter_add_16bit", "scatter_add_set", "scatter_add_set"},
    {"scatter_claim", "scatter_set", "scatter_set"},
    {"scaled_softmax_long", "scaled_softmax", "scaled_softmax"},
    {"select_k", "top_k", "top_k"},
    {"split_columns", "quantized_matmul", "quantized_matmul"},
    {"where", "where", "where_cond"},
    {"scatter_write", "scatter_set", "scatter_set"},
};

Alias names_of(std::string_view operation) {
  const auto alias = std::ranges::find(aliases, operation, &Alias::operation);
  return alias != std::end(aliases) ? *alias : Alias{operation, operation, operation};
}

Names operations() {
  const Package& package = device().package();
  Names names;
  for (const auto& record : package.operations()) names.emplace_back(package.text(record.name));
  return names;
}

/// The operations whose name, as `name` picks it, is not there.
Names missing(const Names& operations, std::string_view Alias::* name,
              const std::function<bool(const std::string&)>& is_there) {
  Names found;
  for (const std::string& operation : operations)
    if (!is_there(std::string(names_of(operation).*name))) found.push_back(operation);
  return found;
}

/// What register_test was given, of whatever part of the tests this process runs.
bool is_walked(const std::string& suite) {
  const testing::UnitTest& all = *testing::UnitTest::GetInstance();
  for (int i = 0; i < all.total_test_suite_count(); ++i)
    if (all.GetTestSuite(i)->name() == "Conformance/" + suite) return true;
  return false;
}

bool is_in_c_interface(const std::string& function) {
  static void* const library = dlopen(KERNELGEN_C_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) ADD_FAILURE() << dlerror();
  return library != nullptr && dlsym(library, ("kernelgen_" + function).c_str()) != nullptr;
}

TEST(Completeness, EveryOperationIsWalked) {
  ASSERT_FALSE(operations().empty());
  EXPECT_EQ(missing(operations(), &Alias::suite, is_walked), Names{});
  EXPECT_EQ(missing({"exp", "invented"}, &Alias::suite, is_walked), Names{"invented"});
}

TEST(Completeness, EveryOperationHasAFunctionInC) {
  EXPECT_EQ(missing(operations(), &Alias::function, is_in_c_interface), Names{});
  EXPECT_EQ(missing({"exp", "invented"}, &Alias::function, is_in_c_interface), Names{"invented"});
}

TEST(Completeness, AliasesAreOfOperations) {
  const Names known = operations();
  for (const Alias& alias : aliases)
    EXPECT_NE(std::ranges::find(known, alias.operation), known.end()) << alias.operation;
}

}  // namespace
}  // namespace kernelgen::conformance
