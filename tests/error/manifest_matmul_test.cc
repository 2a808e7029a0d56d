// Every error about an operation's "matmul".
#include "manifest_form_case.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<Wrong> cases = {
    {"MatmulOfOne",
     map_with(R"("matmul": {"epilogue": "total"})"),
     {"m/a.json: /operations/0/matmul: takes two matrices, then one tensor that the epilogue may read, as in "
      "\"types\": {\"T\": \"F\"}, \"inputs\": [\"x: T\", \"w: T\", \"bias: T\"], \"matmul\": "
      "{\"epilogue\": \"relu(total + bias)\"}"}},
    {"MatmulOfTwoTypes",
     operation(R"("op": "f", "types": {"T": "F", "U": "F"}, "inputs": ["x: T", "w: U"], "output": "T",
      "matmul": {"epilogue": "total"})"),
     {"/operations/0/matmul: the two matrices must have one type variable, as in \"types\""}},
    {"MatmulOfIntegers",
     operation(R"("op": "f", "types": {"T": ["i32"]}, "inputs": ["x: T", "w: T"], "output": "T",
      "matmul": {"epilogue": "total"})"),
     {"/operations/0/matmul: type variable 'T' has i32, which is no float"}},
    {"MatmulOfTooMany",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T", "w: T", "b: T", "r: T"], "output": "T",
      "matmul": {"epilogue": "total + b + r"})"),
     {"/operations/0/inputs: has 4 entries; at most 3 are possible"}},
    {"MatmulWithoutEpilogue",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T", "w: T"], "output": "T", "matmul": {})"),
     {"/operations/0/matmul: needs an 'epilogue', as in \"types\""}},
    {"MatmulWithAPrologue",
     operation(R"j("op": "f", "types": {"T": "F"}, "inputs": ["x: T", "w: T"], "output": "T",
      "matmul": {"prologue": "relu(x)", "epilogue": "total"})j"),
     {"/operations/0/matmul/prologue: unknown key 'prologue'"}},
    {"EpilogueReadsAMatrix",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T", "w: T"], "output": "T",
      "matmul": {"epilogue": "total + x"})"),
     {"/operations/0/matmul/epilogue: epilogue: column 9: there is no operand 'x'", "operands: total;"}},
    {"EpilogueOfATakenName",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T", "w: T", "total: T"], "output": "T",
      "matmul": {"epilogue": "total"})"),
     {"/operations/0/matmul: the name 'total' is taken: it is the element of the product in the epilogue"}},
    {"TakenMatmulForm",
     operation(R"j("op": "f", "types": {"T": "F"}, "inputs": ["x: T", "w: T"], "output": "T",
      "matmul": {"epilogue": "total"}, "forms": {"tiled": {"args": ["n: u64"], "body": "g(n)"}})j"),
     {"/operations/0/forms/tiled: form 'tiled' is already made from the matmul"}},
};

INSTANTIATE_TEST_SUITE_P(Matmul, FormError, testing::ValuesIn(cases), name_of_wrong);

TEST(MatmulErrors, NoneOfRightOnes) {
  MemoryDisk disk;
  fill(disk).add(
      "m/a.json",
      operation(R"("op": "f", "types": {"T": "F", "U": "all"}, "inputs": ["x: T", "w: T", "bias: U"],
      "output": "f32", "scalars": ["scale: f64", "k: U"], "matmul": {"epilogue": "total * scale + bias / k"})"));
  EXPECT_EQ(complaints(disk), "");
}

}  // namespace
}  // namespace kernelgen::tool
