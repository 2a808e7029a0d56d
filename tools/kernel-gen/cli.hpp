#pragma once

namespace kernelgen::tool {

/// Runs the command line; gives the exit code: 0 done, 1 a build, verification or drift check that failed or
/// output that could not be written, 2 bad input or usage, 128 + N ended by signal N (129 SIGHUP, 130 SIGINT,
/// 141 nobody reads the output, 143 SIGTERM). Errors are on stderr, each on a line beginning with "kernel-gen:
/// error:".
int run_command_line(int argc, char** argv);

}  // namespace kernelgen::tool
