// The command lines for AMD GPUs with the compilers of AMD's and the distributions' installs, compared with commands.txt.
// After a wanted change: KERNELGEN_UPDATE_GOLDENS=1 ctest -L golden
#include <gtest/gtest.h>

#include <cstdlib>
#include <deque>
#include <initializer_list>
#include <utility>

#include "build/compile.hpp"
#include "toolchain_machine.hpp"

namespace kernelgen::tool {
namespace {

namespace fs = std::filesystem;
using test::Machine;

const fs::path golden = fs::path(KERNELGEN_GOLDEN_DIR) / "commands.txt";

/// Of device libraries: what each version has.
const std::vector<std::string> constants = {"ocml",
                                            "ockl",
                                            "oclc_daz_opt_off",
                                            "oclc_unsafe_math_off",
                                            "oclc_finite_only_off",
                                            "oclc_correctly_rounded_sqrt_on",
                                            "oclc_wavefrontsize64_on",
                                            "oclc_wavefrontsize64_off",
                                            "oclc_abi_version_400",
                                            "oclc_abi_version_500"};
const std::vector<std::string> newer = {"ocml",
                                        "ockl",
                                        "oclc_unsafe_math_off",
                                        "oclc_finite_only_off",
                                        "oclc_wavefrontsize64_on",
                                        "oclc_wavefrontsize64_off",
                                        "oclc_abi_version_400",
                                        "oclc_abi_version_500",
                                        "oclc_abi_version_600"};

struct Install {
  explicit Install(std::string of) : name(std::move(of)) {}

  std::string name;
  Machine machine;
  ToolchainOptions options;
};
using Installs = std::deque<Install>;

Install& add_debian(Installs& all, const std::string& name, std::initializer_list<unsigned> majors,
                    const std::string& bitcode) {
  Install& install = all.emplace_back(name);
  for (const unsigned major : majors) install.machine.install_clang(major);
  install.machine.install_bitcode(bitcode, constants);
  return install;
}

Install& add_rocm(Installs& all, const std::string& name, unsigned major, const std::string& compiler,
                  const std::string& bitcode, const std::vector<std::string>& library) {
  Install& install = all.emplace_back(name);
  const std::string program = "/opt/rocm/" + compiler;
  install.options.rocm_path = "/opt/rocm";
  install.machine.disk.add(program, "");
  install.machine.majors[program] = major;
  install.machine.install_bitcode("/opt/rocm/" + bitcode, library);
  return install;
}

void add_hipcc(Install& install, const std::string& program, const std::string& version) {
  install.machine.disk.add(program, "");
  install.machine.hipcc = version;
  install.options.hipcc = true;
}

void add_installs(Installs& all) {
  const std::string debian_12 = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode";
  add_debian(all, "Debian 12: clang 15 and 19", {15, 19}, debian_12);
  for (const unsigned major : {17u, 18u, 20u, 21u})
    add_debian(all, fmt::format("clang {} alone", major), {major},
               "/usr/lib/llvm-17/lib/clang/17/amdgcn/bitcode");
  Install& hipcc = add_debian(all, "Debian 12: hipcc 5.2", {}, debian_12);
  hipcc.machine.disk.add("/usr/bin/clang++-15", "");
  add_hipcc(hipcc, "/usr/bin/hipcc", hipcc.machine.hipcc);
  add_rocm(all, "ROCm 5.7: llvm, amdgcn/bitcode", 17, "llvm/bin/clang++", "amdgcn/bitcode", constants);
  add_rocm(all, "ROCm 6.4: lib/llvm, amdgcn/bitcode", 19, "lib/llvm/bin/clang++", "amdgcn/bitcode",
           constants);
  add_rocm(all, "ROCm 7: amdclang++ in lib/llvm, bitcode there", 20, "lib/llvm/bin/amdclang++",
           "lib/llvm/amdgcn/bitcode", newer);
  add_rocm(all, "ROCm 7: bitcode in clang's own folder alone", 20, "lib/llvm/bin/clang++",
           "lib/llvm/lib/clang/20/lib/amdgcn/bitcode", newer);
  add_hipcc(add_rocm(all, "ROCm 7: hipcc 7.0", 20, "lib/llvm/bin/clang++", "amdgcn/bitcode", constants),
            "/opt/rocm/bin/hipcc",
            "HIP version: 7.0.51831-a3e329ad8\nAMD clang version 20.0.0git "
            "(https://github.com/RadeonOpenCompute/llvm-project roc-7.0.0 25314)\n"
            "Target: x86_64-unknown-linux-gnu\nThread model: posix\nInstalledDir: /opt/rocm/lib/llvm/bin\n");
}

Target target_of(const char* name, std::uint32_t isa, std::uint32_t code_object) {
  Target target;
  target.name = name;
  target.kind = TargetKind::hip;
  target.isa = isa;
  target.wave_sizes = {isa < 10000 ? 64u : 32u};
  target.code_object_version = code_object;
  target.clang = 19;
  return target;
}

std::string line_of(Install& install, const Target& target) {
  TargetTools tools = install.machine.find(target, install.options);
  if (!tools.usable()) return fmt::format("{}: {}; {}\n", target.name, tools.problem, tools.remedy);
  tools.target = &target;
  CompilePaths paths = {"unary.hip", "unary.o", "unary.d", {"kernels"}, {}};
  for (const std::string& name : device_bitcode_names(target, install.machine.disk, tools.bitcode))
    paths.bitcode.push_back(tools.bitcode / name);
  return fmt::format("{}: {}\n", target.name, quoted(compile_commands(tools, paths).front()));
}

TEST(ToolchainGolden, CommandLinesAreAsExpected) {
  // Code objects as the oldest runtime that knows the GPU reads them: HIP 5.2, or 6 for gfx942 and gfx1201.
  const Target targets[] = {target_of("gfx90a", 9010, 4), target_of("gfx942", 9402, 5),
                            target_of("gfx1201", 12001, 5)};
  std::string text;
  Installs installs;
  add_installs(installs);
  for (Install& install : installs) {
    text += fmt::format("{}{}\n", text.empty() ? "" : "\n", install.name);
    for (const Target& target : targets) text += line_of(install, target);
  }
  RealDisk disk;
  if (std::getenv("KERNELGEN_UPDATE_GOLDENS") != nullptr) disk.write_atomically(golden, text);
  ASSERT_TRUE(disk.exists(golden)) << golden;
  EXPECT_EQ(text, disk.read(golden));
}

}  // namespace
}  // namespace kernelgen::tool
