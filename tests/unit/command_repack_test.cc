// `kernel-gen prune`, `merge` and `split`: the packages are identical to those of a build.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "commands/export.hpp"
#include "commands/extract.hpp"
#include "commands/merge.hpp"
#include "commands/prune.hpp"
#include "commands/split.hpp"
#include "commands/verify.hpp"
#include "kernelgen/package.hpp"
#include "support/made_package.hpp"
#include "support/printed.hpp"
#include "support/temporary_file.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

class Repack : public testing::Test {
 protected:
  Repack() {
    made_.manifests = {test::symbols_manifest("one", {"first", "second"}),
                       test::symbols_manifest("two", {"third"})};
    made_.targets = {"gfx90a", "gfx942", "gfx1100"};
    paths_.targets = KERNELGEN_SOURCE_DIR "/manifests/targets.json";
  }

  fs::path file(const std::string& name, const test::MadePackage& made) {
    disk_.write_atomically(folder_ / name, made.bytes());
    return folder_ / name;
  }
  test::MadePackage made_for(std::vector<std::string> targets) const {
    test::MadePackage made = made_;
    made.targets = std::move(targets);
    return made;
  }
  std::string prune(std::vector<std::string> keep, const fs::path& out) {
    const PruneOptions options = {paths_, file("all.kgpkg", made_), std::move(keep), out};
    return test::printed([&](std::FILE* stream) { EXPECT_EQ(run_prune(options, disk_, stream), 0); });
  }
  std::string merge(std::vector<fs::path> packages, const fs::path& out) {
    const MergeOptions options = {paths_, std::move(packages), out};
    return test::printed([&](std::FILE* stream) { EXPECT_EQ(run_merge(options, disk_, stream), 0); });
  }
  void expect_sound(const fs::path& package) {
    VerifyOptions options;
    options.package = package;
    const std::string report =
        test::printed([&](std::FILE* stream) { EXPECT_EQ(run_verify(options, disk_, stream), 0); });
    EXPECT_TRUE(report.ends_with(", all as the manifests say\n")) << report;
  }

  RealDisk disk_;
  Paths paths_;
  const test::TemporaryFolder temporary_{"repack"};
  const fs::path folder_ = temporary_.path();
  test::MadePackage made_;
};

TEST_F(Repack, PruningGivesWhatABuildForTheseTargetsWrites) {
  const fs::path out = folder_ / "some.kgpkg";
  EXPECT_TRUE(prune({"gfx90a"}, out).starts_with(out.string() + ": 3 kernels in 2 modules, 1 target, "));
  EXPECT_EQ(disk_.read(out), made_for({"gfx90a"}).bytes());
  prune({"gfx9*", "gfx1100"}, out);
  EXPECT_EQ(disk_.read(out), made_.bytes());
  prune({"rdna3", "gfx1100"}, out);
  EXPECT_EQ(disk_.read(out), made_for({"gfx1100"}).bytes()) << "a group of the table";
  expect_sound(out);
}

TEST_F(Repack, PruningToOperationsGivesWhatABuildOfTheseWrites) {
  made_.manifests = {
      R"({"module": "one", "header": "any.hpp", "operations": [
        {"op": "first", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x + 1"},
        {"op": "second", "types": {"T": ["f32"]}, "inputs": ["x: T"], "output": "T", "expr": "x + 2"}]})",
      test::symbols_manifest("two", {"third", "fourth"})};
  const fs::path out = folder_ / "some.kgpkg", list = folder_ / "list";
  disk_.write_atomically(list, "second # a comment\nth*rd fourth\n");
  const auto prune_to = [&](std::vector<std::string> operations) {
    PruneOptions options = {paths_, file("all.kgpkg", made_), {}, out};
    options.operations = std::move(operations);
    return test::printed([&](std::FILE* stream) { EXPECT_EQ(run_prune(options, disk_, stream), 0); });
  };
  test::MadePackage some = made_;
  prune_to({"@" + list.string()});
  some.only = {"op=second,third,fourth"};
  EXPECT_EQ(disk_.read(out), some.bytes());
  expect_sound(out);
  prune_to({"sec*"});
  some.only = {"op=second"};
  EXPECT_EQ(disk_.read(out), some.bytes());
  EXPECT_THROW(prune_to({"first", "third"}), BadInput) << "third and fourth are in one object";
}

TEST_F(Repack, AFolderHasAllThatABuildLeaves) {
  prune({"cdna"}, folder_ / "out");
  std::vector<std::string> names;
  for (const fs::path& path : disk_.list(folder_ / "out")) names.push_back(path.filename().string());
  EXPECT_EQ(names, (std::vector<std::string>{"kernelgen.kgpkg", "kernelgen_package.S", "kernelgen_registry.c",
                                             "kernelgen_registry.h", "registry.json"}));
  EXPECT_EQ(disk_.read(folder_ / "out" / "kernelgen.kgpkg"), made_for({"gfx90a", "gfx942"}).bytes());
  const std::string registry = disk_.read(folder_ / "out" / "registry.json");
  EXPECT_NE(registry.find("gfx942"), std::string::npos);
  EXPECT_EQ(registry.find("gfx1100"), std::string::npos);
  prune({"gfx942"}, folder_ / "out");
  EXPECT_EQ(disk_.read(folder_ / "out" / "kernelgen.kgpkg"), made_for({"gfx942"}).bytes()) << "written over";
}

TEST_F(Repack, MergingTargetsInAnyOrder) {
  const fs::path a = file("a.kgpkg", made_for({"gfx1100"})),
                 b = file("b.kgpkg", made_for({"gfx942", "gfx90a"})),
                 c = file("c.kgpkg", made_for({"gfx90a"}));
  for (const std::vector<fs::path>& order : {std::vector{a, b}, {b, a}, {c, b, a}, {a, b, c, a}}) {
    merge(order, folder_ / "all.kgpkg");
    EXPECT_EQ(disk_.read(folder_ / "all.kgpkg"), made_.bytes());
  }
}

TEST_F(Repack, MergingModules) {
  test::MadePackage other = made_;
  other.manifests = {test::symbols_manifest("three", {"fourth"})};
  merge({file("a.kgpkg", made_), file("b.kgpkg", other)}, folder_ / "both.kgpkg");
  test::MadePackage both = made_;
  both.manifests.push_back(other.manifests[0]);
  EXPECT_EQ(disk_.read(folder_ / "both.kgpkg"), both.bytes());
  expect_sound(folder_ / "both.kgpkg");
}

TEST_F(Repack, SplittingAndMergingAgain) {
  const SplitOptions options = {paths_, file("all.kgpkg", made_), folder_ / "parts"};
  const std::string text =
      test::printed([&](std::FILE* stream) { EXPECT_EQ(run_split(options, disk_, stream), 0); });
  EXPECT_EQ(text, (folder_ / "parts").string() + ":\ngfx90a.kgpkg\ngfx942.kgpkg\ngfx1100.kgpkg\n");
  EXPECT_EQ(disk_.read(folder_ / "parts" / "gfx942.kgpkg"), made_for({"gfx942"}).bytes());
  merge(disk_.list(folder_ / "parts"), folder_ / "again.kgpkg");
  EXPECT_EQ(disk_.read(folder_ / "again.kgpkg"), made_.bytes());
}

TEST_F(Repack, WhatABuildTookStaysTaken) {
  made_.only = {"op=first,third"};
  prune({"gfx90a"}, folder_ / "some.kgpkg");
  EXPECT_EQ(disk_.read(folder_ / "some.kgpkg"), made_for({"gfx90a"}).bytes());
  expect_sound(folder_ / "some.kgpkg");
}

TEST_F(Repack, ExtractingCodeObjects) {
  const fs::path all = file("all.kgpkg", made_), out = folder_ / "code";
  const auto extract = [&](const std::string& target, const std::string& module) {
    const std::string text = test::printed(
        [&](std::FILE* stream) { EXPECT_EQ(run_extract({all, target, module, out}, disk_, stream), 0); });
    std::vector<std::string> paths;
    for (const fs::path& folder : disk_.list(out))
      for (const fs::path& path : disk_.list(folder)) paths.push_back(path.lexically_relative(out).string());
    EXPECT_EQ(text, fmt::format("{}: {} code object{}\n", out.string(), paths.size(),
                                paths.size() == 1 ? "" : "s"));
    return paths;
  };
  EXPECT_EQ(extract("", ""),
            (std::vector<std::string>{"gfx1100/one.hsaco", "gfx1100/two.hsaco", "gfx90a/one.hsaco",
                                      "gfx90a/two.hsaco", "gfx942/one.hsaco", "gfx942/two.hsaco"}));
  const Package package = Package::open(all);
  const auto code = package.code(*package.find_target("gfx942"), 1);
  EXPECT_EQ(disk_.read(out / "gfx942" / "two.hsaco"),
            std::string(reinterpret_cast<const char*>(code.data()), code.size()));
  fs::remove_all(out);
  EXPECT_EQ(extract("gfx90a", "two"), (std::vector<std::string>{"gfx90a/two.hsaco"}));
  EXPECT_EQ(extract("gfx90a", ""), (std::vector<std::string>{"gfx90a/one.hsaco", "gfx90a/two.hsaco"}))
      << "written over";
}

TEST_F(Repack, ExportingCodeObjectsWithAnIndex) {
  ExportOptions options;
  options.package = file("all.kgpkg", made_);
  options.hsaco = folder_ / "code";
  EXPECT_EQ(test::printed([&](std::FILE* stream) { EXPECT_EQ(run_export(options, disk_, stream), 0); }),
            options.hsaco.string() + ": 6 code objects and index.json\n");
  const auto index = nlohmann::json::parse(disk_.read(options.hsaco / "index.json"));
  ASSERT_EQ(index["kernels"].size(), 3u);
  EXPECT_EQ(index["kernels"][2],
            nlohmann::json::parse(
                R"({"name": "third", "module": "two", "block": 256, "kernarg_bytes": 16, "arguments": [
              {"name": "x", "type": "f32*", "offset": 0, "size": 8}, {"name": "n", "type": "u64", "offset": 8, "size": 8}]})"));
  ASSERT_EQ(index["targets"].size(), 3u);
  EXPECT_EQ(index["targets"][0]["name"], "gfx90a");
  EXPECT_EQ(index["targets"][2]["wave_size"], 32);
  const auto& two = index["targets"][1]["files"][1];
  EXPECT_EQ(two["file"], "gfx942/two.hsaco");
  EXPECT_EQ(two["bytes"], disk_.read(options.hsaco / "gfx942/two.hsaco").size());
  EXPECT_EQ(two["resources"]["third"]["vgprs"], 12);
}

TEST_F(Repack, ExportingACrateInThePlaceOfCandleKernels) {
  made_.manifests = {test::symbols_manifest("candle_one", {"first", "second"}),
                     test::symbols_manifest("candle_ffi", {"hidden"}),
                     test::symbols_manifest("candle_two", {"third"})};
  ExportOptions options;
  options.package = file("all.kgpkg", made_for({"gfx90a", "gfx942"}));
  options.candle = folder_ / "crate";
  const auto exported = [&] {
    return test::printed([&](std::FILE* stream) { EXPECT_EQ(run_export(options, disk_, stream), 0); });
  };
  const std::string done =
      options.candle.string() +
      ": a crate of 3 modules and 6 code objects\n"
      "  no PTX is among them: candle's feature cuda needs a package that was built with "
      "--target compute_80\n";
  EXPECT_EQ(exported(), done);
  EXPECT_NE(disk_.read(options.candle / "Cargo.toml").find("name = \"candle-kernels\""), std::string::npos);
  const std::string library = disk_.read(options.candle / "src/lib.rs");
  for (const char* part :
       {"\nmod driver;\npub mod ffi;\n", "\nconst FFI: Module = Module {\n    index: 2,\n", "    One,\n",
        "pub const ALL_IDS: [Id; 2] = [\n    Id::One,\n    Id::Two,\n];",
        "pub const TWO: Module = Module {\n    index: 1,\n    codes: &[\n"
        "        (\"gfx90a\", include_bytes!(\"../gfx90a/candle_two.hsaco\")),\n"
        "        (\"gfx942\", include_bytes!(\"../gfx942/candle_two.hsaco\")),\n    ],\n    "
        "kernels: &[\n        \"third\",\n"})
    EXPECT_NE(library.find(part), std::string::npos) << part << "in\n" << library;
  EXPECT_NE(library.find("panic!(\"candle-kernels has no PTX"), std::string::npos);
  EXPECT_TRUE(disk_.exists(options.candle / "gfx942/candle_two.hsaco"));
  for (const char* file : {"driver.rs", "ffi.rs", "ffi/experts.rs"})
    EXPECT_TRUE(disk_.exists(options.candle / "src" / file)) << file;
  for (const auto& [candle, version] :
       {std::pair{"0.9", "0.9.2"}, {"0.9.1", "0.9.1"}, {"0.10", "0.10.2"}, {"0.11", "0.11.1"}}) {
    options.candle_version = candle;
    EXPECT_EQ(exported(), done) << "written over";
    EXPECT_NE(disk_.read(options.candle / "Cargo.toml").find(std::string("version = \"") + version + '"'),
              std::string::npos)
        << candle;
  }
}

}  // namespace
}  // namespace kernelgen::tool
