// Every error about an operation's "reduce", "row", "scan", "index", "body" and "reference".
#include "manifest_form_case.hpp"

namespace kernelgen::tool {
namespace {

/// Of one input, without "output".
std::string without_output(const std::string& members) {
  return operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T"], )" + members);
}
std::string body(const std::string& members) {
  return without_output(R"("body": {"outputs": ["y: T = [x]"], )" + members + "}");
}

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
    {"FunctorOfTwo",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T", "z: T"], "output": "T",
      "reduce": {"functor": "Sum", "state": "sum"})"),
     {"/operations/0/reduce: a reduction by a functor takes one input, not 2"}},
    {"ReductionOfTwoTypes",
     operation(R"("op": "f", "types": {"T": "F", "U": "I"}, "inputs": ["x: T", "w: U"], "output": "T",
      "reduce": {"identity": "0", "of": "x * w", "combine": "a + b"})"),
     {"needs one type variable, which its inputs have: \"types\": {\"T\": [\"f32\"]}, \"inputs\": [\"x: T\", "
      "\"w: T\"], \"reduce\": {\"identity\": \"0\", \"of\": \"x * w\""}},
    {"ReductionOfATakenName",
     map_with(R"("scalars": ["count: T"], "reduce": {"identity": "0", "combine": "a + b"})"),
     {"/operations/0/reduce: the name 'count' is taken by the expressions of a reduction: give the operand "
      "another "
      "one, as in \"inputs\""}},
    {"ReductionOfOneDtype",
     operation(
         R"("op": "f", "inputs": ["x: f32"], "output": "f32", "reduce": {"identity": "0", "combine": "a"})"),
     {"needs one type variable, which its inputs have: \"types\": {\"T\": [\"f32\"]}"}},
    {"ReductionOfBlocks",
     operation(R"("op": "f", "types": {"T": "quantized"}, "inputs": ["x: T"], "output": "f32",
      "reduce": {"identity": "0", "combine": "a + b"})"),
     {"type variable 'T' has types that cannot be combined"}},
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
    {"CountIsNotOne",
     map_with(R"("reduce": {"functor": "Sum", "state": "sum", "count": "2"})"),
     {"/operations/0/reduce/count: is \"1\": what kernels take instead of the number of elements"}},
    {"CountOfExpressions",
     map_with(R"("reduce": {"identity": "0", "combine": "a + b", "count": "1"})"),
     {"/operations/0/reduce/count: is for a functor"}},

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
    {"TakenScalar",
     map_with(R"j("scalars": ["finish: f32"], "row": ["s = sum(x)", "y = x - finish"])j"),
     {"/operations/0/row: 'finish' is taken: the generated source has another meaning for it"}},
    {"NameOfAReduction",
     map_with(R"j("row": ["Max = max(x)", "y = x - Max"])j"),
     {"/operations/0/row/0: 'Max' is taken: the generated source has another meaning for it"}},
    {"TwoNumbersOfASum",
     map_with(R"j("row": ["a, b = sum(x)", "y = x"])j"),
     {"/operations/0/row/0: only sum_exp and moments give two numbers, as in \"top, total = sum_exp(x)\""}},
    {"OneNumberOfMoments",
     map_with(R"j("row": ["m = moments(x)", "y = x"])j"),
     {"/operations/0/row/0: 'moments' gives two numbers of the elements: \"mean, variance = moments(x)\""}},
    {"SumOfExpOfAnExpression",
     map_with(R"j("row": ["top, total = sum_exp(x + x)", "y = x"])j"),
     {"/operations/0/row/0: 'sum_exp' gives two numbers of the elements: \"top, total = sum_exp(x)\""}},
    {"LongOfSeveralReductions",
     map_with(R"j("row": {"steps": ["y = x"], "long": ["top = max(x)", "s = sum(x)", "y = x - top"]})j"),
     {"/operations/0/row/long: is for rows in parts, so all steps but the first and the last give numbers, "
      "as in [\"top, total = "}},
    {"LongOfNoReduction",
     map_with(R"j("row": {"steps": ["y = x"], "long": ["y = x"]})j"),
     {"/operations/0/row/long: is for rows in parts, so the first step is a reduction, as in "}},
    {"LongOfScalars",
     map_with(
         R"j("scalars": ["s: T"], "row": {"steps": ["y = x"], "long": ["t = sum(x * s)", "y = x - t"]})j"),
     {"/operations/0/row/long: is for rows in parts, so the first step reduces the elements and numbers that "
      "are written out"}},
    {"SharedFirst",
     map_with(R"j("row": {"steps": ["y = x"], "shared": ["x"]})j"),
     {"/operations/0/row/shared/0: 'x' is not an input but the first"}},
    {"RowWithoutSteps",
     map_with(R"j("row": {"long": ["t = sum(x)", "y = t"]})j"),
     {"/operations/0/row: key 'steps' is missing"}},
    {"RowOfIntegers",
     operation(R"("op": "f", "types": {"T": "I"}, "inputs": ["x: T"], "output": "T", "row": ["y = x"])"),
     {"type variable 'T' has types other than floats"}},
    {"RowWithAnotherResult",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T"], "output": "f32", "row": ["y = x"])"),
     {"needs one type variable, which its inputs and its output have"}},

    {"ScanWithoutCombine",
     map_with(R"("scan": {"identity": "0"})"),
     {"/operations/0/scan: needs 'identity' and 'combine'"}},
    {"ScanWithScalars",
     map_with(R"("scalars": ["s: T"], "scan": {"identity": "0", "combine": "a + b"})"),
     {"/operations/0/scan: a scan takes no scalars"}},
    {"ScanOfATakenName",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["lists: T"], "output": "T",
      "scan": {"identity": "0", "combine": "a + b"})"),
     {"/operations/0/scan: the name 'lists' is taken"}},
    {"IndexWithoutSet",
     without_output(R"("index": {"output": "y: T = [x[0]]"})"),
     {"/operations/0/index: needs 'output' and 'set', as in {\"output\": \"y: T = [ids[0], x[1]]\""}},
    {"IndexWithOutput",
     map_with(R"("index": {"output": "y: T = [x[0]]", "set": "y[i] = x[i]"})"),
     {"/operations/0/output: is given with 'index', which says what the operation gives"}},
    {"IndexOfNoTensor",
     without_output(R"("index": {"output": "y: T = [x[0]]", "set": "y[i] = z[i]"})"),
     {"/operations/0/index/set: column 8: there is no operand 'z'"}},
    {"IndexWithoutIndices",
     without_output(R"("index": {"output": "y: T = [x[0]]", "set": "y[i] = x"})"),
     {"/operations/0/index/set: column 8: 'x' is a tensor: its elements are x[i], x[i, j]"}},
    {"IndexOfOtherRank",
     without_output(R"("index": {"output": "y: T = [x[0]]", "set": "y[i] = x[i] + x[i, 0]"})"),
     {"/operations/0/index/set: column 15: x has 2 indices here, but 1 before"}},
    {"IndexOfAnotherOutput",
     without_output(R"("index": {"output": "y: T = [x[0]]", "set": "y[i, j] = x[i]"})"),
     {"/operations/0/index/set: y has 2 indices; its output has rank 1"}},
    {"IndexOfExpressions",
     without_output(R"("index": {"output": "y: T = [x[0]]", "set": "y[i + 1] = x[i]"})"),
     {"/operations/0/index/set: 'i + 1' is not the name of an index; a scatter has loops 'over' extents, as "
      "in "
      "{\"output\""}},
    {"GatherAdds",
     without_output(R"("index": {"output": "y: T = [x[0]]", "set": "y[i] += x[i]"})"),
     {"/operations/0/index/set: '+=' is for a scatter"}},
    {"IndexAssignsTwice",
     without_output(R"("index": {"output": "y: T = [x[0]]", "set": "y[i] = x[i] = 2"})"),
     {"/operations/0/index/set: column 13: assignments are not allowed"}},
    {"NarrowSums",
     without_output(R"("index": {"output": "y: T = [4]", "over": ["i = x[0]"], "set": "y[i] += x[i]"})"),
     {"/operations/0/index: '+=' takes outputs of u32, i32, i64, f32 and f64, not bf16"}},
    {"UnknownOutside",
     without_output(R"("index": {"output": "y: T = [x[0]]", "set": "y[i] = x[i]", "outside": "edges"})"),
     {"/operations/0/index/outside: unknown word 'edges' (did you mean 'edge'?)"}},
    {"WindowWithoutLoops",
     without_output(R"("index": {"output": "y: T = [x[0]]", "set": "y[i] = x[i]",
      "reduce": {"identity": "0", "combine": "a + b"}})"),
     {"/operations/0/index/reduce: needs the loops 'over' whose values are combined for an element of the "
      "result, as "
      "in {\"output\": \"y: T = [x[0] - 2]\""}},
    {"SkipsWithoutWindow",
     without_output(R"("index": {"output": "y: T = [x[0]]", "set": "y[i] = x[i]", "outside": "skip"})"),
     {"/operations/0/index/outside: 'skip' leaves elements out of a reduction, as in {\"output\""}},
    {"IndexIntoTheShell",
     without_output(R"j("index": {"output": "y: T = [x[0]]", "set": "y[i] = system(\"ls\")[0]"})j"),
     {"/operations/0/index/set: column 15: '\"' is not allowed"}},

    {"BodyOfNothing",
     without_output(R"("body": {})"),
     {"/operations/0/body: key 'outputs' is missing; a body is {\"numbers\": [\"n = size(x)\"]"}},
    {"NoLaunch",
     body(R"("launches": [])"),
     {"/operations/0/body: needs 'launches', an array, as in {\"numbers\""}},
    {"NoGrid",
     body(R"j("launches": [{"call": "g(x, y)"}])j"),
     {"/operations/0/body/launches/0: key 'grid' is missing: the number of blocks, as \"ceil_div(n, "
      "threads)\""}},
    {"NoCall",
     body(R"j("launches": [{"call": "x + y", "grid": "1"}])j"),
     {"/operations/0/body/launches/0/call: 'x + y' must be a call of a function with names of tensors and "
      "numbers, as "
      "\"sum_tiles<TILE, {T}>(x, y, n)\""}},
    {"CallOfACall",
     body(R"j("launches": [{"call": "g(h(x), y)", "grid": "1"}])j"),
     {"/operations/0/body/launches/0/call: 'g(h(x), y)' must be a call"}},
    {"UnknownArgument",
     body(R"j("launches": [{"call": "g(x, yy)", "grid": "1"}])j"),
     {"/operations/0/body/launches/0/call: argument 'yy' is neither a tensor nor a number: there are x, y, "
      "units, "
      "wave, cpu"}},
    {"UnknownTemplateArgument",
     body(R"j("launches": [{"call": "g<x>(x, y)", "grid": "1"}])j"),
     {"template argument 'x' is not a constant, whole number or {type variable}"}},
    {"GridOfNothing",
     body(R"j("launches": [{"call": "g(x, y)", "grid": "ceil_div(x[0], )"}])j"),
     {"/operations/0/body/launches/0/grid: column 16: ')' is not expected; a value is"}},
    {"GridOfFourDims",
     body(R"j("launches": [{"call": "g(x, y)", "grid": "1, 2, 3, 4"}])j"),
     {"/operations/0/body/launches/0/grid: has 4 entries; grid has at most 3"}},
    {"GridOfATensor",
     body(R"j("launches": [{"call": "g(x, y)", "grid": "x"}])j"),
     {"/operations/0/body/launches/0/grid: column 1: 'x' stands for several dims where a number is "
      "expected"}},
    {"UnknownNumber",
     body(R"j("numbers": ["n = x[0] * m"], "launches": [{"call": "g(x, y)", "grid": "n"}])j"),
     {"/operations/0/body/numbers/0: column 12: there is no 'm'",
      "names: x, units, wave, cpu; functions: min, max"}},
    {"TakenNumber",
     body(R"j("numbers": ["x = 1"], "launches": [{"call": "g(x, y)", "grid": "1"}])j"),
     {"/operations/0/body/numbers/0: the name 'x' is taken"}},
    {"NumberIsNoStatement",
     body(R"j("numbers": ["n; launch"], "launches": [{"call": "g(x, y)", "grid": "1"}])j"),
     {"/operations/0/body/numbers/0: 'n; launch' must be \"NAME = EXPRESSION\""}},
    {"NestedDeep",
     body(R"j("requires": [")j" + std::string(100, '(') +
          R"j("], "launches": [{"call": "g(x, y)", "grid": "1"}])j"),
     {"/operations/0/body/requires/0: column 51: the expression is nested more than 50 levels deep"}},
    {"WorkspaceOfAnUnknownType",
     body(R"j("workspace": ["w: f23 = [4]"], "launches": [{"call": "g(x, y)", "grid": "1"}])j"),
     {"/operations/0/body/workspace/0: unknown type 'f23' (did you mean 'f32'?)"}},
    {"BodyZerosOfBlocks",
     body(R"j("zeros": ["w: q4_0 = [4]"], "launches": [{"call": "g(x, y)", "grid": "1"}])j"),
     {"/operations/0/body/zeros/0: 'q4_0' is not a dtype of plain elements"}},
    {"BodyRawOutput",
     without_output(
         R"j("body": {"outputs": ["y: b64 = [x]"], "launches": [{"call": "g(x, y)", "grid": "1"}]})j"),
     {"/operations/0/body/outputs/0: 'b64' is not a dtype of plain elements; workspaces alone may have raw "
      "ones"}},
    {"BodyNumberOfAType",
     body(R"j("numbers": ["n: f32 = x[0]"], "launches": [{"call": "g(x, y)", "grid": "1"}])j"),
     {"/operations/0/body/numbers/0: a number is i32, u32, i64 or u64, not 'f32'"}},
    {"BodyLoopWithoutName",
     body(R"j("launches": [{"call": "g(x, y)", "grid": "1", "for": "4"}])j"),
     {"/operations/0/body/launches/0/for: '4' must be \"NAME = EXPRESSION\", as \"pass = ceil_div(n, 8)\""}},
    {"BodyLoopOfATakenName",
     body(R"j("launches": [{"call": "g(x, y)", "grid": "1", "for": "x = 4"}])j"),
     {"/operations/0/body/launches/0/for: the name 'x' is taken"}},
    {"BodyLoopIsOfItsLaunch",
     body(
         R"j("launches": [{"call": "g(x, y)", "grid": "1", "for": "i = 4"}, {"call": "g(x, y)", "grid": "i"}])j"),
     {"/operations/0/body/launches/1/grid: column 1: there is no 'i'"}},
    {"OutputOfAnUnknownType",
     without_output(R"("index": {"output": "y: U = [x[0]]", "set": "y[i] = x[i]"})"),
     {"/operations/0/index/output: unknown type 'U'"}},
    {"IndexOfRawElements",
     operation(R"("op": "f", "types": {"T": "width"}, "inputs": ["x: T"],
      "index": {"output": "y: T = [x[0]]", "set": "y[i] = x[i]"})"),
     {"/operations/0/index: type variable 'T' has types that are no numbers"}},
    {"NumberOfATypesName",
     body(R"j("numbers": ["f32 = 1"], "launches": [{"call": "g(x, y)", "grid": "1"}])j"),
     {"/operations/0/body/numbers/0: 'f32' is the name of a type"}},
    {"VariableThatNothingHas",
     operation(
         R"j("op": "f", "types": {"T": "F", "U": "F"}, "inputs": ["x: T"], "body": {"outputs": ["y: T = [x]"],
      "launches": [{"call": "g(x, y)", "grid": "1"}]})j"),
     {"/operations/0: type variable 'U' is the type of no input, scalar or output"}},
    {"ConstantOfAnUnknownTarget",
     body(
         R"j("constants": {"N": {"default": 1, "amd": 2}}, "launches": [{"call": "g(x, y)", "grid": "1"}])j"),
     {"/operations/0/body/constants/N/amd: 'amd' is not a target: use \"default\", \"cpu\", a GPU of AMD"}},
};

const std::vector<Wrong> references = {
    {"UnknownFunction",
     map_with(R"j("expr": "x", "reference": "np.exq(x)")j"),
     {"m/a.json: /operations/0/reference: column 4: there is no function 'exq'; did you mean 'exp'?; names: "
      "x; "
      "functions: abs"}},
    {"UnknownName",
     map_with(R"j("expr": "x", "reference": "z + 1")j"),
     {"/operations/0/reference: column 1: there is no name 'z'"}},
    {"NoShell",
     map_with(R"j("expr": "x", "reference": "__import__('os').system('ls')")j"),
     {"/operations/0/reference: column 12: ''' is not allowed"}},
    {"UnknownAttribute",
     map_with(R"j("expr": "x", "reference": "x.__class__")j"),
     {"/operations/0/reference: column 3: there is no attribute '__class__'; attributes: shape, size, ndim, "
      "T"}},
    {"MissingArgument",
     map_with(R"j("expr": "x", "reference": "np.where(x > 0, x)")j"),
     {"/operations/0/reference: column 4: where lacks 'y'; it takes (condition, x, y)"}},
    {"UnknownArgument",
     map_with(R"j("expr": "x", "reference": "np.sum(x, axs=0)")j"),
     {"/operations/0/reference: column 4: sum has no 'axs'; it takes (a, axis, keepdims)"}},
    {"Unfinished",
     map_with(R"j("expr": "x", "reference": "np.exp(x")j"),
     {"/operations/0/reference: column 9: the expression ends where ')' is expected"}},
    {"DrawOfNothing",
     map_with(R"j("expr": "x", "reference": {"expr": "x", "draw": {"z": "[m]"}})j"),
     {"/operations/0/reference/draw/z: there is no input or scalar 'z'"}},
    {"DrawOfAnUnknownDim",
     map_with(R"j("expr": "x", "reference": {"expr": "x", "draw": {"x": "[m, k + 1]"}})j"),
     {"/operations/0/reference/draw/x: 'x' is not drawn as [m, k + 1]: column 1: there is no 'k'",
      "as in {\"expr\": \"np.take"}},
    {"DrawOfHalfARange",
     map_with(R"j("expr": "x", "reference": {"expr": "x", "draw": {"x": "from 1"}})j"),
     {"/operations/0/reference/draw/x: 'x' is not drawn as from 1: values are \"from LOW to HIGH\""}},
    {"ToleranceOfNothing",
     map_with(R"j("expr": "x", "reference": {"expr": "x", "tolerance": 0})j"),
     {"/operations/0/reference/tolerance: must be a number between 0 and 1"}},
    {"NoExpression",
     map_with(R"j("expr": "x", "reference": {"tolerance": 0.5})j"),
     {"/operations/0/reference: key 'expr' is missing"}},
    {"OneOfTwoResults",
     without_output(
         R"j("body": {"outputs": ["y: T = [x]", "z: T = [x]"], "launches": [{"call": "g(x, y, z)", "grid": "1"}]},
      "reference": "x")j"),
     {"/operations/0/reference: the operation has 2 results: give an object with an expression for each"}},
};

TEST_P(FormError, Says) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", GetParam().manifest);
  const std::string said = complaints(disk);
  for (const std::string& part : GetParam().parts)
    EXPECT_NE(said.find(part), said.npos) << part << "\nin " << said;
}

INSTANTIATE_TEST_SUITE_P(Operation, FormError, testing::ValuesIn(cases), name_of_wrong);
INSTANTIATE_TEST_SUITE_P(Reference, FormError, testing::ValuesIn(references), name_of_wrong);

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
  for (
      const char* way :
      {R"j("index": {"output": "y: T = [x[0]]", "set": "y[i] = x[i - 1] == x[i + 1] ? 0 : x[i]", "outside": "wrap"})j",
       R"j("body": {"constants": {"N": {"default": 1, "cpu": 2, "gfx9-4-generic": 3, "sm_90": 4}}, "requires": ["rank(x) > 1"],
           "numbers": ["n = size(x[1:-1])"], "outputs": ["y: T = [x[:-1], n]", "z: u32 = []"], "workspace": ["w: f32 = [2 * N]"],
           "launches": [{"call": "own::g<N, {T}, 4>(x, y, z, w, n)", "grid": "ceil_div(n, threads), 1", "threads": "64",
                         "block": 64, "shared": "threads * 4", "if": "n % 2 == 0"}]})j"}) {
    MemoryDisk disk;
    fill(disk).add("m/a.json", without_output(way));
    EXPECT_EQ(complaints(disk), "");
  }
}

}  // namespace
}  // namespace kernelgen::tool
