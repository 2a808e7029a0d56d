// Every error about kernels in a manifest: forms and symbols.
#include "manifest_fixture.hpp"

namespace kernelgen::tool {
namespace {

const std::vector<Case> cases = {
    // Forms
    {"FormOfExpr", map_with(R"j("expr": "x", "forms": {"strided": {"args": ["x: T*"], "body": "g(x)"}})j"),
     "/operations/0/forms/strided: form 'strided' is already made from the expr"},
    {"FormIsNoIdentifier", map_with(R"j("forms": {"a/b": {"args": ["x: T*"], "body": "g(x)"}})j"),
     "/operations/0/forms/a~1b: 'a/b' is not a C identifier (letters, digits and '_', no digit first)"},
    {"NoBody", map_with(R"j("forms": {"tiled": {"args": ["x: T*"]}})j"),
     "/operations/0/forms/tiled: key 'body' is missing"},
    {"NoArguments", map_with(R"j("forms": {"tiled": {"args": [], "body": "g()"}})j"),
     "/operations/0/forms/tiled/args: a kernel needs at least one argument"},
    {"NoArgumentsAnywhere", map_with(R"j("forms": {"tiled": {"body": "g()"}})j"),
     "/operations/0/forms/tiled: key 'args' is missing"},
    {"SharedArgumentTwice",
     map_with(R"j("args": ["x: T*", "x: u32"], "forms": {"tiled": {"body": "g({args})"}})j"),
     "/operations/0/args/1: argument 'x' is given twice"},
    {"ArgumentsWithoutForms", map_with(R"j("expr": "x", "args": ["x: T*"])j"),
     "/operations/0/args: is given without forms"},
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
    {"TwoKernels", R"j({"module": "a", "header": "unary.hpp", "operations": [
      {"op": "f", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x"}],
      "symbols": [{"name": "kg_f_f32", "args": ["x: f32*"], "body": "g(x)"}]})j",
     "/symbols/0: kernel 'kg_f_f32' is already made by m/a.json: /operations/0"},
};

INSTANTIATE_TEST_SUITE_P(Kernel, ManifestError, testing::ValuesIn(cases), name_of_case);

}  // namespace
}  // namespace kernelgen::tool
