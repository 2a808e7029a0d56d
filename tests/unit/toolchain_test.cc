#include "build/toolchain.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "build/compile.hpp"
#include "build/isa_bitcode.hpp"
#include "fake_process.hpp"
#include "toolchain_machine.hpp"

namespace kernelgen::tool {
namespace {

using test::bitcode_of;
using test::debian_bitcode;
using test::Machine;

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

const Target gfx90a = hip("gfx90a", 9010, 15);
const Target gfx942 = hip("gfx942", 9402, 19);
const Target gfx950 = hip("gfx950", 9500, 22);

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
  target.march = "x86-64-v3";
  return target;
}

TEST(Toolchain, TakesTheClangOfTheRow) {
  Machine machine;
  for (const unsigned major : {15, 17, 19}) machine.install_clang(major);
  machine.disk.add(debian_bitcode, "");
  EXPECT_EQ(machine.find(gfx90a).compiler.path, "/usr/bin/clang++-15");
  const TargetTools tools = machine.find(gfx942);
  EXPECT_TRUE(tools.usable());
  EXPECT_EQ(tools.compiler.path, "/usr/bin/clang++-19");
  EXPECT_EQ(tools.compiler.version, "Debian clang version 19.1.7");
  const std::string identity = tools.compiler.identity;
  machine.disk.add("/usr/lib/llvm-19/bin/clang", "rebuilt");
  EXPECT_NE(machine.find(gfx942).compiler.identity, identity) << "of the same version, but another file";
  EXPECT_EQ(tools.bitcode, std::filesystem::path(debian_bitcode).parent_path());
  EXPECT_EQ(machine.find(cpu()).compiler.path, "/usr/bin/clang++-19");
}

TEST(Toolchain, OtherwiseTheNearestThatKnowsTheTarget) {
  Machine machine;
  for (const unsigned major : {16, 18, 21, 22}) machine.install_clang(major);
  machine.disk.add(debian_bitcode, "");
  EXPECT_EQ(machine.find(gfx90a).compiler.path, "/usr/bin/clang++-16");
  EXPECT_EQ(machine.find(gfx942).compiler.path, "/usr/bin/clang++-21");
  EXPECT_EQ(machine.find(cpu()).compiler.path, "/usr/bin/clang++-21");
  EXPECT_EQ(machine.find(hip("gfx940", 9400, 19)).compiler.path, "/usr/bin/clang++-18") << "21 forgot it";
  Machine old;
  for (const unsigned major : {15, 17, 18}) old.install_clang(major);
  old.disk.add(debian_bitcode, "");
  EXPECT_EQ(old.find(gfx942).compiler.path, "/usr/bin/clang++-18");
}

TEST(Toolchain, PlainClangServesByItsVersion) {
  Machine machine;
  machine.disk.add("/usr/bin/clang++", "");
  machine.disk.add("/usr/bin/lld", "");
  machine.disk.add(debian_bitcode, "");
  EXPECT_EQ(machine.find(gfx90a).problem, "no clang++ from version 15 on is in PATH") << "14 is too old";
  machine.majors["/usr/bin/clang++"] = 20;
  EXPECT_EQ(machine.find(gfx950).compiler.path, "/usr/bin/clang++");
  EXPECT_EQ(machine.find(gfx90a).compiler.path, "/usr/bin/clang++");
  machine.install_clang(20);
  EXPECT_EQ(machine.find(gfx950).compiler.path, "/usr/bin/clang++-20");
}

TEST(Toolchain, SaysWhatEachClangLacks) {
  Machine machine;
  machine.disk.add(debian_bitcode, "");
  TargetTools tools = machine.find(gfx942);
  EXPECT_EQ(tools.problem, "no clang++ from version 15 on is in PATH");
  EXPECT_EQ(tools.remedy, "apt install clang-19 lld-19");
  machine.disk.add("/usr/bin/clang++-19", "");
  tools = machine.find(gfx942);
  EXPECT_EQ(tools.problem, "clang++-19 has no lld to link with");
  EXPECT_EQ(tools.remedy, "apt install lld-19");
  machine.install_clang(15);
  machine.install_clang(19);
  tools = machine.find(gfx950);
  EXPECT_EQ(tools.problem, "clang++-19 does not know it, clang++-15 does not know it");
  EXPECT_EQ(tools.remedy, "apt install clang-22 lld-22");
}

TEST(Toolchain, DeviceBitcodeIsTheNewestThatTheClangReads) {
  Machine machine;
  machine.install_clang(15);
  machine.install_clang(19);
  TargetTools tools = machine.find(gfx942);
  EXPECT_EQ(tools.problem,
            "there is no device bitcode (ocml.bc) for clang++-19, clang++-15 does not know it");
  EXPECT_EQ(tools.remedy,
            "apt install rocm-device-libs (Debian 12) or rocm-device-libs-17 (Debian 13, Ubuntu 24.04)");
  EXPECT_TRUE(machine.find(cpu()).usable());
  machine.disk.add(bitcode_of(21), "");
  tools = machine.find(hip("gfx90a", 9010, 19));
  EXPECT_EQ(
      tools.problem,
      "clang++-19 cannot read the device bitcode of /usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode, clang++-15 "
      "cannot read the device bitcode of /usr/lib/llvm-21/lib/clang/21/amdgcn/bitcode");
  EXPECT_EQ(tools.remedy, "apt install clang-21 lld-21");
  machine.disk.add(bitcode_of(17), "");
  EXPECT_EQ(machine.find(gfx942).bitcode, std::filesystem::path(bitcode_of(17)).parent_path());
  tools = machine.find(gfx90a);
  EXPECT_EQ(tools.compiler.path, "/usr/bin/clang++-19") << "15 reads neither";
  machine.disk.add(debian_bitcode, "");
  EXPECT_EQ(machine.find(gfx90a).compiler.path, "/usr/bin/clang++-15");
  EXPECT_EQ(machine.find(gfx90a).bitcode, std::filesystem::path(debian_bitcode).parent_path());
}

TEST(Toolchain, AsksEachQuestionOnce) {
  Machine machine;
  machine.install_clang(15);
  machine.install_clang(19);
  machine.disk.add(debian_bitcode, "");
  const Environment environment = [&](const char* name) { return machine.variables[name]; };
  Toolchain toolchain(machine.disk, machine.runner, environment, {});
  for (int round = 0; round < 3; ++round)
    for (const Target* target : {&gfx90a, &gfx942, &gfx950}) toolchain.tools_for(*target);
  EXPECT_EQ(machine.runner.commands.size(), 8u) << "two clangs: version, processors, one library, headers";
}

TEST(Toolchain, NvccsPackageIsNamed) {
  Machine machine;
  EXPECT_EQ(machine.find(cuda("sm_90")).remedy, "apt install nvidia-cuda-toolkit");
}

TEST(Toolchain, ARocmInstallTakesPrecedence) {
  Machine machine;
  machine.install_clang(19);
  machine.disk.add(debian_bitcode, "");
  machine.disk.add("/opt/rocm/llvm/bin/clang++", "");
  machine.disk.add("/opt/rocm/amdgcn/bitcode/ocml.bc", "");
  machine.variables["ROCM_PATH"] = "/opt/rocm";
  machine.majors["/opt/rocm/llvm/bin/clang++"] = 18;
  TargetTools tools = machine.find(gfx942);
  EXPECT_EQ(tools.compiler.path, "/opt/rocm/llvm/bin/clang++");
  EXPECT_EQ(tools.bitcode, "/opt/rocm/amdgcn/bitcode");
  tools = machine.find(gfx950);
  EXPECT_EQ(tools.problem, "/opt/rocm/llvm/bin/clang++ does not know it");
  EXPECT_EQ(tools.remedy, "use a newer ROCm, or leave ROCM_PATH out to use the distribution's clang");
  tools = machine.find(gfx942, {"/elsewhere", false});
  EXPECT_EQ(tools.problem, "--rocm-path names /elsewhere, but /elsewhere/llvm/bin/clang++ is not there");
}

TEST(Toolchain, DebiansHipccIsHeldToWhatItsClangKnows) {
  Machine machine;
  machine.disk.add("/usr/bin/hipcc", "");
  machine.disk.add("/usr/bin/clang++", "");  // another version than the one that hipcc drives
  machine.disk.add("/usr/bin/clang++-15", "");
  machine.disk.add(debian_bitcode, "");
  EXPECT_TRUE(machine.find(gfx90a, {{}, true}).usable());
  const TargetTools tools = machine.find(gfx942, {{}, true});
  EXPECT_EQ(tools.problem, "hipcc here drives /usr/bin/clang++-15, which does not know it");
  EXPECT_EQ(tools.remedy, "apt install clang-19 lld-19 and leave out --toolchain hipcc");
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
  machine.install_clang(19);
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
  IsaBitcode isa(disk, runner, "/cache", "/work");
  const auto file = isa.file("/usr/bin/clang++-19", "clang 19", "942", 9402);
  EXPECT_EQ(file.filename(), "oclc_isa_version_942.bc");
  EXPECT_EQ(disk.read(file), "BC");
  EXPECT_EQ(isa.file("/usr/bin/clang++-19", "clang 19", "942", 9402), file);
  EXPECT_EQ(runner.commands.size(), 1u);
  EXPECT_NE(isa.file("/usr/bin/clang++-20", "clang 20", "942", 9402), file);
}

TEST(IsaBitcode, IsMadeInTheWorkFolderWhereNoCacheTakesIt) {
  for (const char* cache : {"", "/home/cache"}) {
    MemoryDisk disk;
    disk.make_dirs("/home");
    disk.read_only = {"/home"};
    FakeProcessRunner runner([&](const CommandLine& command) {
      disk.add(value_of(command, "-o"), "BC");
      return success();
    });
    IsaBitcode isa(disk, runner, cache, "/work");
    const auto file = isa.file("clang", "v", "942", 9402);
    EXPECT_TRUE(file.string().starts_with("/work/")) << file;
    EXPECT_EQ(isa.file("clang", "v", "942", 9402), file);
    EXPECT_EQ(runner.commands.size(), 1u);
  }
}

TEST(IsaBitcode, KeepsNothingButBitcode) {
  MemoryDisk disk;
  std::string written = "garbage";
  FakeProcessRunner runner([&](const CommandLine& command) {
    disk.add(value_of(command, "-o"), written);
    return success();
  });
  EXPECT_THROW(IsaBitcode(disk, runner, "/cache", "/work").file("clang", "v", "942", 9402),
               std::runtime_error);
  written = "BC";
  EXPECT_EQ(disk.read(IsaBitcode(disk, runner, "/cache", "/work").file("clang", "v", "942", 9402)), "BC");
}

TEST(IsaBitcode, SaysWhatTheCompilerSaid) {
  MemoryDisk disk;
  FakeProcessRunner runner([](const CommandLine&) { return failure("unknown target"); });
  IsaBitcode isa(disk, runner, "/cache", "/work");
  try {
    isa.file("clang", "v", "942", 9402);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "cannot make oclc_isa_version_942.bc: clang: exit code 1\nunknown target");
  }
}

TEST(CompileCommand, HoldsNoPathInItsPortableForm) {
  const Target& target = gfx942;
  TargetTools tools;
  tools.target = &target;
  tools.compiler.path = "/usr/bin/clang++-19";
  const CompilePaths paths = {
      "/tmp/a/unary.hip", "/tmp/b/unary.o", "/tmp/b/unary.d", {"/src/kernels", "/more"}, {"/bc/ocml.bc"}};
  const CommandLine command = compile_commands(tools, paths).front();
  EXPECT_EQ(command.front(), "/usr/bin/clang++-19");
  EXPECT_EQ(value_of(command, "-o"), "/tmp/b/unary.o");
  EXPECT_EQ(value_of(command, "-MF"), "/tmp/b/unary.d");
  EXPECT_EQ(portable_commands(tools, paths).find('/'), std::string::npos) << portable_commands(tools, paths);
}

TEST(CompileCommand, OfACpuCompilesThenLinks) {
  const Target target = cpu();
  TargetTools tools;
  tools.target = &target;
  tools.compiler.path = "/usr/bin/clang++-19";
  const auto commands = compile_commands(tools, {"/a/unary.hip", "/b/unary.so", "", {}, {}});
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(std::ranges::count(commands[0], "-c"), 1) << "as compiler launchers take it";
  EXPECT_EQ(value_of(commands[0], "-o"), "/b/unary.so.o");
  EXPECT_EQ(std::ranges::count(commands[1], "/b/unary.so.o"), 1);
  EXPECT_EQ(value_of(commands[1], "-o"), "/b/unary.so");
}

TEST(CompileCommand, SaysTheWaveSize) {
  Target target = hip("gfx1030", 10300, 19);
  TargetTools tools;
  tools.target = &target;
  for (const std::uint32_t size : {32, 64}) {
    target.wave_sizes = {size};
    const CommandLine command = compile_commands(tools, {}).front();
    EXPECT_EQ(std::ranges::count(command, fmt::format("-DKERNELGEN_WAVE_SIZE={}", size)), 1);
    EXPECT_EQ(std::ranges::count(command, "-mwavefrontsize64"), size == 64 ? 1 : 0);
  }
}

TEST(CompileCommand, BitcodeFollowsWaveSizeAndCodeObjectVersion) {
  MemoryDisk disk;
  for (const char* constant :
       {"daz_opt_off", "unsafe_math_off", "finite_only_off", "correctly_rounded_sqrt_on"})
    disk.add(fmt::format("/bc/oclc_{}.bc", constant), "");
  Target target = gfx942;
  auto names = device_bitcode_names(target, disk, "/bc");
  EXPECT_EQ(names[6], "oclc_wavefrontsize64_on.bc");
  EXPECT_EQ(names[7], "oclc_abi_version_500.bc");
  target.wave_sizes = {32};
  target.code_object_version = 6;
  names = device_bitcode_names(target, disk, "/bc");
  EXPECT_EQ(names[6], "oclc_wavefrontsize64_off.bc");
  EXPECT_EQ(names[7], "oclc_abi_version_500.bc") << "an older library has no file for version 6";
  // A newer one has that, and lacks constants.
  disk.add("/new/oclc_abi_version_600.bc", "");
  disk.add("/new/oclc_finite_only_off.bc", "");
  EXPECT_EQ(device_bitcode_names(target, disk, "/new"),
            (std::vector<std::string>{"ocml.bc", "ockl.bc", "oclc_finite_only_off.bc",
                                      "oclc_wavefrontsize64_off.bc", "oclc_abi_version_600.bc"}));
}

}  // namespace
}  // namespace kernelgen::tool
