// Every error about an operation of a manifest: types, operands, expression.
#include <fmt/format.h>

#include "manifest_fixture.hpp"

namespace kernelgen::tool {
namespace {

/// What follows the name that an expression must not use.
const std::string vocabulary =
    "; operands: x; functions: abs, add, ceil, copysign, cos, div, elu, erf, exp, expm1, floor, fma, gelu, "
    "gelu_erf, gelu_quick, log, maximum, minimum, mul, neg, normcdf, pow, recip, relu, round, sigmoid, sign, "
    "silu, sin, softplus, sqr, sqrt, sub, "
    "tanh; casts: u8, u32, i16, i32, i64, bf16, f16, f32, f64, f8e4m3";

const std::vector<Case> cases = {
    // Operations
    {"UnknownKey", map_with(R"("exprr": "x", "expr": "x")"),
     "/operations/0/exprr: unknown key 'exprr' (did you mean 'expr'?)"},
    {"WrongType", map_with(R"("expr": 3)"), "/operations/0/expr: must be a string, not number"},
    {"NoOp", operation(R"("types": {"T": "F"}, "inputs": ["x: T"], "output": "T", "expr": "x")"),
     "/operations/0: key 'op' is missing"},
    {"OpIsNoIdentifier", operation(R"("op": "2exp", "types": {"T": "F"}, "inputs": ["x: T"], "output": "T",
      "expr": "x")"),
     "/operations/0/op: '2exp' is not a C identifier (letters, digits and '_', no digit first)"},
    {"OpIsKeyword",
     operation(R"("op": "and", "types": {"T": "F"}, "inputs": ["x: T"], "output": "T", "expr": "x")"),
     "/operations/0/op: 'and' is a keyword of C or C++"},
    {"NoOutput", operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T"], "expr": "x")"),
     "/operations/0: key 'output' is missing"},
    {"OpIsTheCompilers",
     operation(R"("op": "__DATE__", "types": {"T": "F"}, "inputs": ["x: T"], "output": "T", "expr": "x")"),
     "/operations/0/op: '__DATE__' is reserved for the compiler, as all names with '__', or '_' and a "
     "capital in "
     "front"},
    {"NoForms", map_with(R"("forms": {})"),
     "/operations/0: needs an expr, a reduce, a row, a scan, an index, a body, a matmul or forms: nothing "
     "says how it "
     "is computed"},
    {"NeitherExprNorForms", map_with(R"("doc": "")"),
     "/operations/0: needs an expr, a reduce, a row, a scan, an index, a body, a matmul or forms: nothing "
     "says how it "
     "is computed"},
    {"ExprWithoutInputs", operation(R"("op": "f", "types": {"T": "F"}, "output": "T", "expr": "1")"),
     "/operations/0: an operation with an expr needs at least one input"},
    {"FourInputs", operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["a: T", "b: T", "c: T", "d: T"],
      "output": "T", "expr": "a")"),
     "/operations/0/inputs: has 4 entries; at most 3 are possible"},
    {"NineScalars", map_with(R"("scalars": ["a: T", "b: T", "c: T", "d: T", "e: T", "f: T", "g: T", "h: T",
      "i: T"], "expr": "x")"),
     "/operations/0/scalars: has 9 entries; at most 8 are possible"},
    {"BlockTooLarge", map_with(R"("expr": "x", "block": 2048)"),
     "/operations/0/block: must be a whole number from 1 to 1024, not 2048"},
    {"UnknownOccupancy",
     map_with(
         R"j("expr": "x", "forms": {"w": {"args": ["n: u64"], "body": "g(n)", "occupancy": "two_block"}})j"),
     "/operations/0/forms/w/occupancy: unknown occupancy 'two_block' (did you mean 'two_blocks'?)"},
    {"UnknownBudget", map_with(R"("expr": "x", "budget": {"vgpr": 3})"),
     "/operations/0/budget/vgpr: unknown key 'vgpr' (did you mean 'vgprs'?)"},
    {"TwoOperations", R"j({"module": "a", "header": "unary.hpp", "operations": [
      {"op": "f", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x"},
      {"op": "f", "types": {"T": ["f64"]}, "inputs": ["x: T"], "output": "T", "expr": "x"}]})j",
     "/operations/1: operation 'f' is already made by m/a.json: /operations/0"},
    // Types
    {"UnknownSet",
     operation(R"("op": "f", "types": {"T": "al"}, "inputs": ["x: T"], "output": "T", "expr": "x")"),
     "/operations/0/types/T: unknown set of dtypes 'al' (did you mean 'all'?)"},
    {"DtypeAsSet",
     operation(R"("op": "f", "types": {"T": "f32"}, "inputs": ["x: T"], "output": "T", "expr": "x")"),
     R"(/operations/0/types/T: 'f32' is not a set of dtypes; write ["f32"] for that dtype alone)"},
    {"UnknownDtype",
     operation(R"("op": "f", "types": {"T": ["f32", "float16"]}, "inputs": ["x: T"], "output": "T",
      "expr": "x")"),
     "/operations/0/types/T/1: unknown dtype 'float16'"},
    {"NearDtype", operation(R"("op": "f", "types": {"T": ["fp16"]}, "inputs": ["x: T"], "output": "T",
      "expr": "x")"),
     "/operations/0/types/T/0: unknown dtype 'fp16' (did you mean 'f16'?)"},
    {"DtypeTwice", operation(R"("op": "f", "types": {"T": ["f32", "f32"]}, "inputs": ["x: T"], "output": "T",
      "expr": "x")"),
     "/operations/0/types/T/1: dtype 'f32' is listed twice"},
    {"NoDtypes",
     operation(R"("op": "f", "types": {"T": []}, "inputs": ["x: T"], "output": "T", "expr": "x")"),
     "/operations/0/types/T: lists no dtype"},
    {"VariableNamedAsType",
     operation(R"("op": "f", "types": {"f32": "F"}, "inputs": ["x: f32"], "output": "f32",
      "expr": "x")"),
     "/operations/0/types/f32: 'f32' is the name of a type"},
    {"FourVariables", operation(R"("op": "f", "types": {"A": "F", "B": "F", "C": "F", "D": "F"},
      "inputs": ["a: A", "b: B", "c: C"], "output": "D", "expr": "a")"),
     "/operations/0/types: has 4 type variables; at most 3 are possible"},
    {"RawInput", operation(R"("op": "f", "inputs": ["x: b32"], "output": "f32", "expr": "x")"),
     "/operations/0/inputs/0: 'b32' is not a dtype, so no tensor or scalar can be of it; a type variable of "
     "[\"b32\"] takes every dtype of that width"},
    {"RawOutput", operation(R"("op": "f", "inputs": ["x: f32"], "output": "b8", "expr": "x")"),
     "/operations/0/output: 'b8' is not a dtype, so no tensor or scalar can be of it; a type variable of "
     "[\"b8\"] takes every dtype of that width"},
    {"UnusedVariable",
     operation(R"("op": "f", "types": {"T": "F", "U": "F"}, "inputs": ["x: T"], "output": "T",
      "expr": "x")"),
     "/operations/0: type variable 'U' is the type of no input, scalar or output"},
    {"UnknownVariable",
     operation(R"("op": "f", "types": {"Value": "F"}, "inputs": ["x: Valu"], "output": "Value",
      "expr": "x")"),
     "/operations/0/inputs/0: unknown type 'Valu' (did you mean 'Value'?)"},
    {"UnknownOutput", operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T"], "output": "f3",
      "expr": "x")"),
     "/operations/0/output: unknown type 'f3' (did you mean 'f32'?)"},
    // Operands
    {"NoColon", operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x"], "output": "T", "expr": "1")"),
     R"(/operations/0/inputs/0: 'x' must be "NAME: DTYPE")"},
    {"OperandIsKeyword", operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["if: T"], "output": "T",
      "expr": "1")"),
     "/operations/0/inputs/0: 'if' is a keyword of C or C++"},
    {"OperandIsType", operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["f32: T"], "output": "T",
      "expr": "1")"),
     "/operations/0/inputs/0: 'f32' is the name of a type"},
    {"OperandIsReserved", operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["n: T"], "output": "T",
      "expr": "n")"),
     "/operations/0/inputs/0: 'n' is taken: y, n and layout are every map's own"},
    {"OperandIsAMacro",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["KG_DEVICE: T"], "output": "T",
      "expr": "1")"),
     "/operations/0/inputs/0: 'KG_DEVICE' is reserved for macros of the kernels, as all names with 'KG_' in "
     "front"},
    {"OperandHidesTheEngine",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["map: T"], "output": "T",
      "expr": "map")"),
     "/operations/0/inputs/0: 'map' is taken: the generated source has another meaning for it"},
    {"OperandIsATypeParameter",
     operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["X0: T"], "output": "T",
      "expr": "X0")"),
     "/operations/0/inputs/0: 'X0' is taken: the generated source has another meaning for it"},
    {"OperandTwice", map_with(R"("scalars": ["x: T"], "expr": "x")"),
     "/operations/0: operand 'x' is given twice"},
    {"VariableOfScalarsOnly",
     operation(
         R"("op": "f", "types": {"T": "F", "S": "F"}, "inputs": ["x: T"], "scalars": ["s: S"], "output": "T",
      "expr": "x")"),
     "/operations/0: type variable 'S' is the type of scalars only, so no call could decide it; give the "
     "scalar the "
     "type of an input or of the output, or one dtype"},
    // Expressions
    {"EmptyExpr", map_with(R"("expr": " ")"),
     "/operations/0/expr: expr: column 2: the expression ends where a value is expected"},
    {"TwoLines", map_with(R"("expr": "x +\n x")"),
     "/operations/0/expr: expr: column 4: the character of code 10 is not allowed"},
    {"Tab", map_with(R"("expr": "x +\tx")"),
     "/operations/0/expr: expr: column 4: the character of code 9 is not allowed"},
    {"Statement", map_with(R"("expr": "x; x")"), "/operations/0/expr: expr: column 2: ';' is not allowed"},
    {"Brace", map_with(R"("expr": "X0{x}")"), "/operations/0/expr: expr: column 3: '{' is not allowed"},
    {"Hash", map_with(R"("expr": "#x")"), "/operations/0/expr: expr: column 1: '#' is not allowed"},
    {"Backslash", map_with(R"("expr": "x \\")"), "/operations/0/expr: expr: column 3: '\\' is not allowed"},
    {"Comment", map_with(R"("expr": "x // y")"),
     "/operations/0/expr: expr: column 4: '/' is not expected; a value is"},
    {"PointerCast", map_with(R"j("expr": "*(volatile int*)0 + x")j"),
     "/operations/0/expr: expr: column 1: '*' is not expected: there are no pointers"},
    {"Assignment", map_with(R"("expr": "x = 1")"),
     "/operations/0/expr: expr: column 3: assignments are not allowed; '==' compares"},
    {"Date", map_with(R"("expr": "x + __DATE__")"),
     "/operations/0/expr: expr: column 5: there is no operand '__DATE__'" + vocabulary},
    {"Counter", map_with(R"("expr": "x*__COUNTER__")"),
     "/operations/0/expr: expr: column 3: there is no operand '__COUNTER__'" + vocabulary},
    {"Macro", map_with(R"j("expr": "KG_KERNEL(x)")j"),
     "/operations/0/expr: expr: column 1: there is no function 'KG_KERNEL'" + vocabulary},
    {"NotAscii", map_with(R"("expr": "x·x")"),
     "/operations/0/expr: expr: column 2: the character of code 194 is not allowed"},
    {"NeverClosed", map_with(R"j("expr": "(x + (x)")j"),
     "/operations/0/expr: expr: column 9: the expression ends where ')' is expected"},
    {"NothingToClose", map_with(R"j("expr": "x) + (x")j"),
     "/operations/0/expr: expr: column 2: ')' is not expected; an operator or the end is"},
    {"CrossedBrackets", map_with(R"j("expr": "(x[0)]")j"),
     "/operations/0/expr: expr: column 3: '[' is not allowed"},
};

INSTANTIATE_TEST_SUITE_P(Operation, ManifestError, testing::ValuesIn(cases), name_of_case);

TEST(ManifestErrors, DefaultsAreComplainedOfOnce) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", R"({"module": "a", "header": "unary.hpp",
    "defaults": {"types": {"T": "F"}, "inputs": ["x: Q"], "output": "T"},
    "operations": [{"op": "f", "expr": "x"}, {"op": "g", "expr": "x"}]})");
  EXPECT_EQ(complaints(disk), "kernel-gen: error: m/a.json: /defaults/inputs/0: unknown type 'Q'");
}

TEST(ManifestErrors, ListsThatAreTooLong) {
  std::string names, keys;
  for (int i = 0; i < 5000; ++i) {
    names += fmt::format(R"("a{}: f32",)", i);
    keys += fmt::format(R"("k{}": 1,)", i);
  }
  names.pop_back();
  MemoryDisk disk;
  fill(disk).add("m/a.json", map_with(R"("expr": "x", "scalars": [)" + names + "]"));
  EXPECT_EQ(complaints(disk),
            "kernel-gen: error: m/a.json: /operations/0/scalars: has 5000 entries; at most 8 are possible");
  disk.add("m/a.json", "{" + keys + R"("module": "a"})");
  EXPECT_EQ(complaints(disk), "kernel-gen: error: m/a.json: line 1: an object has more than 4096 keys");
}

TEST(ManifestErrors, MoreKernelsThanCanBe) {
  std::string operations;
  for (int i = 0; i < 100; ++i)
    operations += fmt::format(R"({}{{"op": "op{}", "types": {{"A": "all", "B": "all", "C": "all"}},
      "inputs": ["a: A", "b: B"], "output": "C", "expr": "a"}})",
                              i == 0 ? "" : ",", i);
  MemoryDisk disk;
  fill(disk).add("m/a.json", R"({"module": "a", "header": "unary.hpp", "operations": [)" + operations + "]}");
  EXPECT_TRUE(
      complaints(disk).starts_with("kernel-gen: error: m/a.json: /operations/32: makes 2000 kernels after "
                                   "64000 before it; at most 65536 are "
                                   "possible\n"))
      << complaints(disk);
}

}  // namespace
}  // namespace kernelgen::tool
