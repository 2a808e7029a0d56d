// `kernel-gen disasm`: instructions, source lines, unreadable code.
#include "commands/disasm.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/fault.hpp"
#include "support/assembled.hpp"
#include "support/made_package.hpp"
#include "support/printed.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::tool {
namespace {

std::string disasm(const DisasmOptions& options) {
  const RealDisk disk;
  return test::printed([&](std::FILE* out) { EXPECT_EQ(run_disasm(options, disk, out), 0); });
}

std::string refusal(const DisasmOptions& options) {
  const RealDisk disk;
  try {
    test::printed([&](std::FILE* out) { run_disasm(options, disk, out); });
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

TEST(Disasm, MarksWhereBranchesLead) {
  const test::TemporaryFile file("loop.hsaco", test::assembled("gfx90a", {.body = R"(
back:
  v_add_f32_e32 v0, v1, v2
  s_cbranch_scc0 back
)"}));
  const std::string text = disasm({file.path(), "k", "", false});
  const std::size_t first = text.find(":\n"), line = text.find('\n');
  ASSERT_NE(first, std::string::npos) << text;
  const std::string address = text.substr(line + 1, first - line - 1);
  EXPECT_EQ(text.substr(0, line), "gfx90a " + file.path().stem().string() + " k");
  EXPECT_NE(text.find("v_add_f32_e32            v0, v1, v2\n"), std::string::npos) << text;
  EXPECT_NE(text.find("-> " + address + "\n"), std::string::npos) << text;
  EXPECT_NE(text.find("s_endpgm\n"), std::string::npos) << text;

  const auto json = nlohmann::json::parse(disasm({file.path(), "k", "", true}));
  ASSERT_EQ(json["instructions"].size(), 3u);
  EXPECT_EQ(json["kernel"], "k");
  EXPECT_EQ(json["instructions"][1]["goes_to"], json["instructions"][0]["address"]);
  EXPECT_FALSE(json["instructions"][0].contains("file")) << "nobody says where it comes from";
}

TEST(Disasm, ShowsTheLinesOfSource) {
  const std::string text = disasm({KERNELGEN_DEBUG_KERNEL, "kg_half", "", false});
  EXPECT_NE(text.find("debug_kernel.c:11:   **x *= 0.5f; /* the line that the test looks for */\n"),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(disasm({KERNELGEN_DEBUG_KERNEL, "kg_half", "", true}));
  bool found = false;
  for (const auto& row : json["instructions"]) found |= row.value("line", 0) == 11;
  EXPECT_TRUE(found) << json;
}

constexpr std::string_view ptx = R"(
.version 8.0
.target sm_80
.visible .entry first(
	.param .u64 a
)
{
	{ ret; }
}
.visible .entry second(
	.param .u64 a
)
{
	bar.sync 0;
}
)";

TEST(Disasm, PrintsOneKernelOfPtx) {
  const test::TemporaryFile file("text.ptx", std::as_bytes(std::span(ptx)));
  EXPECT_EQ(disasm({file.path(), "first", "", false}),
            ".visible .entry first(\n\t.param .u64 a\n)\n{\n\t{ ret; }\n}\n");
  EXPECT_EQ(disasm({file.path(), "second", "", false}),
            ".visible .entry second(\n\t.param .u64 a\n)\n{\n\tbar.sync 0;\n}\n");
  EXPECT_TRUE(refusal({file.path(), "second", "", true}).ends_with(": PTX is text; --json does not apply"));
  EXPECT_TRUE(refusal({file.path(), "secon", "", false})
                  .ends_with(": holds no kernel or module 'secon' (did you mean 'second'?)"));
}

TEST(Disasm, AsksForOneKernelOnOneTarget) {
  test::MadePackage made;
  made.manifests = {test::symbols_manifest("one", {"first"})};
  made.targets = {"gfx90a", "gfx942"};
  const std::string bytes = made.bytes();
  const test::TemporaryFile file("package.kgpkg", std::as_bytes(std::span(bytes)));
  const std::string start = "kernel-gen: error: " + file.path().string() + ": ";
  EXPECT_EQ(refusal({file.path(), "first", "", false}),
            start + "has first for gfx90a, gfx942; choose one with --target");
  EXPECT_EQ(refusal({file.path(), "one", "gfx942", false}),
            start + "gfx942 one: is a module; name one of its kernels, 'kernel-gen inspect' lists them");
  EXPECT_EQ(refusal({file.path(), "first", "gfx941", false}),
            start + "holds no target 'gfx941' (did you mean 'gfx942'?)");
}

}  // namespace
}  // namespace kernelgen::tool
