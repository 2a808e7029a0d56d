// Every complaint about a manifest, a target list or a targets.json: the input, and the lines the tool
// prints.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "commands/emit.hpp"
#include "manifest/kernel.hpp"
#include "manifest/manifest.hpp"
#include "manifest/target.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

MemoryDisk& fill(MemoryDisk& disk) {
  disk.add("kernels/unary.hpp", "");
  disk.add("kernels/engines/map.hpp", "");
  disk.add("secret.hpp", "");
  disk.add_link("kernels/linked.hpp", "secret.hpp");
  disk.make_dirs("m");
  return disk;
}

/// What reading and expanding the manifests prints; empty when all is well.
std::string complaints(const Disk& disk, const std::vector<std::filesystem::path>& folders = {"m"}) {
  try {
    expand(read_manifests(disk, folders, "kernels"));
    return "";
  } catch (const BadInput& error) {
    return error.what();
  }
}

struct Case {
  const char* name;
  std::string manifest;
  std::string lines;  ///< without "kernel-gen: error: m/a.json: " where there is just one
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// A manifest whose only operation has these members.
std::string operation(const std::string& members) {
  return R"({"module": "a", "header": "unary.hpp", "operations": [{)" + members + "}]}";
}
/// As operation(), right but for `members`.
std::string map_with(const std::string& members) {
  return operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x: T"], "output": "T", )" + members);
}
std::string symbol(const std::string& members) {
  return R"({"module": "a", "header": "unary.hpp", "symbols": [{)" + members + "}]}";
}
std::string with_header(const std::string& header) {
  return R"({"module": "a", "header": ")" + header +
         R"(", "operations": [{"op": "f", "types": {"T": "F"}, "inputs": ["x: T"], "output": "T", "expr": "x"}]})";
}

const std::vector<Case> cases = {
    // The file
    {"NotJson", "{\"module\": \"a\",\n  nonsense}",
     "line 2, column 4: not JSON: syntax error while parsing object key - "
     "invalid literal; last read: '\"a\",<U+000A>  no'; expected string literal"},
    {"EmptyFile", "",
     "line 1, column 1: not JSON: syntax error while parsing value - unexpected end of input; expected "
     "'[', '{', or a literal"},
    {"NumberTooLarge", "[1e999]", "not JSON: number overflow parsing '1e999'"},
    {"KeyTwice", R"({"module": "a", "module": "b"})", "key 'module' is given twice in one object"},
    {"NulByte", std::string("{}\0 more", 8), "line 1, column 3: not JSON: there is a NUL byte"},
    {"EscapedNul", "{\n\"module\": \"a\\u0000b\"}", "line 2: a string holds NUL (\\u0000)"},
    {"NotUtf8", "{\"module\": \"\xff\"}",
     "line 1, column 13: not JSON: syntax error while parsing value - invalid string: ill-formed UTF-8 byte; "
     "last "
     "read: '\"\\xff'"},
    {"NestedDeep", std::string(100000, '['), "line 1: is nested deeper than 64 levels"},
    {"DeepWhereANumberBelongs",
     map_with(R"("expr": "x", "block": )" + std::string(60, '[') + std::string(60, ']')),
     "/operations/0/block: must be a whole number from 1 to 1024, not array"},
    {"NumberOfTwentyDigits", map_with(R"("expr": "x", "block": 18446744073709551616)"),
     "/operations/0/block: must be a whole number from 1 to 1024, not 1.8446744073709552e+19"},
    {"EscapeInAKey", "{\"module\": \"a\", \"header\": \"unary.hpp\", \"\\u001b[2J\": 1, \"symbols\": []}",
     "/\\x1b[2J: unknown key '\\x1b[2J'\nhas no operations and no symbols: nothing to make"},
    {"NotAnObject", "[]", "must be an object, not array"},
    {"UnknownTopKey", R"({"module": "a", "header": "unary.hpp", "operation": [], "symbols": []})",
     "/operation: unknown key 'operation' (did you mean 'operations'?)\n"
     "has no operations and no symbols: nothing to make"},
    {"NoModule",
     R"({"header": "unary.hpp", "operations": [{"op": "f", "types": {"T": "F"}, "inputs": ["x: T"],
      "output": "T", "expr": "x"}]})",
     "key 'module' is missing"},
    {"ModuleIsNoIdentifier", R"({"module": "my-kernels", "header": "unary.hpp", "operations": [{"op": "f",
      "types": {"T": "F"}, "inputs": ["x: T"], "output": "T", "expr": "x"}]})",
     "/module: 'my-kernels' is not a C identifier (letters, digits and '_', no digit first)"},
    {"NothingToMake", R"({"module": "a", "header": "unary.hpp"})",
     "has no operations and no symbols: nothing to make"},
    // The header
    {"NoHeader", R"({"module": "a", "operations": [{"op": "f", "types": {"T": "F"}, "inputs": ["x: T"],
      "output": "T", "expr": "x"}]})",
     "key 'header' is missing"},
    {"HeaderMissing", with_header("unray.hpp"),
     "/header: there is no header 'unray.hpp' in kernels (did you mean 'unary.hpp'?)"},
    {"HeaderIsFolder", with_header("device"), "/header: there is no header 'device' in kernels"},
    {"HeaderAbove", with_header("../secret.hpp"),
     "/header: header '../secret.hpp' leaves the kernels folder (kernels)"},
    {"HeaderAboveInside", with_header("device/../../secret.hpp"),
     "/header: header 'device/../../secret.hpp' leaves the kernels folder (kernels)"},
    {"HeaderAbsolute", with_header("/etc/passwd"),
     "/header: header '/etc/passwd' leaves the kernels folder (kernels)"},
    {"HeaderLinkedOut", with_header("linked.hpp"),
     "/header: header 'linked.hpp' leaves the kernels folder (kernels) through a symbolic link"},
    {"HeaderWithQuote", with_header("a\\\".hpp"),
     "/header: header must be a plain path: no quotes, backslashes or control characters"},
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
     "/operations/0: needs an expr or forms: nothing says how it is computed"},
    {"NeitherExprNorForms", map_with(R"("doc": "")"),
     "/operations/0: needs an expr or forms: nothing says how it is computed"},
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
    {"UnknownBudget", map_with(R"("expr": "x", "budget": {"vgpr": 3})"),
     "/operations/0/budget/vgpr: unknown key 'vgpr' (did you mean 'vgprs'?)"},
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
     "/operations/0/inputs/0: 'b32' is no dtype, so no tensor or scalar can be of it; a type variable of "
     "[\"b32\"] takes every dtype of that width"},
    {"RawOutput", operation(R"("op": "f", "inputs": ["x: f32"], "output": "b8", "expr": "x")"),
     "/operations/0/output: 'b8' is no dtype, so no tensor or scalar can be of it; a type variable of "
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
    {"NoColon", operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["x"], "output": "T", "expr": "x")"),
     R"(/operations/0/inputs/0: 'x' must be "NAME: DTYPE")"},
    {"OperandIsKeyword", operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["if: T"], "output": "T",
      "expr": "x")"),
     "/operations/0/inputs/0: 'if' is a keyword of C or C++"},
    {"OperandIsType", operation(R"("op": "f", "types": {"T": "F"}, "inputs": ["f32: T"], "output": "T",
      "expr": "x")"),
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
    // Expressions
    {"EmptyExpr", map_with(R"("expr": " ")"), "/operations/0/expr: expr must not be empty"},
    {"TwoLines", map_with(R"("expr": "x +\n x")"), "/operations/0/expr: expr must be one line"},
    {"Tab", map_with(R"("expr": "x +\tx")"), "/operations/0/expr: expr must not hold control characters"},
    {"Statement", map_with(R"("expr": "x; x")"),
     "/operations/0/expr: expr must be one expression: ';' is not allowed"},
    {"Brace", map_with(R"("expr": "X0{x}")"),
     "/operations/0/expr: expr must be one expression: '{' is not allowed"},
    {"Hash", map_with(R"("expr": "#x")"),
     "/operations/0/expr: expr must be one expression: '#' is not allowed"},
    {"Backslash", map_with(R"("expr": "x \\")"),
     "/operations/0/expr: expr must be one expression: '\\' is not allowed"},
    {"Comment", map_with(R"("expr": "x // y")"),
     "/operations/0/expr: expr must be one expression: comments are not allowed"},
    {"Date", map_with(R"("expr": "x + __DATE__[0]")"),
     "/operations/0/expr: expr must not use '__DATE__', which is reserved for the compiler, as all names "
     "with '__', or "
     "'_' and a capital in front"},
    {"Counter", map_with(R"("expr": "x*__COUNTER__")"),
     "/operations/0/expr: expr must not use '__COUNTER__', which is reserved for the compiler, as all names "
     "with '__', "
     "or '_' and a capital in front"},
    {"Macro", map_with(R"j("expr": "KG_KERNEL(x)")j"),
     "/operations/0/expr: expr must not use 'KG_KERNEL', which is reserved for macros of the kernels, as all "
     "names with "
     "'KG_' in front"},
    {"NotAscii", map_with(R"("expr": "x·x")"), "/operations/0/expr: expr must be ASCII; column 2 is not"},
    {"NeverClosed", map_with(R"j("expr": "(x + (x)")j"),
     "/operations/0/expr: expr has '(' that is never closed"},
    {"NothingToClose", map_with(R"j("expr": "x) + (x")j"),
     "/operations/0/expr: expr has ')' at column 2 with nothing to close"},
    {"CrossedBrackets", map_with(R"j("expr": "(x[0)]")j"),
     "/operations/0/expr: expr has ')' at column 5 with nothing to close"},
    // Forms
    {"FormOfExpr", map_with(R"j("expr": "x", "forms": {"strided": {"args": ["x: T*"], "body": "g(x)"}})j"),
     "/operations/0/forms/strided: form 'strided' is already made from the expr"},
    {"FormIsNoIdentifier", map_with(R"j("forms": {"a/b": {"args": ["x: T*"], "body": "g(x)"}})j"),
     "/operations/0/forms/a~1b: 'a/b' is not a C identifier (letters, digits and '_', no digit first)"},
    {"NoBody", map_with(R"j("forms": {"tiled": {"args": ["x: T*"]}})j"),
     "/operations/0/forms/tiled: key 'body' is missing"},
    {"NoArguments", map_with(R"j("forms": {"tiled": {"args": [], "body": "g()"}})j"),
     "/operations/0/forms/tiled/args: a kernel needs at least one argument"},
    {"ArgumentTwice", map_with(R"j("forms": {"tiled": {"args": ["x: T*", "x: u32"], "body": "g()"}})j"),
     "/operations/0/forms/tiled/args/1: argument 'x' is given twice"},
    {"BadArgumentType", map_with(R"j("forms": {"tiled": {"args": ["x: T const*"], "body": "g(x)"}})j"),
     "/operations/0/forms/tiled/args/0: 'T const*' is not an argument type: write TYPE, TYPE* or const "
     "TYPE*"},
    {"UnknownArgumentType", map_with(R"j("forms": {"tiled": {"args": ["x: Strided<5>"], "body": "g(x)"}})j"),
     "/operations/0/forms/tiled/args/0: unknown type 'Strided<5>' (did you mean 'Strided<1>'?)"},
    {"UnknownPlaceholder", map_with(R"j("forms": {"tiled": {"args": ["x: T*"], "body": "g<{U}>(x)"}})j"),
     "/operations/0/forms/tiled/body: unknown type variable '{U}'"},
    // Symbols
    {"SymbolIsNoIdentifier",
     symbol(R"j("name": "u-{T}", "types": {"T": "F"}, "args": ["x: T*"], "body": "g(x)")j"),
     "/symbols/0/name: 'u-T' is not a C identifier (letters, digits and '_', no digit first)"},
    {"SymbolPlaceholder", symbol(R"j("name": "u_{Valu}", "types": {"Value": ["f32"]}, "args": ["x: Value*"],
      "body": "g(x)")j"),
     "/symbols/0/name: unknown type variable '{Valu}' (did you mean 'Value'?)"},
    {"SymbolIsKeyword", symbol(R"j("name": "do", "args": ["x: f32*"], "body": "g(x)")j"),
     "/symbols/0/name: 'do' is a keyword of C or C++"},
    {"SymbolWithoutItsVariable", symbol(R"j("name": "u", "types": {"T": ["f32", "f64"]}, "args": ["x: T*"],
      "body": "g(x)")j"),
     "/symbols/0: kernel 'u' is already made by m/a.json: /symbols/0"},
    {"TooManyArgumentBytes",
     symbol(R"j("name": "u", "args": ["a: Strided<4>", "b: Strided<4>", "c: Strided<4>",
      "d: Strided<4>", "e: Strided<4>", "f: Strided<4>", "g: Strided<4>", "h: Strided<4>", "i: Strided<4>",
      "j: Strided<4>", "k: Strided<4>", "l: Strided<4>", "m: f32*"], "body": "g(m)")j"),
     "/symbols/0: kernel 'u' takes 4328 bytes of arguments; at most 4096 are possible"},
    {"SymbolIsTaken", symbol(R"j("name": "COUNT", "args": ["x: f32*"], "body": "g(x)")j"),
     "/symbols/0: kernel name 'COUNT' is taken by the generated header"},
    {"TwoOperations", R"j({"module": "a", "header": "unary.hpp", "operations": [
      {"op": "f", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x"},
      {"op": "f", "types": {"T": ["f64"]}, "inputs": ["x: T"], "output": "T", "expr": "x"}]})j",
     "/operations/1: operation 'f' is already made by m/a.json: /operations/0"},
    {"TwoKernels", R"j({"module": "a", "header": "unary.hpp", "operations": [
      {"op": "f", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x"}],
      "symbols": [{"name": "kg_f_f32", "args": ["x: f32*"], "body": "g(x)"}]})j",
     "/symbols/0: kernel 'kg_f_f32' is already made by m/a.json: /operations/0"},
};

class ManifestError : public testing::TestWithParam<Case> {};

TEST_P(ManifestError, PrintsExactly) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", GetParam().manifest);
  std::string expected;
  for (std::size_t at = 0; at < GetParam().lines.size();) {
    const std::size_t end = std::min(GetParam().lines.find('\n', at), GetParam().lines.size());
    if (!expected.empty()) expected += '\n';
    expected += "kernel-gen: error: m/a.json: " + GetParam().lines.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_EQ(complaints(disk), expected);
}

INSTANTIATE_TEST_SUITE_P(Manifest, ManifestError, testing::ValuesIn(cases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(ManifestErrors, AllAreListedAtOnce) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", map_with(R"("expr": "x;", "block": 0)"));
  disk.add("m/b.json", "{");
  EXPECT_EQ(
      complaints(disk),
      "kernel-gen: error: m/a.json: /operations/0/block: must be a whole number from 1 to 1024, not 0\n"
      "kernel-gen: error: m/a.json: /operations/0/expr: expr must be one expression: ';' is not allowed\n"
      "kernel-gen: error: m/b.json: line 1, column 2: not JSON: syntax error while parsing object key - "
      "unexpected "
      "end of input; expected string literal");
}

TEST(ManifestErrors, DefaultsAreComplainedOfOnce) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", R"({"module": "a", "header": "unary.hpp",
    "defaults": {"types": {"T": "F"}, "inputs": ["x: Q"], "output": "T"},
    "operations": [{"op": "f", "expr": "x"}, {"op": "g", "expr": "x"}]})");
  EXPECT_EQ(complaints(disk), "kernel-gen: error: m/a.json: /defaults/inputs/0: unknown type 'Q'");
}

TEST(ManifestErrors, FileNamesThatAreNotPlain) {
  for (const char* name : {"a\n#include <evil>\n.json", "a\".json", "a\\.json", "a\x1b.json", "a\xff.json"}) {
    MemoryDisk disk;
    fill(disk).add(std::filesystem::path("m") / name, map_with(R"("expr": "x")"));
    const std::string lines = complaints(disk);
    EXPECT_TRUE(
        lines.ends_with("a manifest's file name must be plain: no quotes, backslashes or control characters"))
        << lines;
    EXPECT_EQ(lines.find('\n'), std::string::npos) << lines;
    EXPECT_EQ(lines.find('\x1b'), std::string::npos) << lines;
  }
}

TEST(ManifestErrors, ManyFaultsAreCounted) {
  std::string manifest = R"({"module": "a", "header": "unary.hpp", "operations": [)";
  for (int i = 0; i < 100000; ++i) manifest += fmt::format(R"({{"op": "{}x"}},)", i);
  manifest.back() = ']';
  MemoryDisk disk;
  fill(disk).add("m/a.json", manifest + "}");
  const std::string lines = complaints(disk);
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 50);
  EXPECT_TRUE(lines.ends_with("\nkernel-gen: error: and 299950 more")) << lines.substr(lines.size() - 100);
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

TEST(ManifestErrors, AFileThatCannotBeRead) {
  MemoryDisk disk;
  fill(disk).make_dirs("m/a.json");
  disk.add("m/b.json", map_with(R"("expr": "x;")"));
  EXPECT_EQ(
      complaints(disk),
      "kernel-gen: error: cannot read m/a.json: No such file or directory\n"
      "kernel-gen: error: m/b.json: /operations/0/expr: expr must be one expression: ';' is not allowed");
}

TEST(ManifestErrors, TwoModulesOfOneName) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", map_with(R"("expr": "x")"));
  disk.add("mine/b.json", R"({"module": "a", "header": "unary.hpp", "operations": [
    {"op": "h", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x"}]})");
  EXPECT_EQ(complaints(disk, {"m", "mine"}),
            "kernel-gen: error: mine/b.json: /module: module 'a' is already made by m/a.json: /module");
}

TEST(ManifestErrors, Folders) {
  MemoryDisk disk;
  fill(disk);
  EXPECT_EQ(complaints(disk), "kernel-gen: error: m: holds no manifest (*.json)");
  EXPECT_EQ(complaints(disk, {"n"}), "kernel-gen: error: n: there is no such folder of manifests");
  EXPECT_EQ(complaints(MemoryDisk(), {"n"}),
            "kernel-gen: error: kernels: there is no such folder of kernel bodies\n"
            "kernel-gen: error: n: there is no such folder of manifests");
}

TEST(ManifestErrors, NothingIsWritten) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", map_with(R"("expr": "x;")"));
  disk.add("targets.json", R"({"targets": []})");
  EXPECT_THROW(emit({{"m"}, "kernels", "targets.json", "out"}, disk), BadInput);
  EXPECT_FALSE(disk.exists("out"));
}

std::string target_complaints(const std::string& rows, const std::vector<std::string>& names = {}) {
  MemoryDisk disk;
  disk.add("t.json", R"({"targets": [)" + rows + "]}");
  try {
    read_targets(disk, "t.json").expand(names);
    return "";
  } catch (const BadInput& error) {
    return error.what();
  }
}

const std::string cpu_row =
    R"({"name": "cpu-x86-64-v3", "kind": "cpu", "march": "x86-64-v3", "groups": ["default"]})";
const std::string hip_row =
    R"({"name": "gfx90a", "kind": "hip", "machine": "0x03f", "isa": 9010, "wave_sizes": [64],
        "features": ["xnack"], "generic": null, "code_object_version": 4, "clang": 15, "groups": []})";

TEST(TargetErrors, UnknownTarget) {
  EXPECT_EQ(
      target_complaints(cpu_row + "," + hip_row, {"cpu-x86-64-v3,gfx90b", "defualt"}),
      "kernel-gen: error: unknown target 'gfx90b'; 'kernel-gen targets' lists all (did you mean 'gfx90a'?)\n"
      "kernel-gen: error: unknown target 'defualt'; 'kernel-gen targets' lists all (did you mean "
      "'default'?)");
}

TEST(TargetErrors, Rows) {
  const std::string at = "kernel-gen: error: t.json: ";
  EXPECT_EQ(target_complaints(cpu_row + R"(, {"name": "x", "kind": "hpi"})"),
            at + "/targets/1/kind: unknown kind 'hpi' (did you mean 'hip'?)");
  EXPECT_EQ(
      target_complaints(cpu_row + R"(, {"name": "sm_90", "kind": "cuda", "code": "ptx", "groups": []})"),
      at + "/targets/1: key 'isa' is missing");
  EXPECT_EQ(target_complaints(
                cpu_row + R"(, {"name": "sm_90", "kind": "cuda", "isa": 90, "code": "ptk", "groups": []})"),
            at + "/targets/1/code: unknown code 'ptk' (did you mean 'ptx'?)");
  EXPECT_EQ(
      target_complaints(
          cpu_row +
          R"(, {"name": "sm_90", "kind": "cuda", "isa": 90, "code": "ptx", "groups": [], "machine": "0x01"})"),
      at + "/targets/1/machine: unknown key 'machine'");
  EXPECT_EQ(target_complaints(cpu_row + "," + cpu_row),
            at + "/targets: target 'cpu-x86-64-v3' is listed twice");
  const auto with = [](std::string row, const std::string& from, const std::string& to) {
    return row.replace(row.find(from), from.size(), to);
  };
  EXPECT_EQ(target_complaints(with(hip_row, "null", R"("gfx90b")")),
            at + "/targets: target 'gfx90a' refers to an unknown target 'gfx90b' (did you mean 'gfx90a'?)");
  EXPECT_EQ(target_complaints(hip_row + "," + with(hip_row, "gfx90a", "gfx90b")),
            at + "/targets: targets 'gfx90a' and 'gfx90b' both have machine 0x03f");
  EXPECT_EQ(target_complaints(with(hip_row, "[]}", R"(["gfx90a"]})")),
            at + "/targets: group 'gfx90a' has the name of a target");
  for (const std::string bad : {"3f", "0x", "0x0", "0x100", "0x3g", "-0x3"})
    EXPECT_EQ(target_complaints(with(hip_row, "0x03f", bad)),
              at + "/targets/0/machine: must be EF_AMDGPU_MACH of the GPU in hexadecimal, such as \"0x03f\"");
}

TEST(TargetErrors, NoFile) {
  EXPECT_THROW(
      {
        try {
          read_targets(MemoryDisk(), "t.json");
        } catch (const BadInput& error) {
          EXPECT_STREQ(error.what(), "kernel-gen: error: t.json: there is no such file of targets");
          throw;
        }
      },
      BadInput);
}

}  // namespace
}  // namespace kernelgen::tool
