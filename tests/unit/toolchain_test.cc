#include "build/toolchain.hpp"

#include <gtest/gtest.h>

#include <map>

#include "build/compile.hpp"
#include "build/isa_bitcode.hpp"
#include "fake_process.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {
namespace {

Target hip(const std::string& name, std::uint32_t isa, std::uint32_t clang) {
  Target target;
  target.name = name;
  target.kind = TargetKind::hip;
  target.isa = isa;
  target.wave_sizes = {isa < 10000 ? 64u : 32u};
  target.code_object_version = clang == 15 ? 4 : 5;
  target.clang = clang;
  return target;
}

Target cuda(const std::string& name) {
  Target target;
  target.name = name;
  target.kind = TargetKind::cuda;
  return target;
}

Target cpu() {
  Target target;
  target.name = "cpu-x86-64-v3";
  target.kind = TargetKind::cpu;
  target.clang = 19;
  target.march = "x86-64-v3";
  return target;
}

constexpr const char* debian_bitcode = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc";

/// A machine with some files, variables and programs that tell a version.
struct Machine {
  MemoryDisk disk;
  std::map<std::string, std::string> variables = {{"PATH", "/usr/bin:/opt/bin"}};
  FakeProcessRunner runner{[](const CommandLine& command) {
    if (command[0].ends_with("hipcc")) return success("HIP version: 5.2\nDebian clang version 15.0.6\n");
    if (command[0].ends_with("nvcc"))
      return success("nvcc: NVIDIA (R)\nCuda compilation tools, release 13.0, V13.0.88\n");
    return success("Debian clang version 19.1.7\nTarget: x86_64\nInstalledDir: /usr/lib/llvm-19/bin\n");
  }};

  void install_clang(const std::string& major) {
    disk.add("/usr/bin/clang++-" + major, "");
    disk.add("/usr/lib/llvm-" + major + "/bin/lld", "");
    disk.add_link("/usr/bin/clang++-" + major, "/usr/lib/llvm-" + major + "/bin/clang");
    disk.add("/usr/lib/llvm-" + major + "/bin/clang", "");
  }
  TargetTools find(const Target& target, const ToolchainOptions& options = {}) {
    const Environment environment = [this](const char* name) { return variables[name]; };
    Toolchain toolchain(disk, runner, environment, options);
    TargetTools tools = toolchain.tools_for(target);
    tools.target = nullptr;
    return tools;
  }
};

TEST(Toolchain, TakesTheClangTheTargetNeeds) {
  Machine machine;
  machine.install_clang("15");
  machine.install_clang("19");
  machine.disk.add(debian_bitcode, "");
  EXPECT_EQ(machine.find(hip("gfx90a", 9010, 15)).compiler.path, "/usr/bin/clang++-15");
  const TargetTools tools = machine.find(hip("gfx942", 9402, 19));
  EXPECT_TRUE(tools.usable());
  EXPECT_EQ(tools.compiler.path, "/usr/bin/clang++-19");
  EXPECT_EQ(tools.compiler.version, "Debian clang version 19.1.7");
  EXPECT_EQ(tools.compiler.version_text.find("InstalledDir"), std::string::npos);
  EXPECT_EQ(tools.bitcode, std::filesystem::path(debian_bitcode).parent_path());
  EXPECT_EQ(machine.find(cpu()).compiler.path, "/usr/bin/clang++-19");
}

TEST(Toolchain, NamesThePackageThatIsMissing) {
  Machine machine;
  TargetTools tools = machine.find(hip("gfx942", 9402, 19));
  EXPECT_EQ(tools.problem, "clang++-19 is not in PATH");
  EXPECT_EQ(tools.remedy, "apt install clang-19 lld-19");
  machine.disk.add("/usr/bin/clang++-19", "");
  EXPECT_EQ(machine.find(hip("gfx942", 9402, 19)).problem, "clang++-19 has no lld to link with");
  machine.install_clang("19");
  tools = machine.find(hip("gfx942", 9402, 19));
  EXPECT_EQ(tools.problem, "no device bitcode in /usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
  EXPECT_EQ(tools.remedy, "apt install rocm-device-libs");
  EXPECT_TRUE(machine.find(cpu()).usable());
  EXPECT_EQ(machine.find(cuda("sm_90")).remedy, "apt install nvidia-cuda-toolkit");
  EXPECT_TRUE(machine.runner.commands.size() <= 3) << "nothing but --version is ever run";
}

TEST(Toolchain, ARocmInstallTakesPrecedence) {
  Machine machine;
  machine.install_clang("19");
  machine.disk.add(debian_bitcode, "");
  machine.disk.add("/opt/rocm/llvm/bin/clang++", "");
  machine.disk.add("/opt/rocm/amdgcn/bitcode/ocml.bc", "");
  machine.variables["ROCM_PATH"] = "/opt/rocm";
  TargetTools tools = machine.find(hip("gfx942", 9402, 19));
  EXPECT_EQ(tools.compiler.path, "/opt/rocm/llvm/bin/clang++");
  EXPECT_EQ(tools.bitcode, "/opt/rocm/amdgcn/bitcode");
  tools = machine.find(hip("gfx942", 9402, 19), {"/elsewhere", false});
  EXPECT_EQ(tools.problem, "--rocm-path names /elsewhere, but /elsewhere/llvm/bin/clang++ is not there");
}

TEST(Toolchain, DebiansHipccIsHeldToWhatItKnows) {
  Machine machine;
  machine.disk.add("/usr/bin/hipcc", "");
  machine.disk.add(debian_bitcode, "");
  EXPECT_TRUE(machine.find(hip("gfx90a", 9010, 15), {{}, true}).usable());
  EXPECT_EQ(machine.find(hip("gfx942", 9402, 19), {{}, true}).problem,
            "hipcc here drives clang 15, which does not know it");
}

TEST(Toolchain, FindsNvccWhereverItIs) {
  Machine machine;
  machine.disk.add("/usr/local/cuda/bin/nvcc", "");
  EXPECT_EQ(machine.find(cuda("sm_90")).compiler.path, "/usr/local/cuda/bin/nvcc");
  machine.disk.add("/opt/bin/nvcc", "");
  EXPECT_EQ(machine.find(cuda("sm_90")).compiler.path, "/opt/bin/nvcc");
  EXPECT_EQ(machine.find(cuda("sm_90")).compiler.version, "Cuda compilation tools, release 13.0, V13.0.88");
  machine.variables["CUDA_PATH"] = "/missing";
  EXPECT_EQ(machine.find(cuda("sm_90")).problem,
            "CUDA_PATH names /missing, but /missing/bin/nvcc is not there");
}

TEST(Toolchain, ACompilerThatDoesNotRunIsAProblem) {
  Machine machine;
  machine.install_clang("19");
  FakeProcessRunner broken([](const CommandLine&) { return failure("segfault"); });
  Toolchain toolchain(machine.disk, broken, [&](const char* name) { return machine.variables[name]; }, {});
  EXPECT_EQ(toolchain.tools_for(cpu()).problem, "'/usr/bin/clang++-19 --version' failed: exit code 1");
}

TEST(IsaBitcode, IsMadeOnceAndPublishedByRename) {
  MemoryDisk disk;
  FakeProcessRunner runner([&](const CommandLine& command) {
    EXPECT_NE(disk.read(command[4]).find("constant i32 9402"), std::string::npos);
    disk.add(value_of(command, "-o"), "BC");
    return success();
  });
  IsaBitcode isa(disk, runner, "/cache");
  const auto file = isa.file("/usr/bin/clang++-19", "clang 19", "942", 9402);
  EXPECT_EQ(file.filename(), "oclc_isa_version_942.bc");
  EXPECT_EQ(disk.read(file), "BC");
  EXPECT_EQ(isa.file("/usr/bin/clang++-19", "clang 19", "942", 9402), file);
  EXPECT_EQ(runner.commands.size(), 1u);
  EXPECT_NE(isa.file("/usr/bin/clang++-20", "clang 20", "942", 9402), file);
}

TEST(IsaBitcode, SaysWhatTheCompilerSaid) {
  MemoryDisk disk;
  FakeProcessRunner runner([](const CommandLine&) { return failure("unknown target"); });
  IsaBitcode isa(disk, runner, "/cache");
  try {
    isa.file("clang", "v", "942", 9402);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot make oclc_isa_version_942.bc: clang: exit code 1\nunknown target");
  }
}

TEST(CompileCommand, HoldsNoPathInItsPortableForm) {
  const Target target = hip("gfx942", 9402, 19);
  TargetTools tools;
  tools.target = &target;
  tools.compiler.path = "/usr/bin/clang++-19";
  const CompilePaths paths = {
      "/tmp/a/unary.hip", "/tmp/b/unary.o", {"/src/kernels", "/more"}, {"/bc/ocml.bc"}};
  const CommandLine command = compile_command(tools, paths);
  EXPECT_EQ(command.front(), "/usr/bin/clang++-19");
  EXPECT_EQ(value_of(command, "-o"), "/tmp/b/unary.o");
  for (const std::string& argument : portable_command(tools, paths))
    EXPECT_EQ(argument.find('/'), std::string::npos) << argument;
}

TEST(CompileCommand, BitcodeFollowsWaveSizeAndCodeObjectVersion) {
  MemoryDisk disk;
  Target target = hip("gfx942", 9402, 19);
  auto names = device_bitcode_names(target, disk, "/bc");
  EXPECT_EQ(names[6], "oclc_wavefrontsize64_on.bc");
  EXPECT_EQ(names[7], "oclc_abi_version_500.bc");
  target.wave_sizes = {32};
  target.code_object_version = 6;
  names = device_bitcode_names(target, disk, "/bc");
  EXPECT_EQ(names[6], "oclc_wavefrontsize64_off.bc");
  EXPECT_EQ(names[7], "oclc_abi_version_500.bc") << "an older library has no file for version 6";
}

}  // namespace
}  // namespace kernelgen::tool
