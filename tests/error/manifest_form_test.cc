// Every error about an operation's "reduce" and "row".
#include "manifest_fixture.hpp"

namespace kernelgen::tool {
namespace {

/// What is wrong with a manifest, and a part of what is said of it.
struct Wrong {
  const char* name;
  std::string manifest;
  std::vector<std::string> parts;
};
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.name; }

const std::vector<Wrong> cases = {
    {"NoCombine",
     map_with(R"("reduce": {"identity": "0"})"),
     {"m/a.json: /operations/0/reduce: needs 'identity' and 'combine', as in {\"identity\": \"0\", \"of\": "
      "\"x * "
      "x\", \"combine\": \"a + b\", \"finish\": \"sqrt(total)\"}; or a 'functor'"}},
    {"UnknownKey",
     map_with(R"("reduce": {"identity": "0", "combine": "a + b", "finsh": "total"})"),
     {"/operations/0/reduce/finsh: unknown key 'finsh' (did you mean 'finish'?)"}},
    {"WrongExpression",
     map_with(R"("reduce": {"identity": "0", "combine": "a +"})"),
     {"/operations/0/reduce/combine: combine: column 4: the expression ends where a value is expected"}},
    {"WrongName",
     map_with(R"("reduce": {"identity": "0", "of": "z", "combine": "a + b"})"),
     {"/operations/0/reduce/of: of: column 1: there is no operand 'z'", "operands: x;"}},
    {"NoShell",
     map_with(R"j("reduce": {"identity": "0", "combine": "a + b; system(1)"})j"),
     {"/operations/0/reduce/combine: combine: column 6"}},
    {"ReductionOfTwo",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T", "z: T"], "output": "T",
      "reduce": {"identity": "0", "combine": "a + b"})"),
     {"/operations/0/reduce: a reduction takes one input, not 2"}},
    {"ReductionWithScalars",
     map_with(R"("scalars": ["s: T"], "reduce": {"identity": "0", "combine": "a + b"})"),
     {"/operations/0/reduce: a reduction takes no scalars"}},
    {"ReductionOfOneDtype",
     operation(
         R"("op": "f", "inputs": ["x: f32"], "output": "f32", "reduce": {"identity": "0", "combine": "a"})"),
     {"needs one type variable, which its input has: \"types\": {\"T\": [\"f32\"]}"}},
    {"ReductionOfBlocks",
     operation(R"("op": "f", "types": {"T": "quantized"}, "inputs": ["x: T"], "output": "f32",
      "reduce": {"identity": "0", "combine": "a + b"})"),
     {"type variable 'T' has types that cannot be reduced"}},
    {"TwoWays",
     map_with(R"("expr": "x", "reduce": {"identity": "0", "combine": "a + b"})"),
     {"/operations/0/reduce: is given with 'expr'; an operation is computed in one way"}},
    {"TakenForm",
     map_with(R"j("reduce": {"identity": "0", "combine": "a + b"},
      "forms": {"rows": {"args": ["n: u64"], "body": "g(n)"}})j"),
     {"/operations/0/forms/rows: form 'rows' is already made from the reduction"}},
    {"FunctorWithoutState",
     map_with(R"("reduce": {"functor": "Sum"})"),
     {"/operations/0/reduce: key 'state' is missing"}},
    {"UnknownState",
     map_with(R"("reduce": {"functor": "Sum", "state": "sun"})"),
     {"unknown kind of partial results 'sun' (did you mean 'sum'?)"}},
    {"FunctorIsNoName",
     map_with(R"("reduce": {"functor": "Sum<T>", "state": "sum"})"),
     {"/operations/0/reduce/functor: 'Sum<T>' is not a C identifier"}},
    {"FunctorAndExpression",
     map_with(R"("reduce": {"functor": "Sum", "state": "sum", "of": "x"})"),
     {"/operations/0/reduce/of: is given with 'functor'; a reduction is a functor or expressions"}},
    {"StateOfExpressions",
     map_with(R"("reduce": {"identity": "0", "combine": "a + b", "state": "sum"})"),
     {"/operations/0/reduce/state: is for a functor"}},

    {"RowIsNoArray",
     map_with(R"("row": "y = x")"),
     {"/operations/0/row: must be an array of steps, as [\"top = max(x)\""}},
    {"RowOfNothing", map_with(R"("row": [])"), {"/operations/0/row: must be an array of steps"}},
    {"NoName",
     map_with(R"("row": ["x + 1"])"),
     {"/operations/0/row/0: 'x + 1' must be \"NAME = EXPRESSION\", as in [\"top = max(x)\""}},
    {"NoResult",
     map_with(R"("row": ["z = x + 1"])"),
     {"/operations/0/row/0: the last step must be \"y = …\", the result; not 'z'"}},
    {"ResultTooEarly",
     map_with(R"("row": ["y = x + 1", "y = y"])"),
     {"/operations/0/row/0: 'y' is the result, which the last step gives"}},
    {"Replaced",
     map_with(R"j("row": ["e = exp(x)", "y = e / x"])j"),
     {"/operations/0/row/1: column 9: there is no operand 'x'",
      "'e' took the place of 'x': a row is held once"}},
    {"OperandTooEarly",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T", "w: T"], "output": "T",
      "row": ["e = x * w", "y = e"])"),
     {"/operations/0/row/0: column 9: there is no operand 'w'", "'w' can be read by the last step only"}},
    {"ReductionInside",
     map_with(R"j("row": ["e = x - max(x)", "y = e"])j"),
     {"/operations/0/row/0: 'max' must be a step by itself: \"s = max(…)\", then an expression of s"}},
    {"ReductionWithMore",
     map_with(R"j("row": ["e = max(x) - x", "y = e"])j"),
     {"/operations/0/row/0: 'max' must be a step by itself: \"s = max(…)\""}},
    {"ReductionOfAReduction",
     map_with(R"j("row": ["e = sum(x - max (x))", "y = e"])j"),
     {"/operations/0/row/0: 'max' must be a step by itself"}},
    {"ReductionInTheResult",
     map_with(R"j("row": ["y = sum(x)"])j"),
     {"/operations/0/row/0: 'sum' must be a step by itself"}},
    {"DefinedTwice",
     map_with(R"j("row": ["s = sum(x)", "s = max(x)", "y = x"])j"),
     {"/operations/0/row/1: 's' is defined twice"}},
    {"TakenName",
     map_with(R"j("row": ["row_1 = sum(x)", "y = x"])j"),
     {"/operations/0/row/0: 'row_1' is taken: the generated source has another meaning for it"}},
    {"RowOfIntegers",
     operation(R"("op": "f", "types": {"T": "I"}, "inputs": ["x: T"], "output": "T", "row": ["y = x"])"),
     {"type variable 'T' has types other than floats"}},
    {"RowWithAnotherResult",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T"], "output": "f32", "row": ["y = x"])"),
     {"needs one type variable, which its inputs and its output have"}},
};

class FormError : public testing::TestWithParam<Wrong> {};

TEST_P(FormError, Says) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", GetParam().manifest);
  const std::string said = complaints(disk);
  for (const std::string& part : GetParam().parts)
    EXPECT_NE(said.find(part), said.npos) << part << "\nin " << said;
}

INSTANTIATE_TEST_SUITE_P(Operation, FormError, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(FormErrors, NoneOfRightOnes) {
  for (
      const char* way :
      {R"j("reduce": {"identity": "lowest", "of": "abs(x)", "combine": "maximum(a, b)", "finish": "total / count"})j",
       R"j("reduce": {"functor": "reduction::sum", "state": "sum"})j",
       R"j("row": ["top = max(x)", "e = exp(x - top)", "total = sum(e)", "y = e / total"])j"}) {
    MemoryDisk disk;
    fill(disk).add("m/a.json", map_with(way));
    EXPECT_EQ(complaints(disk), "");
  }
}

}  // namespace
}  // namespace kernelgen::tool
