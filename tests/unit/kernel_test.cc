#include "manifest/kernel.hpp"

#include <gtest/gtest.h>

#include "kernelgen/dtype.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

KernelSet expand_text(const std::string& entries) {
  MemoryDisk disk;
  disk.add("kernels/a.hpp", "");
  disk.add("m/a.json", R"({"module": "a", "header": "a.hpp", )" + entries + "}");
  return expand(read_manifests(disk, {"m"}, "kernels"));
}

const Kernel& find(const KernelSet& set, std::string_view name) {
  for (const Kernel& kernel : set.kernels)
    if (kernel.name == name) return kernel;
  throw std::runtime_error("no kernel " + std::string(name));
}

/// "name@offset+size" of each argument, then "=end".
std::string block_of(const Kernel& kernel) {
  std::string text;
  for (const Argument& a : kernel.arguments)
    text += a.name + '@' + std::to_string(a.offset) + '+' + std::to_string(a.size) + ' ';
  return text + '=' + std::to_string(kernel.kernarg_bytes);
}

TEST(Kernel, ArgumentsAreNaturallyAligned) {
  const KernelSet set = expand_text(R"j("symbols": [{"name": "k_{T}", "types": {"T": "all"},
    "args": ["a: T", "b: u8", "c: T", "p: const T*", "d: T", "s: Strided<2>", "e: u8", "f: u32", "g: u64", "h: b16"],
    "body": "g()"}])j");
  EXPECT_EQ(block_of(find(set, "k_u8")),
            "a@0+1 b@1+1 c@2+1 p@8+8 d@16+1 s@24+232 e@256+1 f@260+4 g@264+8 h@272+2 =274");
  EXPECT_EQ(block_of(find(set, "k_f16")),
            "a@0+2 b@2+1 c@4+2 p@8+8 d@16+2 s@24+232 e@256+1 f@260+4 g@264+8 h@272+2 =274");
  EXPECT_EQ(block_of(find(set, "k_f64")),
            "a@0+8 b@8+1 c@16+8 p@24+8 d@32+8 s@40+232 e@272+1 f@276+4 g@280+8 h@288+2 =290");
}

/// A new module leaves the ids of kernels before it as they are, whatever its name.
TEST(Kernel, ModulesAreNumberedByTheirOrderThenByName) {
  MemoryDisk disk;
  disk.add("kernels/a.hpp", "");
  const auto add = [&](const std::string& module, const std::string& order) {
    disk.add("m/" + module + ".json", R"j({"module": ")j" + module + R"j(", )j" + order +
                                          R"j("header": "a.hpp", "symbols": [{"name": "k_)j" + module +
                                          R"j(", "args": ["n: u64"], "body": "g()"}]})j");
  };
  add("a", R"j("order": 2, )j");
  add("b", "");
  add("c", R"j("order": 1, )j");
  add("d", "");
  std::vector<std::string> names;
  for (const Kernel& kernel : expand(read_manifests(disk, {"m"}, "kernels")).kernels)
    names.push_back(kernel.name);
  EXPECT_EQ(names, (std::vector<std::string>{"k_b", "k_d", "k_c", "k_a"}));
}

TEST(Kernel, SymbolsOfEachWordInTheirOwnSpelling) {
  const KernelSet set = expand_text(R"j("symbols": [{"name": "u{op}_{T}", "each": ["neg", "exp"],
    "types": {"T": ["f32", "f8e4m3"]}, "spell": {"f8e4m3": "fp8"}, "args": ["x: const T*"],
    "body": "run<unary::{op}, {T}>(x)"}])j");
  ASSERT_EQ(set.kernels.size(), 4u);
  EXPECT_EQ(find(set, "uneg_f32").body, "run<unary::neg, f32>(x)");
  EXPECT_EQ(find(set, "uexp_fp8").body, "run<unary::exp, f8e4m3>(x)");
}

TEST(Kernel, FormsOfTheDefaultsKnowTheirOperation) {
  const KernelSet set = expand_text(R"j("defaults": {"types": {"T": ["f16"]}, "inputs": ["x: T"],
    "forms": {"rows": {"args": ["x: const T*", "y: output*"], "body": "reduce<{op}>(x, y)"}}},
    "operations": [{"op": "sum", "output": "T"}, {"op": "argmax", "output": "u32"}])j");
  EXPECT_EQ(find(set, "kg_sum_f16_rows").body, "reduce<sum>(x, y)");
  EXPECT_EQ(find(set, "kg_sum_f16_rows").arguments[1].type, "f16*");
  EXPECT_EQ(find(set, "kg_argmax_f16_rows").arguments[1].type, "u32*");
}

TEST(Kernel, FormsWithoutArgumentsTakeThoseOfTheirOperation) {
  const KernelSet set =
      expand_text(R"j("operations": [{"op": "f", "types": {"T": ["f16"]}, "inputs": ["x: T"],
    "output": "T", "args": ["x: const T*", "y: T*", "n: u64"],
    "forms": {"rows": {"body": "f<1>({args})"}, "part": {"args": ["y: T*"], "body": "g(Part({args}), {args})"}}}])j");
  EXPECT_EQ(find(set, "kg_f_f16_rows").body, "f<1>(x, y, n)");
  EXPECT_EQ(block_of(find(set, "kg_f_f16_rows")), "x@0+8 y@8+8 n@16+8 =24");
  EXPECT_EQ(find(set, "kg_f_f16_part").body, "g(Part(y), y)");
  EXPECT_EQ(block_of(find(set, "kg_f_f16_part")), "y@0+8 =8");
}

TEST(Kernel, MapsTakeInputsOutputExtentScalars) {
  const KernelSet set =
      expand_text(R"j("operations": [{"op": "affine", "types": {"T": ["f16"]}, "inputs": ["x: T"],
    "scalars": ["mul: T", "add: f32"], "output": "T", "expr": "fma(x, mul, add)"}])j");
  const Kernel& contiguous = find(set, "kg_affine_f16");
  EXPECT_EQ(block_of(contiguous), "x@0+8 y@8+8 n@16+8 mul@24+2 add@28+4 =32");
  EXPECT_EQ(contiguous.body, "map(affine_op<widened<f16>, widened<f32>>{widen(mul), widen(add)}, y, n, x)");
  EXPECT_FALSE(contiguous.arguments[0].is_written);
  EXPECT_TRUE(contiguous.arguments[1].is_written);
  const Kernel& strided = find(set, "kg_affine_f16_strided");
  EXPECT_EQ(block_of(strided), "x@0+8 y@8+8 layout@16+168 mul@184+2 add@188+4 =192");
  EXPECT_EQ(strided.body, "map(affine_op<widened<f16>, widened<f32>>{widen(mul), widen(add)}, y, layout, x)");
}

TEST(Kernel, VariantsAreIndexedByTheVariablesValuesThenForm) {
  const KernelSet set =
      expand_text(R"("operations": [{"op": "where", "types": {"C": ["u8", "i64"], "T": "width"},
    "inputs": ["c: C", "a: T", "b: T"], "output": "T", "expr": "c ? a : b"}])");
  ASSERT_EQ(set.operations.size(), 1u);
  const Operation& operation = set.operations[0];
  EXPECT_TRUE(operation.is_map());
  EXPECT_EQ(operation.forms, (std::vector<std::string>{"contiguous", "strided"}));
  ASSERT_EQ(operation.variants.size(), 2u * 4 * 2);
  const auto variant = [&](std::size_t c, std::size_t t, std::size_t form) {
    return set.kernels[operation.variants[(c * 4 + t) * 2 + form]].name;
  };
  EXPECT_EQ(variant(1, 1, 1), "kg_where_i64_b16_strided");
  EXPECT_EQ(variant(0, 3, 0), "kg_where_u8_b64");
  EXPECT_EQ(operation.type_code(operation.inputs()[0]), KERNELGEN_TYPE_VARIABLE | 0);
  EXPECT_EQ(operation.type_code(operation.output()), KERNELGEN_TYPE_VARIABLE | 1);
}

TEST(Kernel, FixedTypesHaveTheirCode) {
  const KernelSet set = expand_text(R"("operations": [{"op": "eq", "types": {"T": ["f32"]},
    "inputs": ["a: T", "b: T"], "output": "u8", "expr": "a == b"}])");
  EXPECT_EQ(set.operations[0].type_code(set.operations[0].output()), static_cast<std::uint32_t>(DType::u8));
}

TEST(Kernel, OrderIsThatOfTheManifest) {
  const KernelSet set =
      expand_text(R"j("operations": [{"op": "cast", "types": {"S": ["u8"], "D": ["f32", "bf16"]},
    "inputs": ["x: S"], "output": "D", "expr": "x"}], "symbols": [{"name": "z", "args": ["n: u64"], "body": "g(n)"}])j");
  EXPECT_EQ(set.kernel_names(),
            (std::vector<std::string>{"kg_cast_u8_f32", "kg_cast_u8_f32_strided", "kg_cast_u8_bf16",
                                      "kg_cast_u8_bf16_strided", "z"}));
  EXPECT_EQ(set.modules[0].kernel_count, 5u);
  EXPECT_FALSE(set.kernels[4].operation);
}

TEST(Kernel, BlockAndBudgetComeFromTheNearest) {
  const KernelSet set = expand_text(R"j("defaults": {"block": 128}, "budget": {"vgprs": 32}, "operations": [
    {"op": "f", "inputs": ["x: f32"], "output": "f32", "expr": "x"},
    {"op": "g", "inputs": ["x: f32"], "output": "f32", "expr": "x", "block": 64, "budget": {"lds": 1024, "spills": 2},
     "forms": {"wide": {"args": ["x: f32*"], "body": "h(x)", "block": 1024
}
}
}])j");
  EXPECT_EQ(find(set, "kg_f").block, 128u);
  EXPECT_EQ(find(set, "kg_f").budget.vgprs, 32u);
  EXPECT_EQ(find(set, "kg_f").budget.spills, 0u);
  EXPECT_EQ(find(set, "kg_g_strided").block, 64u);
  EXPECT_EQ(find(set, "kg_g").budget.vgprs, 32u);
  EXPECT_EQ(find(set, "kg_g").budget.lds, 1024u);
  EXPECT_EQ(find(set, "kg_g").budget.spills, 2u);
  EXPECT_EQ(find(set, "kg_g_wide").block, 1024u);
}

TEST(KernelSet, HashFollowsTheManifests) {
  const std::string one = R"j("symbols": [{"name": "z", "args": ["n: u64"], "body": "g(n)"}])j";
  const std::string other = R"j("symbols": [{"name": "z", "args": ["n: u64"], "body": "h(n)"
}])j";
  EXPECT_EQ(expand_text(one).hash(), expand_text(one).hash());
  EXPECT_NE(expand_text(one).hash(), expand_text(other).hash());
}

}  // namespace
}  // namespace kernelgen::tool
