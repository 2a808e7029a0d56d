// The C++ functions written from manifests; tests/golden has whole files.
#include "emit/functions.hpp"

#include <gtest/gtest.h>

#include "base/fault.hpp"
#include "emit/comment.hpp"
#include "emit/emit.hpp"
#include "emit/operations.hpp"

namespace kernelgen::tool {
namespace {

/// Of a module with functions: the operations, each `{...}`.
KernelSet with_functions(const std::string& operations) {
  Faults faults;
  std::vector<Manifest> manifests;
  manifests.push_back(parse_manifest("a.json",
                                     R"({"module": "a", "doc": "Some.", "header": "a.hpp", "functions": true,
    "defaults": {"inputs": ["x: T"], "output": "T"}, "operations": [)" +
                                         operations + "]}",
                                     faults));
  manifests.push_back(parse_manifest("b.json", R"({"module": "b", "header": "a.hpp", "operations": [
    {"op": "plain", "inputs": ["x: f32"], "output": "f32", "expr": "x"}]})",
                                     faults));
  faults.throw_if_any();
  return expand(manifests);
}

std::string described(const std::string& members) {
  return description(
      with_functions(R"({"op": "f", "expr": "x", "doc": "It.", )" + members + "}").operations[0]);
}

TEST(Comment, FillsLinesByCharacters) {
  EXPECT_EQ(comment(doc_comment, "One  line."), "/// One line.\n");
  EXPECT_EQ(comment(line_comment, "One line."), "// One line.\n");
  // 53 of them and the blanks between end at column 109, in half as many bytes again.
  std::string dots;
  for (int i = 0; i < 53; ++i) dots += "· ";
  const std::string full = "/// " + dots.substr(0, dots.size() - 1) + '\n';
  EXPECT_EQ(comment(doc_comment, dots), full);
  EXPECT_EQ(comment(doc_comment, dots + "xx"), full + "/// xx\n");
}

TEST(Description, SaysWhichDtypes) {
  EXPECT_EQ(described(R"("types": {"T": "F"})"), "It. Floating point.");
  EXPECT_EQ(described(R"("types": {"T": "all"})"), "It. Any dtype.");
  EXPECT_EQ(described(R"("types": {"T": "I"})"), "It. Integers.");
  EXPECT_EQ(described(R"("types": {"T": ["f64"]})"), "It. f64.");
  EXPECT_EQ(described(R"("types": {"T": ["u8", "i64"]}, "inputs": ["x: T", "y2: T"])"),
            "It. u8 or i64, the same for both.");
  EXPECT_EQ(described(R"("types": {"T": "F"}, "inputs": ["x: T", "b: T", "c: T"], "output": "u8")"),
            "It. Floating point, the same for all. The result is u8.");
}

TEST(Functions, OnlyOfModulesThatAskForThem) {
  const KernelSet set = with_functions(R"({"op": "f", "doc": "It.", "types": {"T": "F"}, "expr": "x"})");
  EXPECT_NE(emit_operations(set).find("\nKERNELGEN_OPERATION(f)\nKERNELGEN_OPERATION(plain)\n"),
            std::string::npos);
  EXPECT_TRUE(emit_function_names(set).ends_with("Do not edit.\nKERNELGEN_FUNCTION(f)\n"));
  for (const std::string& text : {emit_functions_header(set), emit_functions_source(set)}) {
    EXPECT_NE(text.find("f("), std::string::npos) << text;
    EXPECT_EQ(text.find("plain"), std::string::npos) << text;
  }
  KernelSet without = set;
  without.modules[0].has_functions = false;
  EXPECT_EQ(emit_sources(set, {}).size(), emit_sources(without, {}).size() + 3);
}

TEST(Functions, LongOnesStandOnSeveralLines) {
  const KernelSet set = with_functions(R"({"op": "mixture", "doc": "It.", "types": {"T": "F"},
    "inputs": ["first: T", "second: T", "third: T"], "scalars": ["weight: T", "another_weight: T"], "expr": "first"})");
  EXPECT_TRUE(emit_functions_source(set).ends_with(
      R"(
Tensor mixture(const Tensor& first, const Tensor& second, const Tensor& third, const Scalar& weight,
               const Scalar& another_weight, const CallOptions& options) {
  return elementwise(Builtin::mixture, "mixture", {&first, &second, &third}, {weight, another_weight},
                     options);
}

}  // namespace kernelgen
)")) << emit_functions_source(set);
}

}  // namespace
}  // namespace kernelgen::tool
