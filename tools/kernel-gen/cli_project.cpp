/// The commands for projects with custom kernels.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli_session.hpp"
#include "cli_values.hpp"
#include "commands/init.hpp"
#include "commands/watch.hpp"

namespace kernelgen::tool {

namespace {

constexpr const char* group = "Kernels";

void add_init(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("init", "Write a project with custom kernels, which builds and runs")->group(group);
  command->footer(
      "A project of CMake over the installed library: operations in JSON, a function that one of them calls, "
      "a "
      "program that runs them by name, and a test. Nothing is overwritten.\n"
      "Examples:\n"
      "  kernel-gen init my_kernels\n"
      "  cmake -S my_kernels -B my_kernels/build && cmake --build my_kernels/build\n"
      "  my_kernels/build/main cpu");
  auto options = std::make_shared<InitOptions>();
  command->add_option("folder", options->folder, "The project's folder")->type_name("DIR")->required();
  command->add_option("--name", options->name, "The project's name")
      ->type_name("NAME")
      ->default_str("the folder's");
  command->add_flag("--json", options->json, "Print the files as JSON");
  command->callback([&session, options] {
    session.command = [&session, options] { return run_init(*options, session.disk, stdout); };
  });
}

void add_watch(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("watch", "Build a package, and again after each change of its sources, and compare")
          ->group(group);
  command->footer(
      "Sources are the manifests, and all files in the folder of --kernels. After each change the package is "
      "built and compared with the one before, as 'diff' does. A build that fails leaves the package as it "
      "was. Ctrl-C ends it.\n"
      "Examples:\n"
      "  kernel-gen watch --manifests mine --target cpu,gfx90a\n"
      "  kernel-gen watch --manifests mine/manifests --kernels mine/kernels --target gfx1100 --out package");
  auto options = std::make_shared<WatchOptions>();
  add_places(*command, session);
  add_toolchain(*command, session);
  add_package(*command, options->build);
  command->add_option("--rounds", options->rounds, "End after that many changes")
      ->type_name("N")
      ->check(whole_number(1, 1000000));
  command->add_option("--interval", options->interval, "Milliseconds between looks at the files")
      ->type_name("MS")
      ->check(whole_number(1, 60000))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print each comparison as JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->build.places = session.places;
      options->build.toolchain = session.toolchain;
      options->build.terminal = isatty(STDOUT_FILENO) != 0;
      return session.with_processes([&](ProcessRunner& runner) {
        return run_watch(*options, session.disk, runner, session.environment, stdout);
      });
    };
  });
}

}  // namespace

void add_project_commands(CLI::App& app, Session& session) {
  add_init(app, session);
  add_watch(app, session);
}

}  // namespace kernelgen::tool
