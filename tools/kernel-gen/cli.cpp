#include "cli.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <functional>
#include <iostream>
#include <system_error>

#include "base/environment.hpp"
#include "base/fault.hpp"
#include "base/printable.hpp"
#include "base/version.hpp"
#include "build/schedule.hpp"
#include "cli_session.hpp"
#include "common/suggest.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// As a shell reports a program that a signal ended: 130 for SIGINT.
constexpr int exit_signal = 128;

int fail(int code, std::string_view message) {
  std::fflush(stdout);
  print_error(fmt::format("kernel-gen: error: {}", message));
  return code;
}

/// A reader that closed the pipe early (`| head`) is no error: nothing is printed.
int fail_output(const std::error_code& error) {
  if (error == std::errc::broken_pipe) return exit_signal + SIGPIPE;
  return fail(exit_failure, fmt::format("cannot write to standard output: {}", error.message()));
}

/// Runs a command; the only function where errors become lines and exit codes.
int run(const std::function<int()>& command) {
  try {
    const int code = command();
    flush(stdout);
    return code;
  } catch (const BadInput& error) {
    std::fflush(stdout);
    print_faults(error.faults());
    return exit_bad_input;
  } catch (const BuildFailed& error) {
    std::fflush(stdout);
    for (const std::string& message : error.messages()) print_error(message);
    return fail(exit_failure, fmt::format("build failed: {} problem{}; nothing was written",
                                          error.messages().size(), error.messages().size() == 1 ? "" : "s"));
  } catch (const Interrupted& error) {
    return fail(exit_signal + error.signal(), "interrupted; nothing was written");
  } catch (const Error& error) {
    const bool failed =
        error.code() == Code::device || error.code() == Code::out_of_memory || error.code() == Code::io;
    return fail(failed ? exit_failure : exit_bad_input, error.what());
  } catch (const ReadError& error) {
    return fail(exit_bad_input, error.what());
  } catch (const fs::filesystem_error& error) {
    return fail(exit_failure, error.what());
  } catch (const std::system_error& error) {
    return std::ferror(stdout) ? fail_output(error.code()) : fail(exit_failure, error.what());
  } catch (const std::exception& error) {
    return fail(exit_failure, error.what());
  }
}

/// A file that is opened must not become the standard output that the caller closed.
void reserve_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    // Open for reading alone, so that writing fails as it does on what is closed.
    if (::fcntl(fd, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", O_RDONLY));
}

/// The first word that looks like an option and is none of the command's.
std::string unknown_option(const std::vector<std::string>& known, int argc, char** argv) {
  for (int i = 2; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (word.starts_with("--") && std::ranges::find(known, word) == known.end()) return word;
  }
  return {};
}

/// What is wrong with the words after the name of a command.
Fault command_fault(const CLI::App& command, const CLI::ParseError& error, int argc, char** argv) {
  const std::string& name = command.get_name();
  const auto say = [&](std::string_view what) {
    return Fault{"", "", fmt::format("{0}: {1}; see 'kernel-gen {0} --help'", name, what), {}};
  };
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  const std::string what = error.what();
  if (code == CLI::ExitCodes::ExtrasError) {
    std::vector<std::string> options;
    for (const CLI::Option* option : command.get_options())
      if (!option->get_lnames().empty()) options.push_back("--" + option->get_lnames().front());
    if (const std::string option = unknown_option(options, argc, argv); !option.empty())
      return {"", "", fmt::format("{}: unknown option '{}'", name, option), nearest(option, options)};
    if (const std::vector<std::string> words = command.remaining(); !words.empty())
      return say(fmt::format("unexpected argument '{}'", words.front()));
  }
  if (code == CLI::ExitCodes::ArgumentMismatch) {
    const CLI::Option* option = command.get_option_no_throw(what.substr(0, what.find(':')));
    if (option != nullptr && option->get_items_expected_min() > 0)
      return say(fmt::format("{} needs a value", option->get_name()));
  }
  return say(what);
}

/// CLI11's own message for a first word that is no command is "a subcommand is required".
Fault usage_fault(CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first.empty()) return {"", "", "name a command; 'kernel-gen --help' lists them", {}};
  if (first[0] == '-')
    return {"", "", fmt::format("unknown option '{}'; 'kernel-gen --help' lists the options", first), {}};
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  if (std::ranges::find(commands, first) == commands.end())
    return {"", "", unknown_command(first), nearest(first, commands)};
  return command_fault(*app.get_subcommand(first), error, argc, argv);
}

fs::path executable_path(const char* name) {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path(name) : path;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  reserve_standard_streams();
  // Writing to a closed pipe then fails with an error, and the command ends with its usual cleanup.
  std::signal(SIGPIPE, SIG_IGN);
  Session session;
  session.paths = default_paths(session.disk, executable_path(argv[0]));
  CLI::App app("Compiles kernels from JSON manifests to code objects for GPUs and CPUs, in one package.");
  app.name("kernel-gen");
  app.set_version_flag("--version", std::string("kernel-gen ") + version);
  app.require_subcommand(1);
  app.footer("'kernel-gen COMMAND --help' shows a command's options and examples.");
  add_build_commands(app, session);
  add_project_commands(app, session);
  add_package_commands(app, session);
  add_repack_commands(app, session);
  add_device_commands(app, session);
  add_help_commands(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    // The help of an operation may fail: it looks the operation up.
    return run([&] {
      const int code = app.exit(success);
      errno = 0;
      if (std::cout.flush()) return code;
      return fail_output({errno == 0 ? EIO : errno, std::generic_category()});
    });
  } catch (const CLI::ParseError& error) {
    print_faults(std::vector{usage_fault(app, error, argc, argv)});
    return exit_bad_input;
  }
  return run(session.command);
}

}  // namespace kernelgen::tool
