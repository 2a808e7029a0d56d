#include "base/printable.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/table.hpp"
#include "manifest/node.hpp"
#include "support/printed.hpp"

namespace kernelgen::tool {
namespace {

TEST(Printable, KeepsTextAsPeopleWriteIt) {
  for (const char* text : {"", "plain text", "größer · 漢字 🙂 e\u0301"}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, SpellsOutWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b[2J\a\b\x7f"), "\\x1b[2J\\x07\\x08\\x7f");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\u009b2J"), "\\u009b2J") << "a C1 control begins sequences as ESC [ does";
  EXPECT_EQ(printable("a\u202egnp.exe\u2066\u200f"), "a\\u202egnp.exe\\u2066\\u200f");
  EXPECT_EQ(printable("\r\n\t\v"), "\\x0d\\n\\t\\x0b");
  EXPECT_EQ(printable("\r\n\t\v", Lines::many), "\\x0d\n\t\\x0b");
}

TEST(Printable, SpellsOutWhatIsNoUtf8) {
  EXPECT_EQ(printable("\xff\x80z"), "\\xff\\x80z");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf") << "a longer form of a slash";
  EXPECT_EQ(printable("\xe2\x82"), "\\xe2\\x82") << "cut off";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "a surrogate";
  EXPECT_EQ(printable("\xf5\x80\x80\x80"), "\\xf5\\x80\\x80\\x80");
}

TEST(Printable, ShortensBetweenCharacters) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("abcd", 3), "abc…");
  EXPECT_EQ(shortened("aäb", 2), "a…");
}

TEST(Fault, IsOneLineWhateverItRepeats) {
  EXPECT_EQ((Fault{"a\n.json", "/x\x1b", "'\n\x1b]0;title\a'", "n\tm"}).line(),
            "kernel-gen: error: a\\n.json: /x\\x1b: '\\n\\x1b]0;title\\x07' (did you mean 'n\\tm'?)");
  EXPECT_LT((Fault{"f", "p", std::string(1 << 20, 'x'), {}}).line().size(), 1000u);
}

TEST(Fault, FiftyAreListedAndTheRestCounted) {
  Faults faults;
  for (int i = 0; i < 100000; ++i) faults.add("f", "", std::to_string(i));
  faults.add("f", "", "7");
  try {
    faults.throw_if_any();
    FAIL();
  } catch (const BadInput& error) {
    const std::string lines = error.what();
    EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 50);
    EXPECT_TRUE(lines.ends_with("f: 49\nkernel-gen: error: and 99950 more")) << lines;
    EXPECT_EQ(error.faults().size(), 100000u);
  }
}

TEST(JsonText, IsAsciiThatReadsBackAsTheSame) {
  const Json json = {{"a\x1b\u009b\u202e", "größer\x7f"}};
  const std::string text = json_text(json);
  EXPECT_EQ(text, "{\n  \"a\\u001b\\u009b\\u202e\": \"gr\\u00f6\\u00dfer\\u007f\"\n}\n");
  EXPECT_EQ(Json::parse(text), json);
  EXPECT_EQ(json_text(Json("\xff")), "\"\\ufffd\"\n") << "what is no UTF-8 is no reason to say nothing";
}

TEST(Table, SpellsOutControlCharacters) {
  Table table({"name"});
  table.add({"\x1b[31mred"});
  const std::string text = test::printed([&](std::FILE* out) { table.print(out); });
  EXPECT_EQ(text, "name\n\\x1b[31mred\n");
}

}  // namespace
}  // namespace kernelgen::tool
