#include "build/source_text.hpp"

#include <gtest/gtest.h>

namespace kernelgen::tool {
namespace {

std::string tokens(std::string_view text) { return read_source_text(text).tokens; }

TEST(SourceText, CommentsAndBlanksAreOneBlank) {
  EXPECT_EQ(tokens("int /* a\nb */ x; // end\n\n\n  int y;"), "int x; int y;");
  EXPECT_EQ(tokens("int x;\nint y;"), tokens("// what\nint  x; /**/ int\ty;\n"));
  EXPECT_EQ(tokens("a // b \\\n still a comment\nc"), "a c");
  EXPECT_EQ(tokens("a // b \\  \n still a comment\nc"), "a c")
      << "compilers allow blanks after the backslash";
  EXPECT_EQ(tokens("a /\\\n/ b\nc"), "a c") << "a comment's beginning on two lines";
  EXPECT_EQ(tokens("a /\\\n* b *\\\n/ c"), "a c");
  EXPECT_EQ(tokens("a /* no end"), "a");
}

TEST(SourceText, WhatMakesATokenStays) {
  EXPECT_NE(tokens("a b"), tokens("ab"));
  EXPECT_NE(tokens("#define F (x)"), tokens("#define F(x)"));
  EXPECT_NE(tokens("#define A\nb"), tokens("#define A b"));
  EXPECT_EQ(tokens("int x;\n  #  define A 1 // one\nint y;"), "int x;\n#define A 1\nint y;");
  EXPECT_EQ(tokens("#define A \\\n  1\nb"), "#define A 1\nb");
}

TEST(SourceText, LiteralsAreAsTheyStand) {
  EXPECT_EQ(tokens(R"(s = "a // b  /* \" */"; // c)"), R"(s = "a // b  /* \" */";)");
  EXPECT_EQ(tokens("c = '\"'; // x"), "c = '\"';");
  EXPECT_EQ(tokens("c = '\\''; // x"), "c = '\\'';");
  EXPECT_EQ(tokens("n = 1'000'000; // x '"), "n = 1'000'000;");
  EXPECT_EQ(tokens("n = 0x1p-3'0+1e+5; // x"), "n = 0x1p-3'0+1e+5;");
  EXPECT_EQ(tokens("r = R\"x(a // )\" \n /* )x\"; // c"), "r = R\"x(a // )\" \n /* )x\";");
  EXPECT_EQ(tokens("r = u8R\"(\\\n)\"; // c"), "r = u8R\"(\\\n)\";") << "its lines are not joined";
  EXPECT_EQ(tokens("#if 0\ndon't // x\n#endif"), "#if 0\ndon't // x\n#endif\n") << "it ends with its line";
  EXPECT_EQ(tokens("R\"(no end // x"), "R\"(no end // x");
}

TEST(SourceText, LinesAreNotCounted) {
  EXPECT_EQ(tokens("a\n#line 7 \"x.json\"\nb\n# 9 \"y.json\"\nc"), tokens("a b c").substr(0, 1) + "\nb\nc");
  EXPECT_FALSE(read_source_text("int line; // __LINE__").names_lines);
  for (const char* text : {"f(__LINE__)", "assert(x)", "std::source_location s", "__builtin_FILE()"})
    EXPECT_TRUE(read_source_text(text).names_lines) << text;
}

TEST(SourceText, FindsWhatIsIncluded) {
  const SourceText text = read_source_text(
      "#include \"a/b.hpp\" // not \"c.hpp\"\n#  include <d//e>\n%:include_next \"f\"\n"
      "#if __has_include(<g>) || __has_include( \"h\" )\n#endif\n/*\n#include \"i\"\n*/\n#if "
      "defined(__has_include)\n");
  EXPECT_EQ(text.includes, (std::vector<Include>{{"a/b.hpp", true, false},
                                                 {"d//e", false, false},
                                                 {"f", true, false},
                                                 {"g", false, true},
                                                 {"h", true, true}}));
  EXPECT_FALSE(text.has_computed_include);
  EXPECT_TRUE(read_source_text("#include HEADER").has_computed_include);
}

TEST(SourceText, SaysWhereNoListOfFilesTells) {
  for (const char* text : {"f(__DATE__)", "__TIME__", "#embed \"x\"", "asm(\".incbin \\\"x\\\"\")"})
    EXPECT_TRUE(read_source_text(text).names_more) << text;
  EXPECT_FALSE(read_source_text("int date;").names_more);
}

}  // namespace
}  // namespace kernelgen::tool
