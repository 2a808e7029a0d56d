/// The commands for projects with custom kernels.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli_session.hpp"
#include "cli_values.hpp"
#include "commands/init.hpp"
#include "commands/tune.hpp"
#include "commands/watch.hpp"

namespace kernelgen::tool {

namespace {

constexpr const char* group = "Kernels";

void add_init(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("init", "Write a project with custom kernels, which builds and runs")->group(group);
  command->footer(
      "A CMake project over the installed library: operations in JSON, functions that they call, a HIP "
      "kernel, "
      "a program that runs them, and a test. Nothing is overwritten.\n"
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
  add_paths(*command, session);
  add_toolchain(*command, session);
  add_package(*command, options->build);
  command->add_option("--rounds", options->rounds, "End after that many changes")
      ->type_name("N")
      ->check(whole_number(1, 1000000));
  command->add_option("--interval", options->interval, "Milliseconds between checks of the files")
      ->type_name("MS")
      ->check(whole_number(1, 60000))
      ->capture_default_str();
  command->add_flag("--json", options->json, "Print each comparison as JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->build.paths = session.paths;
      options->build.toolchain = session.toolchain;
      options->build.terminal = isatty(STDOUT_FILENO) != 0;
      return session.with_processes([&](ProcessRunner& runner) {
        return run_watch(*options, session.disk, runner, session.environment, stdout);
      });
    };
  });
}

void add_tune(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand(
             "tune", "Choose the constants of an operation for a device, and write them into its manifest")
          ->group(group);
  command->footer(
      "Tries every combination of the values that the constants of the operation's body list under \"try\" "
      "on calls that "
      "are drawn, and writes the fastest into their tables, for the device's target. A simulated GPU has no "
      "clock: there "
      "it is the one whose launches have the least bound. Combinations that do not compile or give other "
      "results are left "
      "out.\n"
      "Examples:\n"
      "  kernel-gen tune pair_sums --device cpu\n"
      "  kernel-gen tune bounds --manifest mine/bounds.json --kernels functions --device simulated:gfx90a");
  auto options = std::make_shared<TuneOptions>();
  command->add_option("operation", options->operation, "The operation")->type_name("OP")->required();
  command->add_option("--device", options->device, "cpu, cpu:N (N threads), hip:N, cuda:N or simulated:gfxN")
      ->type_name("DEVICE")
      ->capture_default_str();
  command->add_option("--manifest", options->manifest, "The manifest that has the operation")
      ->type_name("FILE")
      ->default_str("the one in ./manifests");
  command->add_option("--kernels", options->kernels, "Folder that the manifest names headers in")
      ->type_name("DIR")
      ->default_str("kernels next to the manifest's folder");
  add_toolchain(*command, session);
  command->add_option("--cases", options->cases, "Number of calls that are drawn")
      ->type_name("N")
      ->check(whole_number(1, 100))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Seed of the draws")->type_name("N")->capture_default_str();
  command->add_flag("--json", options->json, "Print JSON, and no progress");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->paths = session.paths;
      options->toolchain = session.toolchain;
      return session.with_processes([&](ProcessRunner& runner) {
        return run_tune(*options, session.disk, runner, session.environment, stdout);
      });
    };
  });
}

}  // namespace

void add_project_commands(CLI::App& app, Session& session) {
  add_init(app, session);
  add_watch(app, session);
  add_tune(app, session);
}

}  // namespace kernelgen::tool
