#include "emit/source.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "base/text_layout.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

TEST(FillLines, KeepsShortListsOnOneLine) {
  const std::vector<std::string> items = {"a", "b"};
  EXPECT_EQ(fill_lines("f(", items, ")", 2), "f(a, b)");
}

TEST(FillLines, WrapsAtTheLimit) {
  const std::vector<std::string> items(40, "item");
  std::istringstream lines(fill_lines("call(", items, ");", 5));
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_LE(line.size(), line_limit);
    EXPECT_EQ(line.substr(0, 5), count == 0 ? "call(" : "     ");
    EXPECT_NE(line.back(), ' ');
  }
  EXPECT_EQ(count, 3u);
}

std::string emit_text(const std::string& entries) {
  MemoryDisk disk;
  disk.add("kernels/a.hpp", "");
  disk.add("m/a.json", R"({"module": "a", "header": "a.hpp", )" + entries + "}");
  const KernelSet set = expand(read_manifests(disk, {"m"}, "kernels"));
  return emit_source(set, set.modules[0]);
}

/// How many directives lead back to the source, each of which must name the line after it.
std::size_t own_directives(const std::string& text) {
  std::istringstream lines(text);
  std::size_t number = 0, own = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (!line.starts_with("#line") || !line.ends_with("\"a.hip\"")) continue;
    EXPECT_EQ(line, "#line " + std::to_string(number + 1) + " \"a.hip\"");
    ++own;
  }
  return own;
}

TEST(EmitSource, WithoutMapsThereIsNoNamespace) {
  const std::string text = emit_text(R"j("symbols": [{"name": "z", "args": ["n: u64"], "body": "g(n)"}])j");
  EXPECT_EQ(text.find("namespace {"), std::string::npos);
  EXPECT_NE(text.find("\n#line 1 \"a.json\"\nKG_KERNEL(256, z, u64 n) { begin_kernel(); g(n); }\n"),
            std::string::npos)
      << text;
}

TEST(EmitSource, ExpressionsThatDivideCallTheVocabulary) {
  const auto text_of = [](const std::string& expr) {
    return emit_text(R"("operations": [{"op": "f", "inputs": ["x: i32"], "output": "i32", "expr": ")" + expr +
                     R"("}])");
  };
  const std::string text = text_of("x / 2 % x");
  EXPECT_NE(text.find("\"\n#include \"device/quotient.hpp\"\n\n"), std::string::npos) << text;
  EXPECT_NE(text.find("return kg::remainder(kg::quotient(x, 2), x);"), std::string::npos) << text;
  EXPECT_EQ(text_of("x * 2").find("quotient.hpp"), std::string::npos);
}

TEST(EmitSource, LongExpressionsStandOnALineOfTheirOwn) {
  const std::string expr = "x + 1." + std::string(80, '1');
  const std::string text = emit_text(
      R"("operations": [{"op": "f", "inputs": ["x: f64"], "output": "f64", "expr": ")" + expr + R"("}])");
  EXPECT_NE(text.find("const {\n#line 1 \"a.json\"\n    return " + expr + ";\n  }\n"), std::string::npos)
      << text;
}

TEST(EmitSource, ExpressionsStandOnTheirLineOfTheManifest) {
  const std::string text = emit_text(
      "\n\"operations\": [\n"
      R"({"op": "f", "inputs": ["x: f64"], "output": "f64", "expr": "x"},)"
      "\n"
      R"({"op": "g", "inputs": ["x: f64"], "output": "f64",)"
      "\n"
      R"("expr": "x + 11.)" +
      std::string(90, '1') + R"("}])");
  EXPECT_NE(text.find("#line 3 \"a.json\"\n  KG_DEVICE auto operator()(X0 x) const { return x; }\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("#line 5 \"a.json\"\n    return x + 11"), std::string::npos) << text;

  EXPECT_EQ(own_directives(text), 2u);
}

TEST(EmitSource, BodiesStandOnTheirLineOfTheManifest) {
  const std::string text = emit_text(R"j("operations": [
    {"op": "f", "inputs": ["x: f64"], "output": "f64", "expr": "x", "forms": {
      "brief": {"args": ["n: u64"], "body": "g(n)"},
      "wide": {
        "args": ["x: const f64*", "y: f64*", "a_name_of_many_letters: u64", "another_of_them: u64", "the_third: u64"],
        "body": "h(x, y)"
      }}},
    {"op": "e", "inputs": ["x: f64"], "output": "f64", "expr": "x"}
  ])j");
  EXPECT_NE(text.find("\n#line 3 \"a.json\"\nKG_KERNEL(256, kg_f_brief, u64 n) { begin_kernel(); g(n); }\n"),
            std::string::npos)
      << text;
  // The body is on line 6; the three lines of the head are counted as those above.
  EXPECT_NE(text.find("\n#line 3 \"a.json\"\nKG_KERNEL(256, kg_f_wide,"), std::string::npos) << text;
  EXPECT_EQ(own_directives(text), 3u) << "after each expression, and where its kernels follow a body";
}

TEST(EmitSource, TheCompilerIsToldTheOccupancyOfAFormItsOperationOrTheDefaults) {
  const std::string text = emit_text(R"j("defaults": {"occupancy": "two_blocks"}, "operations": [
    {"op": "f", "inputs": ["x: f64"], "output": "f64", "expr": "x", "forms": {
      "brief": {"args": ["n: u64"], "body": "g(n)", "block": 128, "occupancy": "twice"},
      "wide": {"args": ["n: u64"], "body": "g(n)"}}},
    {"op": "g", "inputs": ["x: f64"], "output": "f64", "expr": "x", "occupancy": "three_halves"},
    {"op": "h", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "row": ["top = max(x)", "y = x - top"]}
  ])j");
  for (const char* head :
       {"KG_RESIDENT_KERNEL(128, twice, kg_f_brief, u64 n) {\n  begin_kernel();\n",
        "KG_RESIDENT_KERNEL(256, two_blocks, kg_f_wide, ", "KG_RESIDENT_KERNEL(256, three_halves, kg_g, ",
        "KG_RESIDENT_KERNEL(512, two_blocks, kg_h_f32_rows, "})
    EXPECT_NE(text.find(head), std::string::npos) << head << text;
}

TEST(EmitSource, RowsAndMatrixProductsHaveTheOccupancyOfTheirEngines) {
  const std::string text = emit_text(R"j("defaults": {"types": {"T": ["f32"]}, "output": "T"}, "operations": [
    {"op": "f", "inputs": ["x: T"], "row": ["top = max(x)", "y = x - top"]},
    {"op": "g", "inputs": ["a: T", "b: T"], "matmul": {"epilogue": "relu(total)"}}
  ])j");
  EXPECT_NE(text.find("KG_RESIDENT_KERNEL(512, three_halves, kg_f_f32_rows, "), std::string::npos) << text;
  EXPECT_NE(text.find("KG_RESIDENT_KERNEL(256, two_blocks_two_waves, kg_g_f32_tiled, "), std::string::npos)
      << text;
}

TEST(EmitSource, BodiesWithTooFewLinesAboveHaveADirectiveOfTheirOwn) {
  const std::string name(100, 'n');
  const std::string text =
      emit_text(R"j("symbols": [{"name": "z", "args": [")j" + name + R"j(: u64"], "body": "g()"}])j");
  EXPECT_NE(text.find(") {\n  begin_kernel();\n#line 1 \"a.json\"\n  g();\n}\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace kernelgen::tool
