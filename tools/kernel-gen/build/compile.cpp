#include "build/compile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "source/compile_flags.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

void append(CommandLine& command, const std::vector<std::string>& arguments) {
  command.insert(command.end(), arguments.begin(), arguments.end());
}

void append_files(CommandLine& command, const CompilePaths& paths, const fs::path& output) {
  for (const fs::path& folder : paths.includes) append(command, {"-I", folder.string()});
  if (!paths.depfile.empty()) append(command, {"-MD", "-MF", paths.depfile.string()});
  append(command, {paths.source.string(), "-o", output.string()});
}

/// "a && b", as one line of shell.
std::string joined(const std::vector<CommandLine>& commands) {
  std::string line;
  for (const CommandLine& command : commands) line += (line.empty() ? "" : " && ") + quoted(command);
  return line;
}

CommandLine hip_command(const TargetTools& tools, const CompilePaths& paths) {
  const Target& target = *tools.target;
  CommandLine command = {tools.compiler.path.string()};
  // hipcc adds libraries to every command; -c keeps them from becoming inputs, and launchers know a compile by it.
  // Its output is linked all the same.
  append(command, {"-c", "-x", "hip", "--offload-device-only", "--no-gpu-bundle-output",
                   "--offload-arch=" + target.name});
  command.insert(command.end(), std::begin(clang_flags), std::end(clang_flags));
  // A compilation id would be a hash of the source's path.
  append(command, {"-fuse-cuid=none", "-nogpuinc", "-nogpulib",
                   fmt::format("-mcode-object-version={}", target.code_object_version)});
  append(command, hip_flags(static_cast<int>(target.wave_sizes.front())));
  // gfx10 and later run either; the compiler's default there is 32.
  if (target.isa >= 10000 && target.wave_sizes.front() == 64) command.push_back("-mwavefrontsize64");
  for (const fs::path& file : paths.bitcode)
    append(command, {"-Xclang", "-mlink-builtin-bitcode", "-Xclang", file.string()});
  append_files(command, paths, paths.output);
  return command;
}

std::vector<CommandLine> cpu_commands(const TargetTools& tools, const CompilePaths& paths) {
  const fs::path object = host_object(paths.output);
  CommandLine command = {tools.compiler.path.string(), "-c", "-x", "c++"};
  command.insert(command.end(), std::begin(clang_flags), std::end(clang_flags));
  append(command, cpu_flags(tools.target->march));
  append_files(command, paths, object);
  CommandLine link = {tools.compiler.path.string()};
  append(link, cpu_link_flags());
  append(link, {object.string(), "-o", paths.output.string(), "-lm"});
  return {command, link};
}

CommandLine cuda_command(const TargetTools& tools, const CompilePaths& paths) {
  const Target& target = *tools.target;
  CommandLine command = {
      tools.compiler.path.string(),
      "-x",
      "cu",
      target.is_ptx ? "-ptx" : "-cubin",
      fmt::format("-gencode=arch=compute_{0},code={1}_{0}", target.arch, target.is_ptx ? "compute" : "sm"),
      cuda_standard,
      "-O3",
      cuda_rounding,
      "--expt-relaxed-constexpr"};
  append_files(command, paths, paths.output);
  return command;
}

}  // namespace

std::vector<std::string> device_bitcode_names(const Target& target, const Disk& disk,
                                              const fs::path& folder) {
  // Version 6 of code objects did not change the ABI; libraries older than it have no file for it.
  const unsigned newest =
      target.code_object_version >= 6 && disk.exists(folder / "oclc_abi_version_600.bc") ? 6 : 5;
  const unsigned abi = std::min<unsigned>(target.code_object_version, newest);
  std::vector<std::string> names = {"ocml.bc", "ockl.bc"};
  // One constant each, which code of later libraries no longer asks for: those have no such file. Where it is asked for,
  // the linker misses it.
  for (const char* constant : {"oclc_daz_opt_off.bc", "oclc_unsafe_math_off.bc", "oclc_finite_only_off.bc",
                               "oclc_correctly_rounded_sqrt_on.bc"})
    if (disk.exists(folder / constant)) names.emplace_back(constant);
  names.push_back(fmt::format("oclc_wavefrontsize64_{}.bc", target.wave_sizes.front() == 64 ? "on" : "off"));
  names.push_back(fmt::format("oclc_abi_version_{}00.bc", abi));
  return names;
}

fs::path host_object(const fs::path& output) { return output.string() + ".o"; }

std::vector<CommandLine> compile_commands(const TargetTools& tools, const CompilePaths& paths) {
  switch (tools.target->kind) {
    case TargetKind::hip:
      return {hip_command(tools, paths)};
    case TargetKind::cpu:
      return cpu_commands(tools, paths);
    case TargetKind::cuda:
      return {cuda_command(tools, paths)};
  }
  return {};
}

std::string portable_commands(const TargetTools& tools, const CompilePaths& paths) {
  TargetTools bare_tools = tools;
  bare_tools.compiler.path = tools.compiler.path.filename();
  CompilePaths bare = {paths.source.filename(), "out", {}, {"kernels"}, {}};
  for (const fs::path& file : paths.bitcode) bare.bitcode.push_back(file.filename());
  return joined(compile_commands(bare_tools, bare));
}

std::string shown_commands(const CompileJob& job) {
  std::vector<CommandLine> commands = job.commands;
  for (CommandLine& command : commands)
    for (std::string& argument : command)
      for (const fs::path& file : {job.output, job.depfile})
        if (argument.starts_with(file.string()))
          argument = file.filename().string() + argument.substr(file.string().size());
  return joined(commands);
}

}  // namespace kernelgen::tool
