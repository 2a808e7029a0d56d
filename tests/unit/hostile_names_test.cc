// A package whose names contain terminal escapes, in every command that prints names.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/fault.hpp"
#include "commands/inspect.hpp"
#include "commands/ls.hpp"
#include "commands/report.hpp"
#include "commands/run.hpp"
#include "commands/verify.hpp"
#include "gguf_writer.hpp"
#include "support/package_builder.hpp"
#include "support/printed.hpp"
#include "support/temporary_file.hpp"

namespace kernelgen::tool {
namespace {

/// Each name clears the screen and turns the direction of writing around.
#define HOSTILE "\x1b[2J\u202e"
/// As people are to see them, and as JSON spells them.
#define SPELLED "\\x1b[2J\\u202e"
#define IN_JSON "\\u001b[2J\\u202e"

/// Its code is PTX, whose reader takes any name, the last kernel's with a byte that is no UTF-8.
constexpr const char* markup = "</script><img src=x>&amp;<!--";

std::vector<std::byte> hostile_package() {
  constexpr std::string_view ptx = ".version 7.0\n.target sm_80\n.visible .entry " HOSTILE
                                   "kernel(.param .u64 x)\n{\n}\n.entry bad\xff(.param .u64 x)\n{\n}\n";
  constexpr test::Argument arguments[] = {{HOSTILE "x", HOSTILE "f32*", 8, true, true}};
  constexpr std::string_view inputs[] = {HOSTILE "input"},
                             forms[] = {"contiguous", "strided", HOSTILE "form"};
  constexpr std::uint32_t f32[] = {7};
  const test::TypeVariable variables[] = {{HOSTILE "T", f32}};
  test::PackageBuilder builder;
  builder.add_target(HOSTILE "target", 2, 32);
  builder.add_module(HOSTILE "module");
  const std::uint32_t variants[] = {builder.add_kernel(HOSTILE "kernel", arguments), KERNELGEN_NO_KERNEL,
                                    KERNELGEN_NO_KERNEL};
  builder.add_code(0, 0, test::bytes_of(ptx));
  builder.add_operation(HOSTILE "operation", inputs, forms, variables, variants);
  return builder.finish();
}

/// A name of each kind that would be markup in a page that does not escape it.
std::vector<std::byte> package_of_markup() {
  const std::string name = markup;
  const std::string ptx = ".version 7.0\n.target sm_80\n.entry " + name + "(.param .u64 x)\n{\n}\n";
  constexpr test::Argument arguments[] = {{"x", "f32*", 8, true, true}};
  test::PackageBuilder builder;
  builder.add_target(name, 2, 32);
  builder.add_module(name);
  builder.add_kernel(name, arguments);
  builder.add_code(0, 0, test::bytes_of(ptx));
  return builder.finish();
}

class HostileNames : public testing::Test {
 protected:
  /// Runs a command twice, for people and for programs: neither prints what a terminal would obey, and both spell
  /// the names out.
  template <class Options, class Run>
  void expect_spelled(Options options, std::initializer_list<const char*> names, const Run& run) {
    for (const bool json : {false, true}) {
      options.json = json;
      const std::string text = test::printed([&](std::FILE* out) { run(options, out); });
      EXPECT_EQ(text.find_first_of("\x1b\x7f\xe2\xff"), std::string::npos) << text;
      for (const std::string name : names)
        EXPECT_NE(text.find((json ? IN_JSON : SPELLED) + name), std::string::npos) << name << "\nin\n"
                                                                                   << text;
      EXPECT_TRUE(!json || nlohmann::json::accept(text)) << text;
    }
  }

  RealDisk disk_;
  const test::TemporaryFile package_{HOSTILE "names.kgpkg", hostile_package()};
};

TEST_F(HostileNames, InList) {
  ListOptions options;
  options.package = package_.path();
  const auto run = [&](const ListOptions& o, std::FILE* out) { run_ls(o, disk_, out); };
  expect_spelled(options, {"operation", "form", "input"}, run);
  options.kernels_of = "*";
  expect_spelled(options, {"kernel", "module", "f32*"}, run);
}

TEST_F(HostileNames, InListOfAModel) {
  GgufWriter writer;
  writer.add(HOSTILE "key", std::string_view(HOSTILE "text"));
  writer.add("texts", std::vector<std::string>{HOSTILE "element"});
  writer.add_tensor(HOSTILE "tensor", {1}, 0, 4);
  const test::TemporaryFile model("hostile.gguf", test::bytes_of(writer.head() + "1234"));
  ListOptions options;
  options.package = model.path();
  expect_spelled(options, {"key", "text", "element", "tensor"},
                 [&](const ListOptions& o, std::FILE* out) { run_ls(o, disk_, out); });
}

TEST_F(HostileNames, InInspect) {
  InspectOptions options;
  options.file = package_.path();
  const auto run = [&](const InspectOptions& o, std::FILE* out) { run_inspect(o, disk_, out); };
  expect_spelled(options, {"target", "module"}, run);
  options.name = HOSTILE "module";
  expect_spelled(options, {"kernel", "target"}, run);
}

TEST_F(HostileNames, InVerify) {
  VerifyOptions options;
  options.package = package_.path();
  options.manifests = {KERNELGEN_SOURCE_DIR "/manifests/core"};
  options.only = {"op=exp", "dtype=f32"};  // the text has the first problems only
  expect_spelled(options, {"kernel", "operation", "module", "target"},
                 [&](const VerifyOptions& o, std::FILE* out) { run_verify(o, disk_, out); });
}

TEST_F(HostileNames, InReport) {
  const test::TemporaryFile package("markup.kgpkg", package_of_markup());
  const test::TemporaryFile page("markup.html", {});
  for (const auto& file : {package_.path(), package.path()}) {
    const ReportOptions options = {.package = file,
                                   .other = {},
                                   .target = {},
                                   .launches = {},
                                   .out = page.path(),
                                   .machines = KERNELGEN_SOURCE_DIR "/manifests/machines.json",
                                   .cache = {}};
    test::printed([&](std::FILE* out) { EXPECT_EQ(run_report(options, disk_, out), exit_ok); });
    const std::string text = disk_.read(page.path());
    EXPECT_EQ(text.find_first_of("\x1b\x7f\xff"), std::string::npos);
    EXPECT_EQ(text.find("<img"), std::string::npos);
    constexpr std::string_view start = "type=\"application/json\">";
    const std::size_t at = text.find(start) + start.size();
    const std::string data = text.substr(at, text.find("</script>", at) - at);
    EXPECT_EQ(data.find_first_of("<>&"), std::string::npos);
    const auto json = nlohmann::json::parse(data);
    EXPECT_EQ(json["packages"][0]["rows"][0][0], file == package.path() ? markup : HOSTILE "kernel");
  }
}

TEST_F(HostileNames, InRun) {
  const Environment none = [](const char*) { return std::string(); };
  RunOptions options;
  options.package = package_.path();
  expect_spelled(options, {"operation", "input"},
                 [&](const RunOptions& o, std::FILE* out) { run_operation(o, disk_, none, out); });
  options.operation = HOSTILE "operation";
  const std::string usage = describe_operation(options, disk_, none);
  EXPECT_TRUE(usage.starts_with(SPELLED "operation\n")) << usage;
  EXPECT_EQ(usage.find('\x1b'), std::string::npos) << usage;
  options.package = HOSTILE "nowhere";
  try {
    describe_operation(options, disk_, none);
    FAIL() << "described";
  } catch (const BadInput& error) {
    EXPECT_TRUE(std::string_view(error.what()).starts_with("kernel-gen: error: " SPELLED "nowhere: "))
        << error.what();
  }
}

}  // namespace
}  // namespace kernelgen::tool
