// Errors of builds: exact lines, exit codes, and nothing written. No compiler runs
// here: a fake one answers, except in the tests of the command line, which start the real tool.
#include <gtest/gtest.h>

#include "workbench.hpp"

namespace kernelgen::tool {
namespace {

TEST(BuildError, ThereIsNoneWhenAllIsWell) {
  Workbench bench;
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.disk.list("/out").size(), 5u);
  const std::string package = bench.disk.read("/out/kernelgen.kgpkg");
  EXPECT_EQ(package.find("/usr/"), std::string::npos) << "no path of this machine belongs into a package";
  EXPECT_EQ(package.find("/home/"), std::string::npos);
}

TEST(BuildError, OnlyWhatPassesIsKept) {
  Workbench bench;
  bench.kernel[".vgpr_spill_count"] = 2;
  EXPECT_EQ(bench.build().size(), 1u);
  bench.kernel = kernel_metadata("first");
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.compiled, 2) << "compiled again, as what failed is not in the cache";
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.compiled, 2);
  bench.disk.add("/k/a.hpp", "// another comment");
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.compiled, 2);
  bench.disk.add("/k/a.hpp", "int changed;");
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.compiled, 3);
}

TEST(BuildReport, ABuildWithNothingToDoLeavesTheFolderAsItIs) {
  Workbench bench;
  bench.disk.add("/bin/kernel-gen", "this program");
  bench.options.program = "/bin/kernel-gen";
  EXPECT_EQ(bench.build(), Lines{});
  const std::string summary = bench.said.substr(bench.said.find("/out/kernelgen.kgpkg"));
  const auto written = [&] { return bench.disk.stamp("/out/kernelgen.kgpkg").changed; };
  const std::int64_t first = written();
  bench.disk.add("/k/a.hpp", "// another comment");
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.said, "nothing to do\n" + summary);
  EXPECT_EQ(written(), first);

  bench.disk.add("/out/registry.json", "{}");
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_NE(bench.disk.read("/out/registry.json"), "{}") << "what was changed by hand is written again";
  bench.disk.add("/bin/kernel-gen", "another program");
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.said.find("nothing to do"), std::string::npos) << "it may write other bytes";
  bench.options.only = {"op=first"};
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.said.find("nothing to do"), std::string::npos) << "the package records what was asked for";
  EXPECT_EQ(bench.compiled, 1);
}

TEST(BuildReport, ExplainNamesWhatChanged) {
  Workbench bench;
  bench.options.explain = true;
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_TRUE(bench.said.starts_with("gfx942 a: it was not compiled before\n")) << bench.said;
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_TRUE(bench.said.starts_with("gfx942 a: up to date\n")) << bench.said;
  bench.disk.add("/k/a.hpp", "int changed;");
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_TRUE(bench.said.starts_with("gfx942 a: /k/a.hpp changed\n")) << bench.said;
}

TEST(BuildReport, ADryRunPrintsCommandsAndWritesNoPackage) {
  Workbench bench;
  bench.options.dry_run = true;
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_TRUE(bench.said.starts_with("/usr/bin/clang++-19 -c -x hip ")) << bench.said;
  EXPECT_FALSE(bench.disk.exists("/out"));
  EXPECT_EQ(bench.compiled, 0);
  bench.options.dry_run = false;
  EXPECT_EQ(bench.build(), Lines{});
  bench.options.dry_run = true;
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.said, "") << "nothing is to be compiled";
}

TEST(BuildReport, JsonSaysWhatBecameOfEachObject) {
  Workbench bench;
  bench.options.json = true;
  EXPECT_EQ(bench.build(), Lines{});
  nlohmann::json json = nlohmann::json::parse(bench.said);
  EXPECT_EQ(json["package"], "/out/kernelgen.kgpkg");
  EXPECT_EQ(json["kernels"], 1);
  EXPECT_EQ(json["targets"][0]["name"], "gfx942");
  EXPECT_EQ(json["objects"][0]["state"], "compiled");
  EXPECT_EQ(json["objects"][0]["why"], "it was not compiled before");
  EXPECT_EQ(bench.build(), Lines{});
  json = nlohmann::json::parse(bench.said);
  EXPECT_EQ(json["objects"][0]["state"], "cached");
  bench.options.json = false;
  bench.options.quiet = true;
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.said, "");
}

TEST(BuildReport, TheDepfileNamesWhatWasRead) {
  Workbench bench;
  bench.options.depfile = "/package.d";
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.disk.read("/package.d"),
            "/out/kernelgen.kgpkg: \\\n  /k/a.hpp \\\n  /m \\\n  /m/a.json \\\n  /targets.json \\\n"
            "  /usr/bin/clang++-19\n");
}

TEST(BuildReport, ALauncherComesFirstAndChangesNoKey) {
  Workbench bench;
  bench.options.launcher = "nice  -n 5";
  bench.options.dry_run = true;
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_TRUE(bench.said.starts_with("nice -n 5 /usr/bin/clang++-19 -c ")) << bench.said;
  bench.options.launcher = "";
  bench.options.dry_run = false;
  EXPECT_EQ(bench.build(), Lines{});
  bench.options.launcher = "nice";
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.compiled, 1);
}

TEST(BuildError, ACacheThatCannotBeWrittenIsNoFailure) {
  Workbench bench;
  bench.disk.make_dirs("/home/me");
  bench.disk.read_only = {"/home/me"};
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.build(), Lines{});
  EXPECT_EQ(bench.compiled, 2);
}

TEST(BuildError, ACompilerThatFails) {
  Workbench bench;
  bench.compiler_says = "a.hip:5:1: error: no member named 'run'\n";
  EXPECT_EQ(bench.build(), (Lines{"kernel-gen: error: gfx942 a: /usr/bin/clang++-19: exit code 1\n"
                                  "    a.hip:5:1: error: no member named 'run'"}));
  EXPECT_FALSE(bench.disk.exists("/out"));
}

TEST(BuildError, ACompilerWithoutRoomForItsObject) {
  Workbench bench;
  bench.compiler_says =
      "fatal error: error in backend: IO failure on output stream: No space left on device\n";
  const Lines lines = bench.build();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with(
      "kernel-gen: error: gfx942 a: /usr/bin/clang++-19: exit code 1, writing /.out.kernelgen-"))
      << lines[0];
  EXPECT_NE(lines[0].find("/objects/a-gfx942.o: No space left on device\n    fatal error: "),
            std::string::npos)
      << lines[0];
}

TEST(BuildError, ACompilerWithADefect) {
  Workbench bench;
  bench.compiler_says = "a.hip:5:1: error: illegal SGPR to VGPR copy\n";
  EXPECT_EQ(bench.build(),
            (Lines{"kernel-gen: error: gfx942 a: /usr/bin/clang++-19: exit code 1: a defect of the compiler; "
                   "clang 15 has it most (apt install clang-19 lld-19)\n"
                   "    a.hip:5:1: error: illegal SGPR to VGPR copy"}));
}

TEST(BuildError, KeepsTheFormerBuild) {
  Workbench bench;
  ASSERT_EQ(bench.build(), Lines{});
  const std::string former = bench.disk.read("/out/kernelgen.kgpkg");
  bench.options.use_cache = false;
  bench.compiler_says = "error: disk full\n";
  EXPECT_EQ(bench.build().size(), 1u);
  EXPECT_EQ(bench.disk.read("/out/kernelgen.kgpkg"), former);
}

TEST(BuildError, CodeThatDoesNotMatchItsManifest) {
  Workbench bench;
  bench.kernel[".vgpr_spill_count"] = 2;
  bench.kernel[".args"][1][".size"] = 4;
  EXPECT_EQ(bench.build(),
            (Lines{"kernel-gen: error: gfx942: kernel first: argument n (u64): size: wanted 8, found 4",
                   "kernel-gen: error: gfx942: kernel first: VGPR spills: wanted at most 0, found 2"}));
  EXPECT_FALSE(bench.disk.exists("/out"));
}

TEST(BuildError, CodeThatCannotBeRead) {
  Workbench bench;
  bench.kernel[".name"] = 5;
  EXPECT_EQ(bench.build(),
            (Lines{"kernel-gen: error: gfx942 a: code object cannot be read: metadata: amdhsa.kernels: "
                   ".name is not a string"}));
}

TEST(BuildError, AMissingCompiler) {
  Workbench bench;
  bench.disk.remove_tree("/usr/bin/clang++-19");
  EXPECT_EQ(bench.build(),
            (Lines{"kernel-gen: error: gfx942 cannot be built: no clang++ from version 15 on is in PATH; apt "
                   "install clang-19 lld-19"}));
  EXPECT_FALSE(bench.disk.exists("/out"));
}

TEST(BuildError, UnknownTargetAndOperation) {
  Workbench bench;
  bench.options.targets = {"gfx924"};
  EXPECT_EQ(bench.build(),
            (Lines{"kernel-gen: error: unknown target 'gfx924'; 'kernel-gen targets' lists all (did you "
                   "mean 'gfx942'?)"}));
  bench.options.targets = {"gfx942"};
  bench.options.only = {"op=frist"};
  EXPECT_EQ(
      bench.build(),
      (Lines{"kernel-gen: error: --only op=frist: there is no such operation (did you mean 'first'?)"}));
}

TEST(BuildError, AnOutFolderThatHoldsOtherThings) {
  Workbench bench;
  bench.disk.add("/out/thesis.txt", "mine");
  EXPECT_EQ(bench.build(),
            (Lines{"kernel-gen: error: --out /out: holds 'thesis.txt', which no build wrote; name a new "
                   "or empty folder"}));
}

TEST(BuildError, NoGpuForNative) {
  Workbench bench;
  bench.options.targets = {"native"};
  bench.compiler_says = "nvidia-smi: not found";
  EXPECT_EQ(bench.build(), (Lines{"kernel-gen: error: --target native: no GPU here "
                                  "(/sys/class/kfd/kfd/topology/nodes names none, nvidia-smi neither)"}));
}

}  // namespace
}  // namespace kernelgen::tool
