#pragma once
#include <unistd.h>

#include <exception>
#include <functional>
#include <memory>
#include <string>

#include "base/disk.hpp"
#include "base/environment.hpp"
#include "base/process.hpp"
#include "build/toolchain.hpp"
#include "commands/paths.hpp"

namespace CLI {
class App;
}

namespace kernelgen::tool {

struct BuildOptions;

/// What every command works with, and the chosen command, which runs after the command line is parsed.
struct Session {
  RealDisk disk;
  Environment environment = process_environment();
  Paths paths;
  ToolchainOptions toolchain;
  std::function<int()> command;

  /// For commands that start programs: the runner handles SIGINT, SIGTERM and SIGHUP. An error after such a signal is
  /// reported as the interruption.
  template <class Run>
  int with_processes(Run run) {
    const std::unique_ptr<ProcessRunner> runner = make_process_runner(compiler_environment(environ));
    try {
      return run(*runner);
    } catch (const std::exception&) {
      if (const int signal = runner->interrupted()) throw Interrupted(signal);
      throw;
    }
  }
};

/// Options that replace the shipped files: --manifests and --kernels, --targets-file, or all three.
void add_manifests(CLI::App& command, Session& session);
void add_targets_file(CLI::App& command, Session& session);
void add_paths(CLI::App& command, Session& session);

/// Options of builds: --rocm-path and --toolchain; the contents of a package, and where it is written.
void add_toolchain(CLI::App& command, Session& session);
void add_package(CLI::App& command, BuildOptions& options);

/// The commands, one file for each group.
void add_build_commands(CLI::App& app, Session& session);
void add_project_commands(CLI::App& app, Session& session);
void add_package_commands(CLI::App& app, Session& session);
void add_repack_commands(CLI::App& app, Session& session);
void add_device_commands(CLI::App& app, Session& session);
void add_help_commands(CLI::App& app, Session& session);

/// The message for an unknown command.
std::string unknown_command(const std::string& name);

}  // namespace kernelgen::tool
