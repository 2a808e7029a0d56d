// Errors of the package commands for invalid packages and options.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/fault.hpp"
#include "commands/conform.hpp"
#include "commands/diff.hpp"
#include "commands/export.hpp"
#include "commands/extract.hpp"
#include "commands/inspect.hpp"
#include "commands/merge.hpp"
#include "commands/prune.hpp"
#include "commands/split.hpp"
#include "commands/verify.hpp"
#include "kernelgen/package.hpp"
#include "support/made_package.hpp"
#include "support/package_builder.hpp"
#include "support/printed.hpp"
#include "support/temporary_file.hpp"
#include "support/temporary_folder.hpp"

namespace kernelgen::tool {
namespace {

/// A package on the disk, and the lines of a command that refuses it.
class PackageToolsError : public testing::Test {
 protected:
  PackageToolsError() {
    test::MadePackage made;
    made.manifests = {test::symbols_manifest("one", {"first"})};
    const std::string bytes = made.bytes();
    file_.emplace("package.kgpkg", std::as_bytes(std::span(bytes)));
  }

  template <class Run>
  static std::string refusal(const Run& run) {
    std::string text;
    const std::string printed = test::printed([&](std::FILE* out) {
      try {
        run(out);
      } catch (const BadInput& error) {
        text = error.what();
      }
    });
    EXPECT_EQ(printed, "");
    return text;
  }
  std::string path() const { return file_->path().string(); }
  static Paths paths() {
    Paths paths;
    paths.targets = KERNELGEN_SOURCE_DIR "/manifests/targets.json";
    return paths;
  }

  RealDisk disk_;
  std::optional<test::TemporaryFile> file_;
};

TEST_F(PackageToolsError, Diff) {
  const auto diff = [&](const char* after, const std::string& target, std::vector<std::string> fail_on) {
    return refusal([&](std::FILE* out) {
      run_diff({path(), after ? after : path(), target, std::move(fail_on), false, {}}, disk_, out);
    });
  };
  EXPECT_EQ(diff(nullptr, "", {"occupancy:+1"}),
            "kernel-gen: error: --fail-on occupancy:+1: '+1' is not a limit; write it as in -25% or -1");
  EXPECT_EQ(diff(nullptr, "", {"occupancy"}),
            "kernel-gen: error: --fail-on occupancy: the packages have no target in common that is in "
            "machines.json: ");
  EXPECT_EQ(diff("nowhere", "", {}),
            "kernel-gen: error: nowhere: there is no package; 'kernel-gen build' writes one");
  EXPECT_EQ(diff(nullptr, "gfx90b", {}),
            "kernel-gen: error: " + path() + ": holds no target 'gfx90b' (did you mean 'gfx90a'?)");
  EXPECT_EQ(diff(nullptr, "", {"spill"}),
            "kernel-gen: error: --fail-on spill: unknown figure 'spill'; the figures are size, vgprs, agprs, "
            "sgprs, spills, "
            "lds, scratch, occupancy, package, added, removed (did you mean 'spills'?)");
  for (const char* growth : {"5%", "+", "+x%", "+5%%", "-5%", "+-5", "+nan", "+inf", "+5 %", ""})
    EXPECT_EQ(
        diff(nullptr, "", {std::string("size:") + growth}),
        fmt::format("kernel-gen: error: --fail-on size:{}: '{}' is not a limit; write it as in +5% or +1024",
                    growth, growth));
}

TEST_F(PackageToolsError, Conform) {
  const auto conform = [&](const std::filesystem::path& before, const std::filesystem::path& after) {
    ConformOptions options;
    options.before = before;
    options.after = after;
    options.paths.manifests = {"nowhere"};
    return refusal([&](std::FILE* out) { run_conform(options, disk_, out); });
  };
  EXPECT_EQ(conform("nowhere", path()),
            "kernel-gen: error: nowhere: there is no package; 'kernel-gen build' writes one");
  EXPECT_EQ(conform(path(), "there"),
            "kernel-gen: error: there: there is no package; 'kernel-gen build' writes one");
  EXPECT_EQ(conform(path(), ""), "kernel-gen: error: nowhere: there is no such folder of manifests");
}

/// A second package in addition to the first.
class MergeError : public PackageToolsError {
 protected:
  std::string merge(const test::MadePackage& other) {
    const std::string bytes = other.bytes();
    const test::TemporaryFile file("other.kgpkg", std::as_bytes(std::span(bytes)));
    const MergeOptions options = {paths(), {path(), file.path()}, path() + ".out.kgpkg"};
    const std::string text = refusal([&](std::FILE* out) { run_merge(options, disk_, out); });
    EXPECT_FALSE(disk_.exists(options.out));
    const std::string start =
        "kernel-gen: error: " + file.path().string() + ": cannot be merged with " + path() + ": ";
    return text.starts_with(start) ? text.substr(start.size()) : text;
  }
  static test::MadePackage made() {
    test::MadePackage made;
    made.manifests = {test::symbols_manifest("one", {"first"})};
    return made;
  }
};

TEST_F(MergeError, WhatBothHaveMustBeTheSame) {
  test::MadePackage other = made();
  other.manifests = {test::symbols_manifest("one", {"second"})};
  EXPECT_EQ(merge(other), "they have different manifests of module one");
  other = made();
  other.only = {"op=first"};
  EXPECT_EQ(merge(other), "they were built with other --only texts");
  other = made();
  other.source = "xxh3:1";
  EXPECT_EQ(merge(other), "they were built from different sources");
  other = made();
  other.change = [](const std::string&, nlohmann::json& kernel) { kernel[".vgpr_count"] = 13; };
  EXPECT_EQ(merge(other), "they have different code of module one for gfx90a");
}

TEST_F(MergeError, EveryModuleNeedsCodeForEveryTarget) {
  test::MadePackage other = made();
  other.manifests = {test::symbols_manifest("two", {"second"})};
  other.targets = {"gfx942"};
  EXPECT_EQ(merge(other),
            "kernel-gen: error: " + path() +
                ": no package has code of module two for gfx90a; packages to merge have the same kernels or "
                "the same targets");
  other.manifests = {test::symbols_manifest("two", {"first"})};
  other.targets = {"gfx90a"};
  EXPECT_NE(merge(other).find("kernel 'first'"), std::string::npos) << merge(other);
}

TEST_F(PackageToolsError, Prune) {
  const auto prune = [&](std::vector<std::string> keep, const std::string& out) {
    const PruneOptions options = {paths(), path(), std::move(keep), out};
    return refusal([&](std::FILE* stream) { run_prune(options, disk_, stream); });
  };
  EXPECT_EQ(prune({"gfx90b", "gfx11*"}, "/never/out.kgpkg"),
            "kernel-gen: error: " + path() +
                ": --keep gfx90b: holds no such target (did you mean 'gfx90a'?)\n" +
                "kernel-gen: error: " + path() + ": --keep gfx11*: holds no such target");
  EXPECT_EQ(refusal([&](std::FILE* stream) {
              PruneOptions options = {paths(), path(), {}, "/never/out.kgpkg"};
              options.operations = {"frist"};
              run_prune(options, disk_, stream);
            }),
            "kernel-gen: error: " + path() +
                ": --operations frist: holds no such operation (did you mean 'first'?)");
  const test::TemporaryFile taken("taken", {});
  EXPECT_EQ(prune({"gfx90a"}, taken.path()),
            "kernel-gen: error: --out " + taken.path().string() + ": a file is there, not a folder");
}

TEST_F(PackageToolsError, APackageThatIsNotWhatItsManifestsMake) {
  const auto refused = [&](const std::vector<std::byte>& bytes) {
    const test::TemporaryFile file("doctored.kgpkg", bytes);
    const SplitOptions options = {paths(), file.path(), path() + ".parts"};
    const std::string text = refusal([&](std::FILE* out) { run_split(options, disk_, out); });
    EXPECT_FALSE(disk_.exists(options.out));
    const std::string start = "kernel-gen: error: " + file.path().string() + ": ";
    EXPECT_TRUE(text.starts_with(start)) << text;
    return text.substr(start.size(), text.find('\n') - start.size());
  };
  const auto doctored = [&](const auto& change) {
    return test::with_changed_tables(test::read_file(path()), change);
  };
  EXPECT_EQ(
      refused(doctored([](std::byte* bytes, const auto& header) {
        kernelgen_kernel_record kernel;
        std::memcpy(&kernel, bytes + header.kernels.offset, sizeof kernel);
        kernel.block = 17;
        std::memcpy(bytes + header.kernels.offset, &kernel, sizeof kernel);
      })),
      "is not what its manifests make: kernel first: largest block: the manifests have 256, the package 17; "
      "'kernel-gen "
      "verify' tells all");
  EXPECT_EQ(refused(doctored([](std::byte* bytes, const auto& header) {
              const std::string_view text(reinterpret_cast<const char*>(bytes + header.provenance.offset),
                                          header.provenance.count);
              std::memcpy(bytes + header.provenance.offset + text.find("\"targets\""), "\"tergets\"", 9);
            })),
            "does not record how its targets were compiled");
  EXPECT_EQ(refused(doctored([](std::byte* bytes, const auto& header) {
              std::memset(bytes + header.provenance.offset, ' ', header.provenance.count);
              std::memcpy(bytes + header.provenance.offset, "{}", 2);
            })),
            "provenance: key 'only' is missing");
}

TEST_F(PackageToolsError, ExtractAndExport) {
  const auto extract = [&](const std::string& target, const std::string& module) {
    return refusal(
        [&](std::FILE* out) { run_extract({path(), target, module, path() + ".code"}, disk_, out); });
  };
  const std::string start = "kernel-gen: error: " + path() + ": ";
  EXPECT_EQ(extract("gfx90b", ""), start + "holds no target 'gfx90b' (did you mean 'gfx90a'?)");
  EXPECT_EQ(extract("", "ones"), start + "holds no module 'ones' (did you mean 'one'?)");
  ExportOptions options;
  options.package = path();
  const auto refused = [&] { return refusal([&](std::FILE* out) { run_export(options, disk_, out); }); };
  EXPECT_EQ(refused(),
            "kernel-gen: error: export: name what to write, and the folder, with --hsaco, --kpack, --fatbin, "
            "--cubin, --ptx or --candle");
  options.ptx = path() + ".code";
  EXPECT_EQ(refused(), start + "has no code of kind ptx");
  options = {path(), "/proc/never", {}, {}, {}, {}, {}};
  EXPECT_TRUE(refused().starts_with("kernel-gen: error: --hsaco /proc/never: cannot make directory "))
      << refused();
  EXPECT_FALSE(disk_.exists(path() + ".code"));
}

TEST_F(PackageToolsError, ACrateOfOtherKernelsThanCandles) {
  ExportOptions options;
  options.package = path();
  options.candle = path() + ".crate";
  EXPECT_EQ(refusal([&](std::FILE* out) { run_export(options, disk_, out); }),
            "kernel-gen: error: " + path() +
                ": the module 'one' is not one of candle's, which begin with 'candle_'; export --candle "
                "takes a package "
                "that was built with --manifests manifests/candle alone");
  for (const char* version :
       {"", "0.1", "0.8.4", "0.12", "0.11.", "0.11.x", "0.11.1.2", "0.11.99999", "0.110"}) {
    options.candle_version = version;
    EXPECT_EQ(refusal([&](std::FILE* out) { run_export(options, disk_, out); }),
              std::string("kernel-gen: error: --candle-version ") + version +
                  ": candle 0.9, 0.10 and 0.11 are known; give one of them, or a version such as 0.11.1");
  }
  EXPECT_FALSE(disk_.exists(options.candle));
}

TEST_F(PackageToolsError, ModulesThatAreNoNamesInRust) {
  const RealDisk disk;
  const Package package = Package::open(path());
  const auto code = package.code(0, 0);
  for (const char* name : {"my-ops", "2d", "a.b", "", "ffi"}) {
    test::PackageBuilder builder;
    builder.add_target("gfx90a", 1, 64);
    builder.add_module(std::string("candle_") + name);
    builder.add_kernel("first", {});
    builder.add_code(0, 0, std::span<const std::byte>(code));
    const test::TemporaryFile file("hostile.kgpkg", builder.finish());
    ExportOptions options;
    options.package = file.path();
    options.candle = path() + ".crate";
    const std::string text = refusal([&](std::FILE* out) { run_export(options, disk_, out); });
    const std::string reason = std::string(name) == "ffi"
                                   ? "has no module that candle knows"
                                   : std::string("the module '") + name + "' cannot be a name in Rust";
    EXPECT_NE(text.find(reason), std::string::npos) << text;
    EXPECT_FALSE(disk_.exists(options.candle));
  }
}

/// What a program or library with a GPU's code objects has.
[[gnu::used, gnu::section(".hip_fatbin")]] const char bundle[] = "__CLANG_OFFLOAD_BUNDLE__";

TEST_F(PackageToolsError, InspectSaysWhatAFileWithoutKernelsIs) {
  const auto inspect = [&](const char* file, bool json) {
    InspectOptions options;
    options.file = file;
    options.json = json;
    return refusal([&](std::FILE* out) { run_inspect(options, disk_, out); });
  };
  for (const bool json : {false, true}) {
    const std::string text = inspect("/bin/true", json), library = inspect("/proc/self/exe", json);
    EXPECT_NE(text.find("/bin/true: is a program or library without code for GPUs"), std::string::npos)
        << text;
    EXPECT_NE(library.find("cannot be read: .hip_fatbin: offload bundle: ends in its header"),
              std::string::npos)
        << library;
  }
}

TEST_F(PackageToolsError, VerifySumsUpWhatAFilteredPackageLacks) {
  std::vector<std::string> names;
  for (int i = 0; i < 60; ++i) names.push_back("kernel_" + std::to_string(i));
  test::MadePackage made;
  made.manifests = {test::symbols_manifest("one", names)};
  made.only = {"op=kernel_0"};
  const std::string bytes = made.bytes();
  const test::TemporaryFile package("filtered.kgpkg", std::as_bytes(std::span(bytes)));
  const test::TemporaryFolder manifests("manifests");
  disk_.write_atomically(manifests.path() / "one.json", made.manifests[0]);
  VerifyOptions options;
  options.package = package.path();
  options.manifests = {manifests.path()};
  const auto verify = [&] {
    return test::printed([&](std::FILE* out) { EXPECT_EQ(run_verify(options, disk_, out), exit_failure); });
  };
  const std::string text = verify();
  EXPECT_LT(std::ranges::count(text, '\n'), 30) << text;
  EXPECT_NE(text.find(" more; --json lists all\n"), std::string::npos) << text;
  EXPECT_NE(text.find("it was built with --only op=kernel_0; compare with the same\n"), std::string::npos)
      << text;
  options.json = true;
  EXPECT_NE(verify().find("kernel kernel_59 of the manifests is missing"), std::string::npos);
}

TEST_F(PackageToolsError, NamesThatLeaveTheFolder) {
  const RealDisk disk;
  const Package package = Package::open(path());
  const auto code = package.code(0, 0);
  for (const char* name : {"../gfx90a", "gfx/90a", "..", "/gfx90a", "gfx90a\n"}) {
    test::PackageBuilder builder;
    builder.add_target(name, 1, 64);
    builder.add_module("one");
    builder.add_kernel("first", {});
    builder.add_code(0, 0, std::span<const std::byte>(code));
    const test::TemporaryFile file("hostile.kgpkg", builder.finish());
    const std::string text =
        refusal([&](std::FILE* out) { run_extract({file.path(), "", "", path() + ".code"}, disk_, out); });
    EXPECT_NE(text.find("cannot be the name of a file"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace kernelgen::tool
