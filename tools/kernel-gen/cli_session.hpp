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
#include "commands/places.hpp"

namespace CLI {
class App;
}

namespace kernelgen::tool {

/// What every command works with, and what the chosen one is to do once the command line is read.
struct Session {
  RealDisk disk;
  Environment environment = process_environment();
  Places places;
  ToolchainOptions toolchain;
  std::function<int()> command;

  /// Made only by commands that start programs: it takes over SIGINT and its like. Whatever fails once such a
  /// signal came fails because of it.
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

/// --manifests, --kernels and --targets-file, which say where the session finds things.
void add_places(CLI::App& command, Session& session);

/// The commands by what they work on, a file a group.
void add_build_commands(CLI::App& app, Session& session);
void add_package_commands(CLI::App& app, Session& session);
void add_repack_commands(CLI::App& app, Session& session);
void add_device_commands(CLI::App& app, Session& session);
void add_help_commands(CLI::App& app, Session& session);

/// What to say of a command that there is none of.
std::string unknown_command(const std::string& name);

}  // namespace kernelgen::tool
