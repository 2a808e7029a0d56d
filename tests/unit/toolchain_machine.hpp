#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "build/toolchain.hpp"
#include "fake_process.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool::test {

inline constexpr const char* debian_bitcode = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc";

inline std::string bitcode_of(unsigned major) {
  return fmt::format("/usr/lib/llvm-{0}/lib/clang/{0}/amdgcn/bitcode/ocml.bc", major);
}

inline unsigned major_of(const std::string& program) {
  const std::size_t dash = program.rfind('-');
  return dash == std::string::npos ? 14 : static_cast<unsigned>(std::stoul(program.substr(dash + 1)));
}

/// A machine with some files, variables and programs that answer as the real ones do.
struct Machine {
  MemoryDisk disk;
  std::map<std::string, std::string> variables = {{"PATH", "/usr/bin:/opt/bin"}};
  std::map<std::string, unsigned> majors;  ///< of clangs whose names do not tell
  std::string hipcc = "HIP version: 5.2\nDebian clang version 15.0.6\nInstalledDir: /usr/bin\n";
  FakeProcessRunner runner{[this](const CommandLine& command) { return answer(command); }};

  ProcessResult answer(const CommandLine& command) const {
    if (command[0].ends_with("hipcc")) return success(hipcc);
    if (command[0].ends_with("nvcc"))
      return success("nvcc: NVIDIA (R)\nCuda compilation tools, release 13.0, V13.0.88\n");
    const auto known = majors.find(command[0]);
    const unsigned major = known == majors.end() ? major_of(command[0]) : known->second;
    if (command[1] == "--version")
      return success(
          fmt::format("Debian clang version {}.1.7\nTarget: x86_64\nInstalledDir: /usr/bin\n", major));
    if (command[1] == "--print-supported-cpus") return processors(command, major);
    // A library made by a newer LLVM cannot be read.
    for (unsigned newer = major + 1; newer < 30; ++newer)
      if (std::ranges::count(command, bitcode_of(newer)) != 0) return failure("Unknown attribute kind (86)");
    return success();
  }
  static ProcessResult processors(const CommandLine& command, unsigned major) {
    if (command.back() != "-nogpulib") return success("Available CPUs for this target:\n\tx86-64-v3\n\n");
    ProcessResult result = success();  // clang prints the list to its other stream
    if (major < 21) result.err += "\tgfx940\n";
    for (const auto& [since, name] :
         {std::pair(15u, "gfx90a"), {17u, "gfx942"}, {18u, "gfx1201"}, {20u, "gfx950"}})
      if (major >= since) result.err += fmt::format("\t{}\n", name);
    return result;
  }
  void install_clang(unsigned major) {
    const std::string folder = fmt::format("/usr/lib/llvm-{}/bin", major);
    const std::string program = fmt::format("/usr/bin/clang++-{}", major);
    disk.add(program, "");
    disk.add(folder + "/lld", "");
    disk.add_link(program, folder + "/clang");
    disk.add(folder + "/clang", "");
  }
  void install_bitcode(const std::string& folder, const std::vector<std::string>& names) {
    for (const std::string& name : names) disk.add(folder + "/" + name + ".bc", "");
  }
  TargetTools find(const Target& target, const ToolchainOptions& options = {}) {
    const Environment environment = [this](const char* name) { return variables[name]; };
    Toolchain toolchain(disk, runner, environment, options);
    TargetTools tools = toolchain.tools_for(target);
    tools.target = nullptr;
    return tools;
  }
};

}  // namespace kernelgen::tool::test
