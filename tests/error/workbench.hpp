#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "../unit/fake_process.hpp"
#include "../unit/metadata_elf.hpp"
#include "base/fault.hpp"
#include "build/schedule.hpp"
#include "commands/build.hpp"
#include "support/memory_disk.hpp"

namespace kernelgen::tool {

using Lines = std::vector<std::string>;

/// A machine in memory with one kernel to build for one GPU.
class Workbench {
 public:
  Workbench() {
    disk.add("/k/a.hpp", "// body");
    disk.add("/m/a.json", R"json({"module": "a", "header": "a.hpp", "symbols": [
      {"name": "first", "args": ["x: f32*", "n: u64"], "body": "run(x, n)"}]})json");
    disk.add("/targets.json", R"({"targets": [
      {"name": "gfx942", "kind": "hip", "machine": "0x04c", "isa": 9402, "wave_sizes": [64], "features": [],
       "generic": null, "code_object_version": 5, "clang": 19, "groups": ["default"]}]})");
    disk.add("/usr/bin/clang++-19", "");
    disk.add("/usr/bin/lld", "");
    for (const char* name : {"ocml", "ockl", "oclc_daz_opt_off", "oclc_unsafe_math_off",
                             "oclc_finite_only_off", "oclc_correctly_rounded_sqrt_on",
                             "oclc_wavefrontsize64_on", "oclc_abi_version_500", "oclc_isa_version_942"})
      disk.add(std::string("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/") + name + ".bc", name);
    options.paths.manifests = {"/m"};
    options.paths.kernels = options.paths.shipped_kernels = "/k";
    options.paths.targets = "/targets.json";
    options.out = "/out";
  }

  /// The lines of the failure; empty on success.
  Lines build() {
    FakeProcessRunner runner([this](const CommandLine& command) { return answer(command); });
    const Environment environment = [](const char* name) -> std::string {
      return std::string(name) == "PATH" ? "/usr/bin" : std::string(name) == "HOME" ? "/home/me" : "";
    };
    std::FILE* out = std::tmpfile();
    Lines lines;
    try {
      run_build(options, disk, runner, environment, out);
    } catch (const BuildFailed& error) {
      lines = error.messages();
    } catch (const BadInput& error) {
      for (const Fault& fault : error.faults()) lines.push_back(fault.line());
    } catch (const DiskError& error) {
      lines.push_back(error.what());
    }
    std::rewind(out);
    said.clear();
    for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) said += static_cast<char>(c);
    std::fclose(out);
    return lines;
  }

  MemoryDisk disk;
  BuildOptions options;
  std::string compiler_says;  ///< empty: it succeeds
  int compiled = 0;           ///< how often it did
  std::string said;           ///< what the build printed
  nlohmann::json kernel = kernel_metadata("first");

 private:
  ProcessResult answer(const CommandLine& command) {
    if (command[1] == "--version") return success("clang version 19.1.7\n");
    if (command[1] == "--print-supported-cpus") return success("gfx942\n");
    if (value_of(command, "-o") == "/dev/null" || command[1] == "-E") return success();
    if (!compiler_says.empty()) return failure(compiler_says);
    disk.add(value_of(command, "-o"), code_object_of({kernel}).bytes());
    disk.add(value_of(command, "-MF"), "a.o: a.hip /k/a.hpp\n");
    ++compiled;
    return success();
  }
};

}  // namespace kernelgen::tool
