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
#include <memory>
#include <system_error>
#include <thread>

#include "base/environment.hpp"
#include "base/fault.hpp"
#include "base/printable.hpp"
#include "base/version.hpp"
#include "build/schedule.hpp"
#include "cli_number.hpp"
#include "cli_session.hpp"
#include "commands/build.hpp"
#include "commands/doctor.hpp"
#include "commands/emit.hpp"
#include "commands/inspect.hpp"
#include "commands/ls.hpp"
#include "commands/targets.hpp"
#include "commands/verify.hpp"
#include "common/suggest.hpp"
#include "kernelgen/error.hpp"

namespace kernelgen::tool {

namespace fs = std::filesystem;

namespace {

/// As a shell reports a program that a signal ended: 130 for SIGINT.
constexpr int exit_signal = 128;

void add_places(CLI::App& command, Session& session) {
  command.add_option("--manifests", session.places.manifests, "Folder of manifests; again for more of them")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->default_str("the shipped manifests/core");
  command
      .add_option("--kernels", session.places.kernels, "Folder that the manifests' headers are relative to")
      ->type_name("DIR")
      ->default_str("the shipped kernels");
  command.add_option("--targets-file", session.places.targets, "The table of targets")
      ->type_name("FILE")
      ->default_str("the shipped manifests/targets.json");
}

void add_toolchain(CLI::App& command, Session& session) {
  command
      .add_option(
          "--rocm-path", session.toolchain.rocm_path,
          "ROCm install whose clang and device bitcode build AMD targets (else ROCM_PATH, else Debian's)")
      ->type_name("DIR");
  command
      .add_option_function<std::string>(
          "--toolchain", [&session](const std::string& name) { session.toolchain.hipcc = name == "hipcc"; },
          "Drive AMD builds through clang or hipcc")
      ->check(CLI::IsMember({"clang", "hipcc"}))
      ->default_str("clang");
}

void add_emit(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("emit", "Write sources from manifests, and the registry when asked");
  command->footer("Examples:\n  kernel-gen emit --check\n  kernel-gen emit --registry --out registry");
  auto options = std::make_shared<EmitOptions>();
  options->out = session.places.generated;
  add_places(*command, session);
  command->add_option("--out", options->out, "Folder to write")->type_name("DIR")->default_str("generated");
  command->add_flag("--registry", options->registry,
                    "Write kernelgen_registry.h and .c and registry.json too, as 'build' does");
  command->add_flag("--check", options->check, "Write nothing; exit with 1 when something would change");
  command->add_flag("--json", options->json, "Print the report as JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      if (options->out.empty())
        throw BadInput(Fault{"", "", "emit: name the folder to write with --out", {}});
      options->manifests = session.places.manifests;
      options->kernels = session.places.kernels;
      options->targets = session.places.targets;
      return run_emit(*options, session.disk, stdout);
    };
  });
}

void add_build(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("build", "Compile kernels for targets into a package");
  command->footer(
      "Examples:\n"
      "  kernel-gen build --target cpu,gfx90a,gfx942 --out package\n"
      "  kernel-gen build --target gfx1100 --only op=exp,add --only 'dtype=f*' -v\n"
      "  kernel-gen build --manifests my/manifests --kernels my/kernels --out package\n"
      "The folder gets kernelgen.kgpkg, registry.json, kernelgen_registry.h and .c, and "
      "kernelgen_package.S.");
  auto options = std::make_shared<BuildOptions>();
  options->jobs = std::max(1u, std::thread::hardware_concurrency());
  add_places(*command, session);
  add_toolchain(*command, session);
  command
      ->add_option("--target,-t", options->targets,
                   "Targets and groups, see 'kernel-gen targets'; 'native' for this machine's own GPUs")
      ->delimiter(',')
      ->type_name("NAMES")
      ->allow_extra_args(false)
      ->default_str("default");
  command
      ->add_option("--only", options->only,
                   "Take only some kernels: op=NAMES or dtype=NAMES, comma-separated, globs allowed")
      ->type_name("KEY=NAMES")
      ->allow_extra_args(false);
  command->add_option("--out,-o", options->out, "Folder to write, all or nothing")
      ->type_name("DIR")
      ->capture_default_str();
  command->add_option("--jobs,-j", options->jobs, "Compilers at once")
      ->check(whole_number(1, 1024))
      ->type_name("N")
      ->default_str("one a CPU");
  command->add_flag("--verbose,-v", options->verbose, "Print command lines, and what compilers say");
  command->add_flag_callback(
      "--no-cache", [options] { options->use_cache = false; }, "Compile everything, also what the cache has");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->places = session.places;
      options->toolchain = session.toolchain;
      options->terminal = isatty(STDOUT_FILENO) != 0;
      return session.with_processes([&](ProcessRunner& runner) {
        run_build(*options, session.disk, runner, session.environment, stdout);
        return exit_ok;
      });
    };
  });
}

void add_ls(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand(
      "ls", "List operations and kernels of manifests or of a package, or what a GGUF file holds");
  command->footer(
      "Examples:\n"
      "  kernel-gen ls\n"
      "  kernel-gen ls package/kernelgen.kgpkg\n"
      "  kernel-gen ls --kernels-of 'exp*'\n"
      "  kernel-gen ls model.gguf --json");
  auto options = std::make_shared<ListOptions>();
  command->add_option("package", options->package,
                      "Package file, build folder or model (*.gguf); without it the manifests are listed");
  add_places(*command, session);
  command
      ->add_option("--kernels-of", options->kernels_of,
                   "List the kernels of the operations that match this glob")
      ->type_name("GLOB");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->places = session.places;
      return run_ls(*options, session.disk, stdout);
    };
  });
}

void add_inspect(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("inspect", "Show what a package or code object says of its kernels");
  command->footer(
      "Examples:\n"
      "  kernel-gen inspect package\n"
      "  kernel-gen inspect package unary\n"
      "  kernel-gen inspect package kg_exp_f32 --target gfx90a\n"
      "  kernel-gen inspect some.hsaco --json");
  auto options = std::make_shared<InspectOptions>();
  command
      ->add_option("file", options->file,
                   "Package file, build folder or code object (HSACO, cubin, PTX, .so)")
      ->required();
  command->add_option("name", options->name, "A kernel or module of it");
  command->add_option("--target,-t", options->target, "Only this target of a package")->type_name("NAME");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] { return run_inspect(*options, session.disk, stdout); };
  });
}

void add_targets(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("targets", "List the GPUs and CPUs that kernels can be built for");
  command->footer("Example: kernel-gen targets --json");
  auto json = std::make_shared<bool>(false);
  add_places(*command, session);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&session, json] {
    session.command = [&session, json] { return run_targets(session.places, *json, session.disk, stdout); };
  });
}

void add_doctor(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("doctor", "Say which targets can be built here, and what the others lack");
  command->footer("Example: kernel-gen doctor");
  auto json = std::make_shared<bool>(false);
  add_places(*command, session);
  add_toolchain(*command, session);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&session, json] {
    session.command = [&session, json] {
      return session.with_processes([&](ProcessRunner& runner) {
        return run_doctor({session.places, session.toolchain, *json}, session.disk, runner,
                          session.environment, stdout);
      });
    };
  });
}

void add_verify(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand(
      "verify", "Check a package: structure, hashes, tables, every kernel on every target");
  command->footer(
      "A package records the manifests it was built from; no other file is read.\n"
      "Example: kernel-gen verify package");
  auto options = std::make_shared<VerifyOptions>();
  command->add_option("package", options->package, "Package file or build folder")->required();
  command
      ->add_option("--manifests", options->manifests, "Folder of manifests to compare with; again for more")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->default_str("those the package was built from");
  command->add_option("--only", options->only, "With --manifests: what of them the package was built with")
      ->type_name("KEY=NAMES")
      ->allow_extra_args(false)
      ->needs("--manifests");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] { return run_verify(*options, session.disk, stdout); };
  });
}

int fail(int code, std::string_view message) {
  std::fflush(stdout);
  print_error(fmt::format("kernel-gen: error: {}", message));
  return code;
}

/// Output that nobody takes: a reader that went away early (`| head`) is no error worth a word.
int fail_output(const std::error_code& error) {
  if (error == std::errc::broken_pipe) return exit_signal + SIGPIPE;
  return fail(exit_failure, fmt::format("cannot write to standard output: {}", error.message()));
}

/// Runs the chosen command; the one place where errors become lines and exit codes.
int run(Session& session) {
  try {
    const int code = session.command();
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

/// CLI11 says "a subcommand is required" where the first word is none, and lists words it could not place
/// backwards.
Fault usage_fault(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());
  const std::string first = argc > 1 ? argv[1] : "";
  if (!first.empty() && first[0] != '-' &&
      std::find(commands.begin(), commands.end(), first) == commands.end())
    return {"", "", fmt::format("unknown command '{}'; 'kernel-gen --help' lists all", first),
            nearest(first, commands)};
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !first.empty() &&
      first[0] != '-') {
    const CLI::App* command = app.get_subcommand(first);
    std::vector<std::string> options;
    for (const CLI::Option* option : command->get_options())
      if (!option->get_lnames().empty()) options.push_back("--" + option->get_lnames().front());
    for (int i = 2; i < argc; ++i) {
      const std::string word = std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
      if (word.starts_with("--") && std::find(options.begin(), options.end(), word) == options.end())
        return {"", "", fmt::format("{}: unknown option '{}'", first, word), nearest(word, options)};
    }
  }
  return {"", "", fmt::format("{}; see 'kernel-gen --help'", error.what()), {}};
}

fs::path executable_path(const char* name) {
  std::error_code error;
  fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path(name) : path;
}

}  // namespace

int run_command_line(int argc, char** argv) {
  reserve_standard_streams();
  // Writing to a pipe that nobody reads fails then, and the command ends with all it has to put away.
  std::signal(SIGPIPE, SIG_IGN);
  Session session;
  session.places = default_places(session.disk, executable_path(argv[0]));
  CLI::App app("Turns manifests of kernels into code objects for GPUs and CPUs, packed for any program.");
  app.name("kernel-gen");
  app.set_version_flag("--version", std::string("kernel-gen ") + version);
  app.require_subcommand(1);
  app.footer("'kernel-gen COMMAND --help' shows a command's options and examples.");
  add_emit(app, session);
  add_build(app, session);
  add_ls(app, session);
  add_run(app, session);
  add_bench(app, session);
  add_inspect(app, session);
  add_targets(app, session);
  add_doctor(app, session);
  add_verify(app, session);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    const int code = app.exit(success);
    errno = 0;
    if (std::cout.flush()) return code;
    return fail_output({errno == 0 ? EIO : errno, std::generic_category()});
  } catch (const CLI::ParseError& error) {
    print_faults(std::vector{usage_fault(app, error, argc, argv)});
    return exit_bad_input;
  }
  return run(session);
}

}  // namespace kernelgen::tool
