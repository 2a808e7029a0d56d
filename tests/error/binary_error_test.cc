// What the commands say of programs and libraries of others that they cannot read or would break.
#include <gtest/gtest.h>

#include "base/fault.hpp"
#include "binary/bundle_writer.hpp"
#include "commands/disasm.hpp"
#include "commands/doctor_binary.hpp"
#include "commands/extract.hpp"
#include "commands/import_binary.hpp"
#include "commands/inspect.hpp"
#include "commands/ls.hpp"
#include "commands/prune.hpp"
#include "commands/repack.hpp"
#include "commands/report.hpp"
#include "commands/verify.hpp"
#include "support/host_program.hpp"
#include "support/printed.hpp"
#include "support/temporary_folder.hpp"
#include "unit/metadata_elf.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;

class BinaryError : public testing::Test {
 protected:
  BinaryError() {
    disk_.write_atomically(library(), host_program(bundle()));
    paths_.targets = KERNELGEN_SOURCE_DIR "/manifests/targets.json";
  }

  /// Code for gfx90a and gfx1100, of several pages.
  static std::string bundle() {
    const std::string one = code_object_of({kernel_metadata("first")}, "gfx90a").bytes() +
                            std::string(20'000, 'x'),
                      other = code_object_of({kernel_metadata("first")}, "gfx1100").bytes();
    return write_bundle({{"host-x86_64-unknown-linux-gnu-", ""},
                         {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", one},
                         {"hipv4-amdgcn-amd-amdhsa--gfx1100", other}});
  }

  fs::path library() const { return folder_.path() / "lib.so"; }
  fs::path write(const std::string& name, const std::string& bytes) {
    disk_.write_atomically(folder_.path() / name, bytes);
    return folder_.path() / name;
  }

  /// What a command refuses with, without the name of the folder.
  template <class Run>
  std::string refusal(const Run& run) {
    std::string text;
    const std::string printed = test::printed([&](std::FILE* out) {
      try {
        run(out);
      } catch (const BadInput& error) {
        text = error.what();
      }
    });
    EXPECT_EQ(printed, "");
    const std::string prefix = "kernel-gen: error: " + folder_.path().string();
    EXPECT_TRUE(text.starts_with(prefix)) << text;
    return text.substr(std::min(text.size(), prefix.size()));
  }

  std::string prune(PruneOptions options) {
    options.paths = paths_;
    if (options.package.empty()) options.package = library();
    return refusal([&](std::FILE* out) { run_prune(options, disk_, out); });
  }

  std::string import(const fs::path& binary, std::vector<std::string> kernels,
                     std::vector<std::string> targets = {}, std::vector<std::string> from = {}) {
    const ImportBinaryOptions options = {paths_,
                                         binary,
                                         std::move(kernels),
                                         std::move(targets),
                                         std::move(from),
                                         folder_.path() / "out.kgpkg"};
    const std::string text = refusal([&](std::FILE* out) { run_import_binary(options, disk_, out); });
    EXPECT_FALSE(disk_.exists(options.out));
    return text;
  }

  RealDisk disk_;
  Paths paths_;
  test::TemporaryFolder folder_{"binary"};
};

TEST_F(BinaryError, Import) {
  EXPECT_EQ(import(library(), {"f*", "other"}, {"gfx900"}),
            "/lib.so: no kernel matches f*, other in its code for gfx900; 'kernel-gen ls' lists targets, "
            "'kernel-gen inspect' kernels");
  MetadataElf first = code_object_of({kernel_metadata("first")}, "gfx90a"),
              second = code_object_of({kernel_metadata("second")}, "gfx1100");
  first.flags = 0x03f;
  second.flags = 0x041;
  const std::string a = first.bytes(), b = second.bytes();
  EXPECT_EQ(import(write("features.hipfb", write_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-", a},
                                                         {"hipv4-amdgcn-amd-amdhsa--gfx90a:xnack+", a}})),
                   {"*"}),
            "/features.hipfb: features gfx90a:xnack+: there is other code for gfx90a with other features; "
            "choose one "
            "by --target");
  const std::string differ = import(
      write("differ.hipfb",
            write_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx90a", a}, {"hipv4-amdgcn-amd-amdhsa--gfx1100", b}})),
      {"*"});
  EXPECT_TRUE(
      differ.starts_with("/differ.hipfb: differ: gfx1100: ") &&
      differ.ends_with("kernel first of the manifest is not in the code object of module differ; where "
                       "targets differ, choose one by --target"))
      << differ;
  auto image = kernel_metadata("first");
  image[".args"][0][".value_kind"] = "image";
  EXPECT_EQ(
      import(write("image.hsaco", code_object_of({image}, "gfx90a").bytes()), {"first"}),
      "/image.hsaco: image: kernel first: an argument of kind 'image' cannot be passed by a launch; choose "
      "others by --kernels");
}

TEST_F(BinaryError, ImportOfANameWithTwoMeanings) {
  auto other = kernel_metadata("_ZL6scaledPdm");
  other[".group_segment_fixed_size"] = 4096;
  const auto object = [](const nlohmann::json& kernel) {
    return write_bundle({{"hipv4-amdgcn-amd-amdhsa--gfx942", code_object_of({kernel}).bytes()}}, 8);
  };
  const std::string one = object(kernel_metadata("_ZL6scaledPdm")), two = object(other);
  const fs::path library = write("two.so", host_program(one + one + two));
  EXPECT_EQ(import(library, {"scaled"}),
            "/two.so: scaled is not the same in bundle0, bundle2; choose one by --from, or other kernels by "
            "--kernels");
  EXPECT_EQ(import(library, {"scaled"}, {}, {"bundle0", "bundle4"}),
            "/two.so: --from bundle4: holds no such module (did you mean 'bundle0'?)");
  EXPECT_EQ(refusal([&](std::FILE* out) { run_disasm({library, "scaled", "gfx942", false}, disk_, out); }),
            "/two.so: has scaled for gfx942 (bundle0), gfx942 (bundle1), gfx942 (bundle2); choose one with "
            "--from");
  EXPECT_EQ(refusal([&](std::FILE* out) {
              run_disasm({library, "scaled", "gfx942", false, "bundle1"}, disk_, out);
            }),
            "/two.so: gfx942 bundle1: has no code of that kernel");
  for (const std::string from : {"bundle1", "bundle2"}) {
    const ImportBinaryOptions chosen = {paths_, library, {"scaled"},
                                        {},     {from},  folder_.path() / (from + ".kgpkg")};
    EXPECT_NE(
        test::printed([&](std::FILE* out) { EXPECT_EQ(run_import_binary(chosen, disk_, out), exit_ok); }),
        "");
    EXPECT_TRUE(disk_.exists(chosen.out));
  }
}

TEST_F(BinaryError, ReportOfATarget) {
  ReportOptions options;
  options.package = library();
  options.out = folder_.path() / "report.html";
  options.machines = KERNELGEN_SOURCE_DIR "/manifests/machines.json";
  const auto rows = [&](const std::string& target) {
    options.target = target;
    const std::string line = test::printed([&](std::FILE* out) { run_report(options, disk_, out); });
    return line.substr(options.out.string().size(), line.find(',') - options.out.string().size());
  };
  EXPECT_EQ(rows(""), ": 2 rows");
  EXPECT_EQ(rows("gfx1100"), ": 1 row");
  options.target = "gfx1101";
  EXPECT_EQ(refusal([&](std::FILE* out) { run_report(options, disk_, out); }),
            "/lib.so: holds no code for 'gfx1101' (did you mean 'gfx1100'?)");
}

TEST_F(BinaryError, Prune) {
  const fs::path out = folder_.path() / "out.so";
  const std::string before = disk_.read(library());
  EXPECT_EQ(prune({{}, {}, {"gfx90a"}, {}, false, false}),
            "/lib.so: prune: name the file to write with --out, or say --in-place");
  EXPECT_EQ(prune({{}, {}, {"gfx90a"}, out, false, true}),
            "/lib.so: prune: name the file to write with --out, or say --in-place");
  EXPECT_EQ(prune({{}, {}, {}, out, false, false}),
            "/lib.so: prune: name what to keep with --keep, or say --compress");
  EXPECT_EQ(prune({{}, {}, {"gfx1101"}, out, false, false}),
            "/lib.so: --keep gfx1101: holds no such target (did you mean 'gfx1100'?)");
  EXPECT_EQ(prune({{}, folder_.path(), {"gfx90a"}, out, false, false}),
            ": is a folder; 'kernel-gen repack' shrinks the files of one");
  const fs::path signed_file = write("signed.so", before + "signature");
  EXPECT_EQ(prune({{}, signed_file, {"gfx1100"}, {}, false, true}),
            "/signed.so: is left as it is: 9 bytes after its last section, such as a signature, would move");
  EXPECT_EQ(disk_.read(signed_file), before + "signature");
  EXPECT_FALSE(disk_.exists(out));
  EXPECT_EQ(disk_.read(library()), before);
}

TEST_F(BinaryError, PruneInPlaceKeepsPermissions) {
  fs::permissions(library(), fs::perms::owner_all);
  const auto before = fs::file_size(library());
  PruneOptions options = {paths_, library(), {"gfx1100"}, {}, false, true};
  test::printed([&](std::FILE* out) { EXPECT_EQ(run_prune(options, disk_, out), exit_ok); });
  EXPECT_LT(fs::file_size(library()), before - 16'000);
  EXPECT_EQ(fs::status(library()).permissions(), fs::perms::owner_all);
}

TEST_F(BinaryError, Repack) {
  const auto repack = [&](const fs::path& folder, const fs::path& out) {
    const RepackOptions options = {paths_, folder, {"gfx1100"}, out, false, false};
    return refusal([&](std::FILE* file) { run_repack(options, disk_, file); });
  };
  EXPECT_EQ(repack(library(), folder_.path() / "out"),
            "/lib.so: is not a folder; 'kernel-gen prune' shrinks a file");
  EXPECT_EQ(repack(folder_.path(), {}), ": repack: name the folder to write with --out, or say --in-place");
  EXPECT_EQ(repack(folder_.path(), folder_.path()), ": --out: is there already");
}

TEST_F(BinaryError, RepackLeavesOutOtherGpusAndNamesWhatCouldBreak) {
  const test::TemporaryFolder out("repacked");
  write("kernels_gfx90a.hsaco", code_object_of({kernel_metadata("first")}, "gfx90a").bytes());
  write("kernels_gfx90a.dat", "names");
  write("kernels_gfx1100.dat", "names");
  write("signed.so", host_program(bundle()) + "signature");
  const RepackOptions options = {paths_, folder_.path(), {"gfx1100"}, out.path() / "slim", false, false};
  const std::string text =
      test::printed([&](std::FILE* file) { EXPECT_EQ(run_repack(options, disk_, file), exit_failure); });
  EXPECT_NE(text.find("1 shrunk, 2 left out, 2 as before"), std::string::npos) << text;
  EXPECT_TRUE(disk_.exists(options.out / "kernels_gfx1100.dat"));
  EXPECT_FALSE(disk_.exists(options.out / "kernels_gfx90a.dat"));
  EXPECT_FALSE(disk_.exists(options.out / "kernels_gfx90a.hsaco"));
  EXPECT_LT(fs::file_size(options.out / "lib.so"), fs::file_size(library()));
  EXPECT_EQ(disk_.read(options.out / "signed.so"), disk_.read(folder_.path() / "signed.so"));
}

TEST_F(BinaryError, Doctor) {
  const auto doctor = [&](const fs::path& file, const std::string& target, int code) {
    return test::printed([&](std::FILE* out) {
      EXPECT_EQ(run_doctor_binary({paths_, file, target, "", false}, disk_, out), code);
    });
  };
  EXPECT_NE(doctor(library(), "gfx90a", exit_ok)
                .find("runs on gfx90a: 1 of 1 module has code for it\n  1 by code for gfx90a:xnack-"),
            std::string::npos);
  EXPECT_NE(doctor(library(), "gfx90a:xnack+", exit_failure).find("help: it has code for gfx90a:xnack-"),
            std::string::npos);
  const std::string sister = doctor(library(), "gfx1101", exit_failure);
  EXPECT_NE(sister.find("does not run on gfx1101: 0 of 1 module has code for it"), std::string::npos)
      << sister;
  EXPECT_NE(sister.find("HSA_OVERRIDE_GFX_VERSION=11.0.0"), std::string::npos) << sister;
  EXPECT_NE(sister.find("--offload-arch=gfx1101 or, for ROCm from 6.3 on, --offload-arch=gfx11-generic"),
            std::string::npos)
      << sister;
  EXPECT_NE(doctor(library(), "", exit_ok).find("no code for: gfx900"), std::string::npos);
  const fs::path text = write("text", "no code");
  EXPECT_EQ(refusal([&](std::FILE* out) { run_doctor_binary({paths_, text, "", "", false}, disk_, out); }),
            "/text: holds no code of others for GPUs; of packages 'kernel-gen inspect' says what they hold");
}

TEST_F(BinaryError, DamageIsNamedAfterTheOutput) {
  const std::string bytes = compress_bundle(bundle());
  const fs::path file = write("damaged.hipfb", bytes.substr(0, bytes.size() - 1));
  const auto verify = test::printed(
      [&](std::FILE* out) { EXPECT_THROW(run_verify({file, {}, {}, false}, disk_, out), BadInput); });
  EXPECT_EQ(verify, "");
  ListOptions options;
  options.package = file;
  testing::internal::CaptureStderr();
  test::printed([&](std::FILE* out) { EXPECT_EQ(run_ls(options, disk_, out), exit_failure); });
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "damaged.hipfb: offset 0x0: cannot be read: compressed bundle: claims"),
            std::string::npos);
}

TEST_F(BinaryError, WhatDoesNotApply) {
  ListOptions list;
  list.package = library();
  list.kernels_of = "exp";
  EXPECT_EQ(refusal([&](std::FILE* out) { run_ls(list, disk_, out); }),
            "/lib.so: --kernels-of: the file holds code objects, not operations");
  EXPECT_EQ(refusal([&](std::FILE* out) {
              run_extract({library(), "gfx906", "", folder_.path() / "code"}, disk_, out);
            }),
            "/lib.so: holds no code of that target and module; 'kernel-gen ls' lists both");
  InspectOptions inspect;
  inspect.file = library();
  inspect.target = "gfx1101";
  EXPECT_EQ(refusal([&](std::FILE* out) { run_inspect(inspect, disk_, out); }),
            "/lib.so: holds no code for 'gfx1101' (did you mean 'gfx1100'?)");
}

}  // namespace
}  // namespace kernelgen::tool
