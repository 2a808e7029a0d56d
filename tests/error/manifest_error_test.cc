// Every error about manifest files: invalid JSON, modules, headers, folders.
#include <fmt/format.h>

#include <algorithm>

#include "commands/emit.hpp"
#include "manifest_fixture.hpp"

namespace kernelgen::tool {
namespace {

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

const std::vector<Case> cases = {
    // The file
    {"NotJson", "{\"module\": \"a\",\n  nonsense}",
     "line 2, column 4: not JSON: syntax error while parsing object key - "
     "invalid literal; last read: '\"a\",<U+000A>  no'; expected string literal"},
    {"EmptyFile", "", "not JSON: the file is empty"},
    {"BlankFile", " \r\n\t\n", "not JSON: the file is empty"},
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
    {"AnOperationAlone",
     R"({"op": "cube", "types": {"T": "all"}, "inputs": ["x: T"], "output": "T", "expr": "x * x * x"})",
     R"(is an operation, not a manifest; put it into one: {"module": "NAME", "header": "elementwise/map.hpp", )"
     R"("operations": [ … ]})"},
    {"UnknownTopKey", R"({"module": "a", "header": "unary.hpp", "operation": [], "symbols": []})",
     "/operation: unknown key 'operation' (did you mean 'operations'?)\n"
     "has no operations and no symbols: nothing to make"},
    {"OrderOutOfRange",
     R"({"module": "a", "order": 1001, "header": "unary.hpp", "operations": [{"op": "f", "types": {"T": "F"},
      "inputs": ["x: T"], "output": "T", "expr": "x"}]})",
     "/order: must be a whole number from 0 to 1000, not 1001"},
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
    {"NoHeader", R"j({"module": "a", "operations": [{"op": "f", "types": {"T": "F"}, "inputs": ["x: T"],
      "output": "T", "forms": {"plain": {"args": ["x: const T*", "y: T*"], "body": "f(x, y)"}}}]})j",
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
};

INSTANTIATE_TEST_SUITE_P(File, ManifestError, testing::ValuesIn(cases), name_of_case);

TEST(ManifestErrors, AllAreListedAtOnce) {
  MemoryDisk disk;
  fill(disk).add("m/a.json", map_with(R"("expr": "x;", "block": 0)"));
  disk.add("m/b.json", "{");
  EXPECT_EQ(
      complaints(disk),
      "kernel-gen: error: m/a.json: /operations/0/block: must be a whole number from 1 to 1024, not 0\n"
      "kernel-gen: error: m/a.json: /operations/0/expr: expr: column 2: ';' is not allowed\n"
      "kernel-gen: error: m/b.json: line 1, column 2: not JSON: syntax error while parsing object key - "
      "unexpected "
      "end of input; expected string literal");
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

TEST(ManifestErrors, AFileThatCannotBeRead) {
  MemoryDisk disk;
  fill(disk).make_dirs("m/a.json");
  disk.add("m/b.json", map_with(R"("expr": "x;")"));
  EXPECT_EQ(complaints(disk),
            "kernel-gen: error: cannot read m/a.json: No such file or directory\n"
            "kernel-gen: error: m/b.json: /operations/0/expr: expr: column 2: ';' is not allowed");
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

}  // namespace
}  // namespace kernelgen::tool
