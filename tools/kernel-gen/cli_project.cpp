/// The commands for projects with kernels of their own.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli_session.hpp"
#include "commands/init.hpp"

namespace kernelgen::tool {

namespace {

constexpr const char* group = "Kernels";

void add_init(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("init", "Write a project with kernels of its own, which builds and runs")
                      ->group(group);
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

}  // namespace

void add_project_commands(CLI::App& app, Session& session) {
  add_init(app, session);
}

}  // namespace kernelgen::tool
