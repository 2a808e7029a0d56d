#include "build/compile.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// Arithmetic that C++ leaves open is the same in every dialect: wrapping integers, no contraction into fma.
constexpr const char* common_clang_flags[] = {"-std=c++17", "-O3", "-fwrapv", "-ffp-contract=off",
                                              "-fno-math-errno"};

void append(CommandLine& command, std::initializer_list<std::string> arguments) {
  command.insert(command.end(), arguments);
}

void append_files(CommandLine& command, const CompilePaths& paths) {
  for (const fs::path& folder : paths.includes) append(command, {"-I", folder.string()});
  append(command, {paths.source.string(), "-o", paths.output.string()});
}

CommandLine hip_command(const TargetTools& tools, const CompilePaths& paths) {
  const Target& target = *tools.target;
  CommandLine command = {tools.compiler.path.string()};
  // hipcc adds libraries to every command; -c keeps them from becoming inputs. Its output is linked all the
  // same.
  if (tools.kind == CompilerKind::hipcc) command.push_back("-c");
  append(command,
         {"-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "--offload-arch=" + target.name});
  command.insert(command.end(), std::begin(common_clang_flags), std::end(common_clang_flags));
  // A compilation id would be a hash of the source's path.
  append(command, {"-fuse-cuid=none", "-nogpuinc", "-nogpulib",
                   fmt::format("-mcode-object-version={}", target.code_object_version)});
  // Hoisting constants out of loops fills the scalar registers until they spill; they cost one instruction to
  // remake.
  append(command, {"-mllvm", "-disable-machine-licm"});
  command.push_back(fmt::format("-DKERNELGEN_WAVE_SIZE={}", target.wave_sizes.front()));
  // gfx10 and later run either; the compiler's default there is 32.
  if (target.isa >= 10000 && target.wave_sizes.front() == 64) command.push_back("-mwavefrontsize64");
  for (const fs::path& file : paths.bitcode)
    append(command, {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", file.string()});
  append_files(command, paths);
  return command;
}

CommandLine cpu_command(const TargetTools& tools, const CompilePaths& paths) {
  CommandLine command = {tools.compiler.path.string(), "-x", "c++"};
  command.insert(command.end(), std::begin(common_clang_flags), std::end(common_clang_flags));
  // No build id and no symbols but the exported ones: the object is the same wherever it is built.
  append(command,
         {"-fno-trapping-math", "-Wno-pass-failed", "-march=" + tools.target->march, "-fPIC", "-shared",
          "-fvisibility=hidden", "-nostdlib++", "-fuse-ld=lld", "-Wl,--build-id=none,--strip-all"});
  append_files(command, paths);
  command.push_back("-lm");
  return command;
}

CommandLine cuda_command(const TargetTools& tools, const CompilePaths& paths) {
  const Target& target = *tools.target;
  CommandLine command = {
      tools.compiler.path.string(),
      "-x",
      "cu",
      target.is_ptx ? "-ptx" : "-cubin",
      fmt::format("-gencode=arch=compute_{0},code={1}_{0}", target.arch, target.is_ptx ? "compute" : "sm"),
      "-std=c++17",
      "-O3",
      "--fmad=false",
      "--expt-relaxed-constexpr"};
  append_files(command, paths);
  return command;
}

void hash_files(const Disk& disk, const fs::path& folder, const std::string& prefix, Digest& digest) {
  for (const fs::path& file : disk.list(folder)) {
    const std::string name = prefix + file.filename().string();
    if (disk.is_directory(file))
      hash_files(disk, file, name + "/", digest);
    else if (disk.exists(file))  // an editor's lock is a link to nothing
      digest.add(name).add(disk.read(file));
  }
}

}  // namespace

std::vector<std::string> device_bitcode_names(const Target& target, const Disk& disk,
                                              const fs::path& folder) {
  // Version 6 of code objects did not change the ABI; libraries older than it have no file for it.
  const unsigned newest =
      target.code_object_version >= 6 && disk.exists(folder / "oclc_abi_version_600.bc") ? 6 : 5;
  const unsigned abi = std::min<unsigned>(target.code_object_version, newest);
  return {"ocml.bc",
          "ockl.bc",
          "oclc_daz_opt_off.bc",
          "oclc_unsafe_math_off.bc",
          "oclc_finite_only_off.bc",
          "oclc_correctly_rounded_sqrt_on.bc",
          fmt::format("oclc_wavefrontsize64_{}.bc", target.wave_sizes.front() == 64 ? "on" : "off"),
          fmt::format("oclc_abi_version_{}00.bc", abi)};
}

CommandLine compile_command(const TargetTools& tools, const CompilePaths& paths) {
  switch (tools.target->kind) {
    case TargetKind::hip:
      return hip_command(tools, paths);
    case TargetKind::cpu:
      return cpu_command(tools, paths);
    case TargetKind::cuda:
      return cuda_command(tools, paths);
  }
  return {};
}

CommandLine portable_command(const TargetTools& tools, const CompilePaths& paths) {
  TargetTools bare_tools = tools;
  bare_tools.compiler.path = tools.compiler.path.filename();
  CompilePaths bare = {paths.source.filename(), "out", {"kernels"}, {}};
  for (const fs::path& file : paths.bitcode) bare.bitcode.push_back(file.filename());
  return compile_command(bare_tools, bare);
}

CommandLine shown_command(const CompileJob& job) {
  CommandLine command = job.command;
  std::replace(command.begin(), command.end(), job.output.string(), job.output.filename().string());
  return command;
}

Hash128 hash_folder(const Disk& disk, const fs::path& folder) {
  Digest digest;
  hash_files(disk, folder, "", digest);
  return digest.finish();
}

}  // namespace kernelgen::tool
