// Every error about a list of targets or a targets.json.
#include <gtest/gtest.h>

#include "base/fault.hpp"
#include "manifest/target.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

std::string target_complaints(const std::string& rows, const std::vector<std::string>& names = {}) {
  MemoryDisk disk;
  disk.add("t.json", R"({"targets": [)" + rows + "]}");
  try {
    read_targets(disk, "t.json").expand(names);
    return "";
  } catch (const BadInput& error) {
    return error.what();
  }
}

const std::string cpu_row =
    R"({"name": "cpu-x86-64-v3", "kind": "cpu", "march": "x86-64-v3", "groups": ["default"]})";
const std::string hip_row =
    R"({"name": "gfx90a", "kind": "hip", "machine": "0x03f", "isa": 9010, "wave_sizes": [64],
        "features": ["xnack"], "generic": null, "code_object_version": 4, "clang": 15, "groups": []})";

TEST(TargetErrors, UnknownTarget) {
  EXPECT_EQ(
      target_complaints(cpu_row + "," + hip_row, {"cpu-x86-64-v3,gfx90b", "defualt"}),
      "kernel-gen: error: unknown target 'gfx90b'; 'kernel-gen targets' lists all (did you mean 'gfx90a'?)\n"
      "kernel-gen: error: unknown target 'defualt'; 'kernel-gen targets' lists all (did you mean "
      "'default'?)");
}

TEST(TargetErrors, FeatureSettings) {
  const std::string rows = cpu_row + "," + hip_row;
  EXPECT_EQ(
      target_complaints(rows, {"gfx90a:xnack+"}),
      "kernel-gen: error: target 'gfx90a:xnack+': there is no build for one setting of a feature; code for "
      "'gfx90a' runs with each: write 'gfx90a'");
  EXPECT_EQ(
      target_complaints(rows, {"gfx90a:xnack-:sramecc+"}),
      "kernel-gen: error: target 'gfx90a:xnack-:sramecc+': gfx90a has no feature 'sramecc'; write 'gfx90a'");
  EXPECT_EQ(target_complaints(rows, {"gfx90a:"}),
            "kernel-gen: error: target 'gfx90a:': there is no build for one setting of a feature; code for "
            "'gfx90a' "
            "runs with each: write 'gfx90a'");
  EXPECT_EQ(target_complaints(rows, {"gfx90b:xnack+"}),
            "kernel-gen: error: unknown target 'gfx90b:xnack+'; 'kernel-gen targets' lists all");
}

TEST(TargetErrors, NvidiaArchitecturesWithoutARow) {
  const std::string rows =
      R"({"name": "sm_80", "kind": "cuda", "isa": 80, "arch": "80", "code": "cubin", "groups": []},)"
      R"({"name": "sm_90", "kind": "cuda", "isa": 90, "arch": "90a", "code": "cubin", "groups": []},)"
      R"({"name": "compute_80", "kind": "cuda", "isa": 80, "arch": "80", "code": "ptx", "groups": []})";
  for (const std::string name : {"sm_100", "sm_89", "compute_90"})
    EXPECT_EQ(
        target_complaints(rows, {name}),
        "kernel-gen: error: unknown target '" + name +
            "': NVIDIA GPUs have machine code as sm_80 and sm_90, and PTX as compute_80, which the driver "
            "compiles for GPUs of that architecture and later ones");
}

TEST(TargetErrors, Rows) {
  const std::string at = "kernel-gen: error: t.json: ";
  EXPECT_EQ(target_complaints(cpu_row + R"(, {"name": "x", "kind": "hpi"})"),
            at + "/targets/1/kind: unknown kind 'hpi' (did you mean 'hip'?)");
  EXPECT_EQ(
      target_complaints(cpu_row +
                        R"(, {"name": "sm_90", "kind": "cuda", "arch": "90", "code": "ptx", "groups": []})"),
      at + "/targets/1: key 'isa' is missing");
  EXPECT_EQ(
      target_complaints(
          cpu_row +
          R"(, {"name": "sm_90", "kind": "cuda", "isa": 90, "arch": "90", "code": "ptk", "groups": []})"),
      at + "/targets/1/code: unknown code 'ptk' (did you mean 'ptx'?)");
  EXPECT_EQ(
      target_complaints(
          cpu_row +
          R"(, {"name": "sm_90", "kind": "cuda", "isa": 90, "arch": "9.0", "code": "ptx", "groups": []})"),
      at + "/targets/1/arch: must be an architecture as nvcc names them, such as \"80\" or \"90a\"");
  EXPECT_EQ(
      target_complaints(
          cpu_row +
          R"(, {"name": "sm_90", "kind": "cuda", "isa": 90, "arch": "90", "code": "ptx", "groups": [], "machine": "0x01"})"),
      at + "/targets/1/machine: unknown key 'machine'");
  EXPECT_EQ(target_complaints(cpu_row + "," + cpu_row),
            at + "/targets: target 'cpu-x86-64-v3' is listed twice");
  const auto with = [](std::string row, const std::string& from, const std::string& to) {
    return row.replace(row.find(from), from.size(), to);
  };
  EXPECT_EQ(target_complaints(with(hip_row, "null", R"("gfx90b")")),
            at + "/targets: target 'gfx90a' refers to an unknown target 'gfx90b' (did you mean 'gfx90a'?)");
  EXPECT_EQ(target_complaints(hip_row + "," + with(hip_row, "gfx90a", "gfx90b")),
            at + "/targets: targets 'gfx90a' and 'gfx90b' both have machine 0x03f");
  EXPECT_EQ(target_complaints(with(hip_row, "[]}", R"(["gfx90a"]})")),
            at + "/targets: group 'gfx90a' has the name of a target");
  for (const std::string bad : {"3f", "0x", "0x0", "0x100", "0x3g", "-0x3"})
    EXPECT_EQ(target_complaints(with(hip_row, "0x03f", bad)),
              at + "/targets/0/machine: must be EF_AMDGPU_MACH of the GPU in hexadecimal, such as \"0x03f\"");
}

TEST(TargetErrors, NoFile) {
  EXPECT_THROW(
      {
        try {
          read_targets(MemoryDisk(), "t.json");
        } catch (const BadInput& error) {
          EXPECT_STREQ(error.what(), "kernel-gen: error: t.json: there is no such file of targets");
          throw;
        }
      },
      BadInput);
}

}  // namespace
}  // namespace kernelgen::tool
