#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/process.hpp"
#include "commands/paths.hpp"

namespace kernelgen::tool {

struct ProfileOptions {
  std::string gpu = "gfx90a";
  bool json = false;
  std::vector<std::string> words;  ///< a program and its arguments
};

/// Runs a program on a simulated AMD GPU and prints what its kernels executed and the least time that they take on the card: a
/// row for each kernel, longest first; as JSON an object for each launch. Gives exit_failure if the program failed. Throws
/// BadInput.
int run_profile(const ProfileOptions& options, const Paths& paths, Disk& disk, ProcessRunner& runner,
                std::FILE* out);

}  // namespace kernelgen::tool
