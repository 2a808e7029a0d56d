#pragma once

namespace kernelgen::tool {

/// Runs the command line; gives the exit code: 0 done, 1 a build, verification or drift check that failed, 2
/// bad input or usage, 130 interrupted. Errors are on stderr, each on a line beginning with "kernel-gen:
/// error:".
int run_command_line(int argc, char** argv);

}  // namespace kernelgen::tool
