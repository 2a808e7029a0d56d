#include "manifest/filter.hpp"
#include "support/memory_disk.hpp"

#include <gtest/gtest.h>

namespace kernelgen::tool {
namespace {

using Names = std::vector<std::string>;

KernelSet sample() {
  MemoryDisk disk;
  disk.add("k/a.hpp", "");
  disk.add("m/a.json", R"json({"module": "a", "header": "a.hpp", "operations": [
    {"op": "exp", "types": {"T": ["f16", "f32"]}, "inputs": ["x: T"], "output": "T", "expr": "exp(x)"},
    {"op": "exp2", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "exp2(x)"}]})json");
  disk.add("m/b.json", R"json({"module": "b", "header": "a.hpp", "operations": [
    {"op": "fill", "types": {"T": "width"}, "output": "T", "scalars": ["value: T"],
     "forms": {"contiguous": {"args": ["y: T*", "n: u64", "value: T"], "body": "fill(y, n, value)"}}}]})json");
  return expand(read_manifests(disk, {"m"}, "k"));
}

Names filtered(const std::vector<std::string>& only) {
  return apply(Filter::parse(only), sample()).kernel_names();
}

std::string complaint(const std::vector<std::string>& only) {
  try {
    filtered(only);
    return "";
  } catch (const BadInput& error) {
    return error.what();
  }
}

TEST(Filter, TakesOperationsAndDtypes) {
  EXPECT_EQ(filtered({"op=exp"}),
            (Names{"kg_exp_f16", "kg_exp_f16_strided", "kg_exp_f32", "kg_exp_f32_strided"}));
  EXPECT_EQ(filtered({"op=exp*,fill", "dtype=f32"}),
            (Names{"kg_exp_f32", "kg_exp_f32_strided", "kg_exp2_f32", "kg_exp2_f32_strided", "kg_fill_b32"}));
  EXPECT_EQ(filtered({"op=fill,dtype=b8"}), (Names{"kg_fill_b8"}));
}

TEST(Filter, NumbersWhatIsLeftDensely) {
  const KernelSet set = apply(Filter::parse(Names{"op=fill", "dtype=f16"}), sample());
  ASSERT_EQ(set.modules.size(), 1u);
  EXPECT_EQ(set.modules[0].name, "b");
  EXPECT_EQ(set.modules[0].first_kernel, 0u);
  ASSERT_EQ(set.operations.size(), 1u);
  EXPECT_EQ(set.operations[0].module, 0u);
  EXPECT_EQ(set.kernels[0].operation, 0u);
  EXPECT_EQ(set.kernels[0].module, 0u);
  EXPECT_EQ(set.operations[0].variants, std::vector<std::uint32_t>{0});
  EXPECT_EQ(set.operations[0].variables[0].values, std::vector<ElementCode>{*parse_element("b16")});
}

TEST(Filter, TakesOperationsWhoseKernelsAreLaunched) {
  MemoryDisk disk;
  disk.add("k/a.hpp", "");
  disk.add("m/a.json", R"json({"module": "a", "header": "a.hpp", "defaults":
    {"types": {"T": ["f16", "f32"]}, "inputs": ["x: T"], "output": "T"}, "operations": [
    {"op": "other", "expr": "x"},
    {"op": "scaled", "row": {"first_pass": "total", "steps": ["s = sum(x)", "y = x * s"]}},
    {"op": "total", "row": ["s = sum(x)", "y = x / s"]}]})json");
  const KernelSet set =
      apply(Filter::parse(Names{"op=scaled", "dtype=f32"}), expand(read_manifests(disk, {"m"}, "k")));
  EXPECT_EQ(set.kernel_names(), (Names{"kg_scaled_f32_rows", "kg_scaled_f32_combine", "kg_total_f32_rows",
                                       "kg_total_f32_partial", "kg_total_f32_combine"}));
  ASSERT_EQ(set.operations.size(), 2u);
  EXPECT_EQ(set.operations[0].variants, (std::vector<std::uint32_t>{0, 3, 1}));
}

TEST(Filter, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(complaint({"op=fil"}),
            "kernel-gen: error: --only op=fil: there is no such operation (did you mean 'fill'?)");
  EXPECT_EQ(complaint({"dtype=f33"}),
            "kernel-gen: error: --only dtype=f33: there is no such element type (did you mean 'f32'?)");
  EXPECT_EQ(complaint({"ops=fill"}),
            "kernel-gen: error: --only ops=fill: unknown key 'ops' (did you mean 'op'?)");
  EXPECT_EQ(complaint({"fill"}), "kernel-gen: error: --only fill: expected op=NAMES or dtype=NAMES");
  EXPECT_EQ(complaint({"op=fill,"}), "kernel-gen: error: --only op=fill,: an empty name");
  EXPECT_EQ(complaint({"op=exp2", "dtype=f16"}),
            "kernel-gen: error: --only: no kernel is both of these operations and dtypes");
}

}  // namespace
}  // namespace kernelgen::tool
