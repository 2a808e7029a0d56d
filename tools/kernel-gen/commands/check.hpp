#pragma once
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct CheckOptions {
  std::string gpu = "gfx90a";
  std::uint64_t seed = 1;
  bool natural_alignment = false;
  bool json = false;
  std::vector<std::string> words;  ///< a program and its arguments; with `kernel` a code object
  std::string kernel;
  std::vector<std::string> arguments;  ///< of the kernel: "f32=0.5", "zeros=1024"
  std::vector<unsigned> grid{1}, block{256};
  unsigned shared_bytes = 0;
};

/// Runs a program, or one kernel of a code object, on a simulated AMD GPU with all checks, and prints what they found. Gives
/// exit_failure if they found anything or the program failed. Throws BadInput.
int run_check(const CheckOptions& options, const Paths& paths, Disk& disk, ProcessRunner& runner,
              std::FILE* out);

}  // namespace kernelgen::tool
