#include "layers.hpp"

#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

using Faults = std::vector<std::string>;

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Layers, TableInContributingIsTheGraphOfIncludes) {
  const std::filesystem::path root = KERNELGEN_SOURCE_DIR;
  Sources sources;
  for (const char* tree :
       {"runtime/include", "runtime/src", "generated", "tools/kernel-gen", "tools/offload", "kernels"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / tree))
      if (const auto kind = entry.path().extension();
          kind == ".cpp" || kind == ".hpp" || kind == ".h" || kind == ".c")
        sources[entry.path().lexically_relative(root).string()] = read(entry.path());
  // What `kernel-gen init` writes is a project apart.
  std::erase_if(sources,
                [](const auto& source) { return source.first.starts_with("tools/kernel-gen/project/"); });
  ASSERT_GT(sources.size(), 300u);
  EXPECT_EQ(layer_faults(read(root / "CONTRIBUTING.md"), sources), Faults{});
}

constexpr const char* page = R"(
| layer | holds | builds on |
|---|---|---|
| low | `runtime/src/low/` `runtime/include/kernelgen/low.hpp` | |
| middle | `runtime/src/middle/` | low |
| high | `runtime/src/high/` | middle |

| another | table |
)";

const Sources tree = {
    {"runtime/include/kernelgen/low.hpp", "#include <string>\n"},
    {"runtime/src/low/a.hpp", "#include \"kernelgen/low.hpp\"\n"},
    {"runtime/src/middle/b.hpp", "#pragma once\n#include \"low/a.hpp\"\n"},
    {"runtime/src/high/c.cpp", "#include \"middle/b.hpp\"\n  #  include <kernelgen/low.hpp>\n"},
};

Faults faults_with(const std::string& file, const std::string& text, std::string_view table = page) {
  Sources changed = tree;
  changed[file] += text;
  return layer_faults(table, changed);
}

TEST(Layers, TrueTable) { EXPECT_EQ(layer_faults(page, tree), Faults{}); }

TEST(Layers, IncludeUpward) {
  EXPECT_EQ(
      faults_with("runtime/src/middle/b.hpp", "#include \"high/c.cpp\"\n"),
      Faults{
          "runtime/src/middle/b.hpp of middle includes runtime/src/high/c.cpp of high; it may include low"});
  EXPECT_EQ(
      faults_with("runtime/include/kernelgen/low.hpp", "#include \"middle/b.hpp\"\n"),
      Faults{"runtime/include/kernelgen/low.hpp of low includes runtime/src/middle/b.hpp of middle; it may "
             "include nothing else"});
}

TEST(Layers, FileOfNoLayer) {
  EXPECT_EQ(faults_with("runtime/src/other/d.hpp", ""),
            Faults{"runtime/src/other/d.hpp is in no layer of the table"});
}

TEST(Layers, ArrowThatNothingNeeds) {
  const std::string stale =
      std::string(page).replace(std::string(page).find("| middle |\n"), 11, "| middle, low |\n");
  EXPECT_EQ(layer_faults(stale, tree), Faults{});
  Sources without = tree;
  without["runtime/src/high/c.cpp"] = "#include \"low/a.hpp\"\n";
  EXPECT_EQ(layer_faults(page, without),
            Faults{"the table builds high on middle, but no file of it includes one of those"});
}

TEST(Layers, CircleInTheTable) {
  const std::string circle = std::string(page).replace(std::string(page).find("| |\n"), 4, "| high |\n");
  EXPECT_EQ(faults_with("runtime/src/low/a.hpp", "#include \"high/c.cpp\"\n", circle),
            (Faults{"the table leads from high back to it", "the table leads from low back to it",
                    "the table leads from middle back to it"}));
}

}  // namespace
