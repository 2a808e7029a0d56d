// Errors about manifests with `"functions": true`.
#include "manifest_fixture.hpp"

namespace kernelgen::tool {
namespace {

/// What the tool prints of such a manifest whose operation has these members; empty when all is well.
std::string complaints(const std::string& operation, const std::string& doc = "Some.",
                       const std::string& functions = "true") {
  MemoryDisk disk;
  fill(disk).add("m/a.json", R"({"module": "a", "header": "unary.hpp", "doc": ")" + doc +
                                 R"(", "functions": )" + functions + R"(, "operations": [{"op": "f", )" +
                                 operation + "}]}");
  return complaints(disk);
}

const std::string types = R"("types": {"T": "F"}, "inputs": ["x: T"], "output": "T", )";
const std::string right = types + R"("doc": "x, that is.", "expr": "x")";

std::string at(const std::string& pointer, const std::string& what) {
  return "kernel-gen: error: m/a.json: " + pointer + what;
}

TEST(FunctionManifestErrors, NoneOfARightOne) { EXPECT_EQ(complaints(right), ""); }

TEST(FunctionManifestErrors, NoDoc) {
  EXPECT_EQ(complaints(types + R"("expr": "x")"),
            at("/operations/0", ": key 'doc' is missing: it is the comment of what has functions"));
  EXPECT_EQ(complaints(types + R"("expr": "x", "doc": " ")"),
            at("/operations/0/doc", ": must say something: it is the comment of what has functions"));
  EXPECT_EQ(complaints(right, ""),
            at("/doc", ": must say something: it is the comment of what has functions"));
}

TEST(FunctionManifestErrors, DocThatIsNoComment) {
  for (const char* doc : {"ends */ here", "begins /* here", R"(goes on \\)", R"(two\nlines)", R"(\u001b[2J)"})
    EXPECT_EQ(
        complaints(types + R"("expr": "x", "doc": ")" + doc + '"'),
        at("/operations/0/doc", ": must be one line without '\\', '/*' and '*/': it becomes a comment of C"));
}

TEST(FunctionManifestErrors, NoExpr) {
  EXPECT_EQ(
      complaints(types + R"j("doc": "x.", "forms": {"rows": {"args": ["x: const T*"], "body": "g(x)"}})j"),
      at("/operations/0",
         ": needs an expr: only functions of element-wise operations are written from manifests"));
}

TEST(FunctionManifestErrors, InputsOfOtherDtypes) {
  const std::string lines =
      at("/operations/0",
         ": needs one type variable, which all inputs have: only functions of one dtype are "
         "written from manifests");
  const std::string rest = R"(, "doc": "x.", "expr": "x")";
  EXPECT_EQ(complaints(R"("types": {"T": "F"}, "inputs": ["x: T", "i: u32"], "output": "T")" + rest), lines);
  EXPECT_EQ(complaints(R"("types": {"T": "F", "U": "F"}, "inputs": ["x: T"], "output": "U")" + rest), lines);
  EXPECT_EQ(complaints(R"("inputs": ["x: f32"], "output": "f32")" + rest), lines);
}

TEST(FunctionManifestErrors, OperandsNamedAsParameters) {
  EXPECT_EQ(
      complaints(right + R"(, "scalars": ["out: T", "options: T"])"),
      at("/operations/0", ": operand 'out' is taken: the functions have a parameter of that name\n") +
          at("/operations/0", ": operand 'options' is taken: the functions have a parameter of that name"));
}

TEST(FunctionManifestErrors, FunctionsAreTrueOrFalse) {
  EXPECT_EQ(complaints(right, "Some.", R"("yes")"), at("/functions", ": must be true or false, not string"));
  EXPECT_EQ(complaints(types + R"("expr": "x")", "", "false"), "");
}

}  // namespace
}  // namespace kernelgen::tool
