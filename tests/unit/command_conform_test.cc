// `kernel-gen conform`: changes of a package that break programs, and changes that do not.
#include "commands/conform.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/fault.hpp"
#include "support/made_package.hpp"
#include "support/printed.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::tool {
namespace {

using Json = nlohmann::json;

constexpr const char* manifest = R"json({
  "module": "one", "header": "any.hpp",
  "operations": [
    {"op": "mix", "types": {"T": ["f16", "f32"], "S": ["u8", "u32"]}, "inputs": ["a: T", "b: S"], "output": "T",
     "scalars": ["share: T"], "forms": {
       "rows": {"args": ["a: const T*", "b: const S*", "y: T*", "n: u64", "share: T"], "body": "rows(a, b, y, n, share)"},
       "columns": {"args": ["a: const T*", "b: const S*", "y: T*", "n: u64", "share: T"], "body": "columns(a, b, y, n, share)"}}}],
  "symbols": [{"name": "plain", "args": ["x: f32*", "n: u64"], "body": "run(x, n)", "block": 512}]})json";

class Conform : public testing::Test {
 protected:
  Conform() { before_.manifests = after_.manifests = {manifest}; }

  /// The manifest of the second package, with a piece of it replaced.
  void replace(const std::string& piece, const std::string& with) {
    std::string text = manifest;
    for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + with.size()))
      text.replace(at, piece.size(), with);
    ASSERT_NE(text, manifest) << piece;
    after_.manifests = {text};
  }

  std::string conform(int exit_code) {
    const std::string old = before_.bytes(), now = after_.bytes();
    const test::TemporaryFile a("before.kgpkg", std::as_bytes(std::span(old))),
        b("after.kgpkg", std::as_bytes(std::span(now)));
    options_.before = a.path();
    options_.after = b.path();
    const RealDisk disk;
    return test::printed([&](std::FILE* out) { EXPECT_EQ(run_conform(options_, disk, out), exit_code); });
  }

  void expect_breach(const std::string& line) {
    const std::string text = conform(exit_failure);
    EXPECT_NE(("\n" + text).find("\n" + line + "; instead: "), std::string::npos) << line << "\nin\n" << text;
  }

  test::MadePackage before_, after_;
  ConformOptions options_;
};

TEST_F(Conform, ThePackageItselfAndMoreOfEverything) {
  EXPECT_TRUE(conform(exit_ok).ends_with("after.kgpkg: compatible, with 0 kernels and 0 operations more\n"));
  after_.targets = {"gfx942"};
  after_.manifests.push_back(test::symbols_manifest("two", {"fresh"}));
  EXPECT_TRUE(conform(exit_ok).ends_with("with 1 kernel and 0 operations more\n"));
  replace(R"("block": 512)", R"("block": 1024)");
  EXPECT_EQ(conform(exit_ok).find("instead"), std::string::npos);
  options_.names_only = true;
  replace(R"(["u8", "u32"])", R"(["u32", "i64", "u8"])");
  EXPECT_TRUE(conform(exit_ok).ends_with("with 4 kernels and 0 operations more\n"));
}

TEST_F(Conform, Arguments) {
  replace(R"("n: u64"], "body": "run)", R"("n: u32"], "body": "run)");
  expect_breach("kernel plain: argument 1 (n): before: u64 of 8 bytes at 8; now: u32 of 4 bytes at 8");
  replace(R"("x: f32*")", R"("x: const f32*")");
  expect_breach(
      "kernel plain: argument 0 (x): before: f32* of 8 bytes at 0; now: const f32* of 8 bytes at 0");
  replace(R"("n: u64"], "body": "run)", R"("n: u64", "m: u64"], "body": "run)");
  expect_breach("kernel plain: before: 2 arguments; now: 3 arguments");
  replace(R"("x: f32*")", R"("other: f32*")");
  EXPECT_EQ(conform(exit_ok).find("instead"), std::string::npos)
      << "names of arguments are not launched with";
}

TEST_F(Conform, BlocksNamesAndIds) {
  replace(R"("block": 512)", R"("block": 256)");
  expect_breach("kernel plain: before: blocks of up to 512 threads; now: up to 256");
  replace("plain", "fancy");
  expect_breach("kernel plain: before: there; now: removed");
  after_.manifests = {test::symbols_manifest("a_first_module", {"fresh"}), manifest};
  expect_breach("kernel plain: before: id 8; now: id 9");
  options_.names_only = true;
  EXPECT_TRUE(conform(exit_ok).ends_with("with 1 kernel and 0 operations more\n"));
}

TEST_F(Conform, Operations) {
  replace("\"mix\"", "\"blend\"");
  expect_breach("operation mix: before: there; now: removed");
  replace("share", "part");
  expect_breach("operation mix: before: (a: T, b: S, share: T) -> T; now: (a: T, b: S, part: T) -> T");
  replace(R"("output": "T")", R"("output": "f32")");
  expect_breach("operation mix: before: (a: T, b: S, share: T) -> T; now: (a: T, b: S, share: T) -> f32");
  replace(R"(["u8", "u32"])", R"(["u8"])");
  expect_breach("operation mix: before: a kernel for f16 u32, columns; now: none");
  expect_breach("operation mix: before: a kernel for f32 u32, rows; now: none");
  replace(R"("columns": {)", R"("other": {)");
  expect_breach("operation mix: before: a kernel for f32 u8, columns; now: none");
}

TEST_F(Conform, ForScripts) {
  options_.json = true;
  EXPECT_EQ(
      Json::parse(conform(exit_ok)),
      (Json{{"ok", true}, {"breaches", Json::array()}, {"added", {{"kernels", 0}, {"operations", 0}}}}));
  replace(R"("block": 512)", R"("block": 256)");
  const Json report = Json::parse(conform(exit_failure));
  EXPECT_EQ(report["ok"], false);
  ASSERT_EQ(report["breaches"].size(), 1u);
  EXPECT_EQ(report["breaches"][0]["of"], "kernel plain");
  EXPECT_EQ(report["breaches"][0]["is"], "up to 256");
  EXPECT_EQ(report["breaches"][0]["instead"], "keep it, and add the new one under another name");
}

TEST_F(Conform, ManifestsBeforeAnythingIsCompiled) {
  const std::string old = before_.bytes();
  const test::TemporaryFile package("before.kgpkg", std::as_bytes(std::span(old)));
  const RealDisk disk;
  options_.before = package.path();
  options_.paths.manifests = {KERNELGEN_SOURCE_DIR "/tests/golden/manifests"};
  const std::string text =
      test::printed([&](std::FILE* out) { EXPECT_EQ(run_conform(options_, disk, out), exit_failure); });
  EXPECT_NE(text.find("operation mix: before: there; now: removed; "), std::string::npos) << text;
  EXPECT_NE(text.find("the manifests: 10 problems"), std::string::npos) << text;
}

}  // namespace
}  // namespace kernelgen::tool
