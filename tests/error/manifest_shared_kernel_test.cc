// Operations that launch kernels of others: "first_pass" of a row, "kernels_of" of a form.
#include <algorithm>

#include "manifest/filter.hpp"
#include "manifest/part.hpp"
#include "manifest_fixture.hpp"

namespace kernelgen::tool {
namespace {

/// "sums" with partial results of x * x, and an operation of these members.
std::string after_sums(const std::string& members, const std::string& types = R"("F")") {
  return R"j({"module": "a", "header": "unary.hpp", "defaults": {"inputs": ["x: T"], "output": "T"}, "operations": [
    {"op": "sums", "types": {"T": "F"}, "row": ["s = sum(x * x)", "y = x / s"]},
    {"op": "plain", "types": {"T": "F"}, "expr": "x"},
    {"op": "means", "types": {"T": "F"}, "row": {"steps": ["m = mean(x * x)", "y = x - m"], "first_pass": "sums"}},
    {"op": "f", "types": {"T": )j" +
         types + "}, " + members + "}]}";
}
std::string row_after_sums(const std::string& owner, const std::string& types = R"("F")") {
  return after_sums(
      R"j("row": {"first_pass": ")j" + owner + R"j(", "steps": ["m = mean(x*x)", "y = x / m"]})j", types);
}
std::string form_after_sums(const std::string& members) {
  return after_sums(R"j("forms": {"rows": {"args": ["n: u64"], "body": "g(n)"}, "partial": {)j" + members +
                    "}}");
}

const std::string first_pass = "kernel-gen: error: m/a.json: /operations/3/row/first_pass: ";

class SharedKernelError : public testing::TestWithParam<Case> {};

TEST_P(SharedKernelError, Says) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", GetParam().manifest);
  EXPECT_EQ(complaints(disk), GetParam().lines);
}

INSTANTIATE_TEST_SUITE_P(
    Each, SharedKernelError,
    testing::Values(
        Case{"NoOperation", row_after_sums("sum"),
             first_pass + "there is no operation 'sum'; name one of these manifests (did you mean 'sums'?)"},
        Case{"NoForm", row_after_sums("plain"),
             first_pass + "'plain' has no form 'partial'; name an operation that has kernels of it"},
        Case{"Itself", row_after_sums("f"), first_pass + "'f' is the operation itself; leave it out"},
        Case{"Chain", row_after_sums("means"),
             first_pass +
                 "'means' has no kernels of form 'partial' itself; name 'sums', whose kernels it launches"},
        Case{"OtherReduction",
             after_sums(R"j("row": {"first_pass": "sums", "steps": ["m = max(x * x)", "y = x / m"]})j"),
             first_pass +
                 "'sums' begins long rows with \"s = sum(x * x)\", this operation with \"m = max(x * x)\"; "
                 "both must be the same reduction of the elements"},
        Case{"OtherElements",
             after_sums(R"j("row": {"first_pass": "sums", "steps": ["m = sum(x * 2)", "y = x / m"]})j"),
             first_pass +
                 "'sums' begins long rows with \"s = sum(x * x)\", this operation with \"m = sum(x * 2)\"; "
                 "both must be the same reduction of the elements"},
        Case{"NotSplit",
             after_sums(
                 R"j("row": {"first_pass": "sums", "steps": ["e = x + 1", "m = sum(e)", "y = e / m"]})j"),
             first_pass + "is for rows in parts; 'steps' cannot split them, so give 'long', as in "
                          R"j(["top, total = sum_exp(x)", "y = exp(x - top) / total"])j"},
        Case{"OtherKeys", form_after_sums(R"("kernels_of": "sums", "block": 64)"),
             "kernel-gen: error: m/a.json: /operations/3/forms/partial/kernels_of: is given with 'block', "
             "which "
             "the form of that operation has"},
        Case{
            "NoFormOfThatName",
            after_sums(
                R"j("forms": {"rows": {"args": ["n: u64"], "body": "g(n)"}, "part": {"kernels_of": "sums"}})j"),
            "kernel-gen: error: m/a.json: /operations/3/forms/part/kernels_of: 'sums' has no form 'part'; "
            "name an "
            "operation that has kernels of it"},
        Case{"NoKernelOfItsOwn", after_sums(R"("forms": {"rows": {"kernels_of": "sums"}})"),
             "kernel-gen: error: m/a.json: /operations/3: has no kernel of its own: at least one form must "
             "not be "
             "that of another operation"}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(SharedKernels, NeedTheSameTypes) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", R"j({"module": "a", "header": "unary.hpp", "operations": [
    {"op": "few", "types": {"T": ["f16", "f32"]}, "inputs": ["x: T"], "output": "T", "row": ["s = sum(x)", "y = x / s"]},
    {"op": "all", "types": {"T": ["f32", "f64"]}, "inputs": ["x: T"], "output": "T",
     "row": {"first_pass": "few", "steps": ["m = mean(x)", "y = x - m"]}}]})j");
  EXPECT_EQ(
      complaints(disk),
      "kernel-gen: error: m/a.json: /operations/1/row/first_pass: 'few' has no kernels for f64; give both "
      "operations the same types");
}

TEST(SharedKernels, NeedTheSameHeader) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", map_with(R"j("row": ["s = sum(x)", "y = x / s"])j"));
  disk.add("m/b.json", R"j({"module": "b", "header": "engines/map.hpp", "operations": [
    {"op": "g", "types": {"T": "F"}, "inputs": ["z: T"], "output": "T",
     "row": {"first_pass": "f", "steps": ["m = mean(z)", "y = z - m"]}}]})j");
  EXPECT_EQ(complaints(disk),
            "kernel-gen: error: m/b.json: /operations/0/row/first_pass: 'f' is of a manifest with the header "
            "'unary.hpp', this one has 'engines/map.hpp', and functions may differ; give both one header");
}

TEST(SharedKernels, AreLaunchedByBoth) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", row_after_sums("sums", R"(["f32"])"));
  const KernelSet set = expand(read_manifests(disk, {"m"}, "kernels"));
  const Operation& operation = set.operations.at(3);
  EXPECT_EQ(operation.forms, (std::vector<std::string>{"rows", "partial", "combine"}));
  std::vector<std::string> names;
  for (const std::uint32_t kernel : operation.variants) names.push_back(set.kernels.at(kernel).name);
  EXPECT_EQ(names, (std::vector<std::string>{"kg_f_f32_rows", "kg_sums_f32_partial", "kg_f_f32_combine"}));
}

/// "same" with these owners, and "move" of raw elements.
std::string by_types(const std::string& owners, const std::string& forms = {}) {
  return R"j({"module": "a", "header": "unary.hpp", "operations": [
    {"op": "move", "types": {"T": "width"}, "inputs": ["x: T"], "output": "T", "expr": "x"},
    {"op": "same", "types": {"S": ["u32", "i32", "f16"], "D": ["u32", "i32"]}, "inputs": ["x: S"], "output": "D",
     "expr": "x", "kernels_of": )j" +
         owners + forms + "}]}";
}

const std::string by_types_fault = "kernel-gen: error: m/a.json: /operations/1/kernels_of";

INSTANTIATE_TEST_SUITE_P(
    OfTypes, SharedKernelError,
    testing::Values(
        Case{"UnknownType", by_types(R"j({"u23, i32": "move(S)"})j"),
             by_types_fault + "/u23, i32: unknown element type 'u23' (did you mean 'u32'?)"},
        Case{"TooFewTypes", by_types(R"({"u32": "i32, i32"})"),
             by_types_fault + "/u32: 'u32' is 1 of 2 element types, one for each type variable"},
        Case{"TooFewOfTheOwner", by_types(R"({"u32, u32": "i32"})"),
             by_types_fault + "/u32, u32: 'i32' is 1 of 2 element types, one for each type variable"},
        Case{"Open", by_types(R"j({"u32, u32": "move(S"})j"),
             by_types_fault + "/u32, u32: 'move(S' lacks a ')' at its end"},
        Case{"NoOperation", by_types(R"j({"u32, u32": "mov(S)"})j"),
             by_types_fault +
                 "/u32, u32: there is no operation 'mov'; name one of these manifests (did you mean "
                 "'move'?)"},
        Case{"NoKernel", by_types(R"j({"u32, u32": "move"})j"),
             by_types_fault +
                 "/u32, u32: 'move' has no kernels for u32, u32; give both operations the same types"},
        Case{"Chain", by_types(R"j({"u32, u32": "u32, i32", "u32, i32": "move(S)"})j"),
             by_types_fault +
                 "/u32, u32: 'same' has no kernels of form 'contiguous' itself; name 'move(u32)', whose "
                 "kernels it launches"},
        Case{
            "OtherArguments",
            by_types(
                R"j({"u32, u32": "i32, i32"})j",
                R"j(, "forms": {"one": {"args": ["x: S"], "body": "one(x)", "kernels_of": {"f16, all": "i32, D"}}})j"),
            "kernel-gen: error: m/a.json: /operations/1/forms/one/kernels_of/f16, all: kernel "
            "'kg_same_i32_u32_one' "
            "takes other arguments than form 'one' for f16, u32; only types of the same size can share "
            "kernels"},
        Case{"NotAll",
             by_types(R"j({"u32, u32": "i32, i32"})j",
                      R"j(, "forms": {"one": {"kernels_of": {"f16, all": "i32, D"}}})j"),
             "kernel-gen: error: m/a.json: /operations/1: form 'one' has no 'args' and 'body', and its "
             "'kernels_of' "
             "leaves out some types"}),
    [](const auto& info) { return std::string(info.param.name); });

/// "less" of two inputs, and "more" with these members.
std::string after_less(const std::string& members) {
  return R"j({"module": "a", "header": "unary.hpp",
    "defaults": {"types": {"T": ["f16", "f32"]}, "inputs": ["a: T", "b: T"], "output": "u8"}, "operations": [
    {"op": "less", "expr": "a < b"}, {"op": "more", )j" +
         members + "}]}";
}

const std::string swapped = "kernel-gen: error: m/a.json: /operations/1/swapped: ";
const std::string swapped_is_for = "is for an expr of two inputs with \"kernels_of\": \"OPERATION\"";

INSTANTIATE_TEST_SUITE_P(
    Swapped, SharedKernelError,
    testing::Values(
        Case{"NoOwner", after_less(R"j("expr": "a > b", "swapped": true)j"), swapped + swapped_is_for},
        Case{"ByTypes", after_less(R"j("expr": "a > b", "kernels_of": {"f16": "less"}, "swapped": true)j"),
             swapped + swapped_is_for},
        Case{"OneInput",
             after_less(R"j("inputs": ["a: T"], "expr": "a", "kernels_of": "less", "swapped": true)j"),
             swapped + swapped_is_for},
        Case{"NoTruth", after_less(R"j("expr": "a > b", "kernels_of": "less", "swapped": 1)j"),
             swapped + "must be true or false, not number"}),
    [](const auto& info) { return std::string(info.param.name); });

/// The kernels of an operation, by form and types.
std::vector<std::string> kernels_of(const KernelSet& set, std::string_view operation) {
  const auto same = std::ranges::find(set.operations, operation, &Operation::name);
  std::vector<std::string> names;
  for (const std::uint32_t kernel : same->variants)
    names.push_back(kernel == KERNELGEN_NO_KERNEL ? "" : set.kernels.at(kernel).name);
  return names;
}

TEST(KernelOwners, AreOfOtherTypesAndOperations) {
  MemoryDisk disk;
  fill(disk).add("m/a.json",
                 by_types(R"j({"u32, u32": "move(S)", "i32, i32": "i32, i32", "u32, I": "i32, D"})j",
                          R"j(, "forms": {"strided": {"kernels_of": {"f16, i32": "S, u32"}}})j"));
  const KernelSet set = expand(read_manifests(disk, {"m"}, "kernels"));
  EXPECT_EQ(kernels_of(set, "same"),
            (std::vector<std::string>{
                "kg_move_b32", "kg_move_b32_strided", "kg_same_i32_i32", "kg_same_i32_i32_strided",
                "kg_same_i32_u32", "kg_same_i32_u32_strided", "kg_same_i32_i32", "kg_same_i32_i32_strided",
                "kg_same_f16_u32", "kg_same_f16_u32_strided", "kg_same_f16_i32", "kg_same_f16_u32_strided"}));
}

TEST(KernelOwners, StayWithTheTypesThatAreBuilt) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", by_types(R"j({"i32, i32": "move(D)", "u32, u32": "move(S)"})j"));
  const std::string only[] = {"op=same,dtype=u32"};
  const KernelSet set = apply(Filter::parse(only), expand(read_manifests(disk, {"m"}, "kernels")));
  ASSERT_EQ(set.operations.size(), 2u);
  EXPECT_EQ(kernels_of(set, "same"), (std::vector<std::string>{"kg_move_b32", "kg_move_b32_strided"}));
  const KernelSet parts = in_parts(set);
  EXPECT_EQ(parts.modules.at(parts.operations[1].module).name, "a");
}

TEST(KernelOwners, TakeSwappedInputs) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", after_less(R"j("expr": "a > b", "kernels_of": "less", "swapped": true)j"));
  const KernelSet set = expand(read_manifests(disk, {"m"}, "kernels"));
  ASSERT_EQ(set.kernels.size(), 4u);
  EXPECT_EQ(kernels_of(set, "more"), (std::vector<std::string>{"kg_less_f16", "kg_less_f16_strided",
                                                               "kg_less_f32", "kg_less_f32_strided"}));
  EXPECT_EQ(set.operations.at(0).state(), 0u);
  EXPECT_EQ(set.operations.at(1).state(), 1u);
}

}  // namespace
}  // namespace kernelgen::tool
