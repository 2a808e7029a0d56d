/// The commands that read packages and files of code.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli_session.hpp"
#include "commands/conform.hpp"
#include "commands/diff.hpp"
#include "commands/disasm.hpp"
#include "commands/inspect.hpp"
#include "commands/ls.hpp"
#include "commands/report.hpp"
#include "commands/verify.hpp"

namespace kernelgen::tool {

namespace {

constexpr const char* group = "Packages";

void add_ls(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("ls",
                                     "List the operations and kernels of manifests or of a package, or the "
                                     "contents of a GGUF file, program or library")
                      ->group(group);
  command->footer(
      "Examples:\n"
      "  kernel-gen ls\n"
      "  kernel-gen ls package/kernelgen.kgpkg\n"
      "  kernel-gen ls --kernels-of 'exp*'\n"
      "  kernel-gen ls model.gguf --json\n"
      "  kernel-gen ls libggml-hip.so");
  auto options = std::make_shared<ListOptions>();
  command->add_option("package", options->package,
                      "Package file, build folder, GGUF file (*.gguf), or a file or folder of others with "
                      "code for GPUs; without it the manifests are listed");
  add_manifests(*command, session);
  command
      ->add_option("--kernels-of", options->kernels_of,
                   "List the kernels of the operations whose names match GLOB")
      ->type_name("GLOB");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->paths = session.paths;
      return run_ls(*options, session.disk, stdout);
    };
  });
}

void add_inspect(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("inspect", "Show the kernels of a package or code object")->group(group);
  command->footer(
      "Examples:\n"
      "  kernel-gen inspect package\n"
      "  kernel-gen inspect package unary\n"
      "  kernel-gen inspect package kg_exp_f32 --target gfx90a\n"
      "  kernel-gen inspect some.hsaco --json\n"
      "  kernel-gen inspect package kg_matmul_f16_tiled --loops --target gfx942\n"
      "  kernel-gen inspect package --annotate\n"
      "With --loops a cell is INSTRUCTIONS/CYCLES of a pipe, once through the hottest loop. share: the "
      "matrix "
      "cycles among those and the VALU's; bound: the least cycles of a SIMD, and of which pipe; memory: "
      "cycles "
      "until the bytes have come at full bandwidth. docs/loops.md says more.");
  auto options = std::make_shared<InspectOptions>();
  command
      ->add_option("file", options->file,
                   "Package file, build folder, or any file or folder with code for GPUs")
      ->required();
  auto* name = command->add_option("name", options->name, "A kernel or module of it");
  auto* target = command->add_option("--target,-t", options->target, "Only this target of a package")
                     ->type_name("TARGETS");
  auto* loops = command->add_flag("--loops", options->loops,
                                  "Count the instructions in the hottest loops of AMD kernels");
  command->add_flag("--annotate", options->annotate, "Name every byte of the file")
      ->excludes(name)
      ->excludes(target)
      ->excludes(loops);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->machines = session.paths.machines;
      return run_inspect(*options, session.disk, stdout);
    };
  });
}

void add_report(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("report", "Write a page about the kernels of a package, or of two side by side")
          ->group(group);
  command->footer(
      "The page needs no other file and no network: kernels by target, to be sorted and filtered, with "
      "sizes, registers, "
      "LDS, waves, spills and what 'inspect --loops' says of them; and where bytes and seconds went.\n"
      "Examples:\n"
      "  kernel-gen report package --out report.html\n"
      "  kernel-gen report package before --out report.html\n"
      "  kernel-gen bench --device simulated:gfx942 --package package --json counts.json && kernel-gen "
      "report "
      "package --launches counts.json --out report.html");
  auto options = std::make_shared<ReportOptions>();
  command
      ->add_option("package", options->package,
                   "Package file, build folder, or any file or folder with code for GPUs")
      ->required();
  command->add_option("other", options->other, "A package to compare with, such as that of an earlier build");
  command->add_option("--target,-t", options->target, "Only the code for this target");
  command
      ->add_option("--launches", options->launches,
                   "Also show what the package's kernels executed on simulated GPUs: a file that 'bench "
                   "--json', 'run --counters --json' or 'profile --json' wrote")
      ->type_name("FILE");
  command->add_option("--out,-o", options->out, "The page to write")->type_name("FILE")->required();
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->machines = session.paths.machines;
      options->cache = cache_directory(session.environment);
      return run_report(*options, session.disk, stdout);
    };
  });
}

void add_verify(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("verify", "Check a package: structure, hashes, tables, every kernel on every target")
          ->group(group);
  command->footer(
      "A package records the manifests it was built from; no other file is read.\n"
      "Example: kernel-gen verify package");
  auto options = std::make_shared<VerifyOptions>();
  command
      ->add_option("package", options->package,
                   "Package file, build folder, or any file or folder with code for GPUs")
      ->required();
  command
      ->add_option("--manifests", options->manifests,
                   "Folder of manifests to compare with; repeat it for more folders")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->default_str("those the package was built from");
  command->add_option("--only", options->only, "With --manifests: the --only that the package was built with")
      ->type_name("KEY=NAMES")
      ->allow_extra_args(false)
      ->needs("--manifests");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] { return run_verify(*options, session.disk, stdout); };
  });
}

void add_diff(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("diff", "Compare two packages, kernel by kernel")->group(group);
  command->footer(
      "Figures of a kernel: size (bytes of instructions), vgprs, agprs, sgprs, spills, lds, scratch, and "
      "occupancy (waves per SIMD, on GPUs in machines.json). Figures of the package: package (bytes), added, "
      "removed.\n"
      "The exit code is 1 if a limit of --fail-on is exceeded, for use in CI.\n"
      "Examples:\n"
      "  kernel-gen diff before after\n"
      "  kernel-gen diff before after --target gfx90a --json\n"
      "  kernel-gen diff before after --fail-on spills,size:+5%,occupancy:-1");
  auto options = std::make_shared<DiffOptions>();
  command
      ->add_option("before", options->before,
                   "Package file, build folder, or any file or folder with code for GPUs")
      ->required();
  command->add_option("after", options->after, "The same, to compare with")->required();
  command->add_option("--target,-t", options->target, "Compare only the code for this target")
      ->type_name("TARGETS");
  command
      ->add_option(
          "--fail-on", options->fail_on,
          "Figures that may not grow, or not by more than a limit: spills, size:+5%, lds:+1024; or not "
          "fall: occupancy:-1")
      ->delimiter(',')
      ->type_name("FIGURES")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->machines = session.paths.machines;
      return run_diff(*options, session.disk, stdout);
    };
  });
}

void add_conform(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("conform", "Check that programs built for one package work with another")
                      ->group(group);
  command->footer(
      "These break programs: a kernel that is removed, or whose arguments, id or block size changed (a "
      "larger "
      "block is fine); an operation whose signature changed; a type or form without a kernel. Additions do "
      "not.\n"
      "Without AFTER the first package is compared with the manifests; nothing is compiled.\n"
      "Examples:\n"
      "  kernel-gen conform released.kgpkg package\n"
      "  kernel-gen conform released.kgpkg --names-only");
  auto options = std::make_shared<ConformOptions>();
  command->add_option("before", options->before, "The package that the programs were built for")->required();
  command->add_option("after", options->after, "The package to run them with; without it the manifests");
  add_manifests(*command, session);
  command->add_flag("--names-only", options->names_only,
                    "Allow ids to change, for programs that are compiled again or look kernels up by name");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->paths = session.paths;
      return run_conform(*options, session.disk, stdout);
    };
  });
}

void add_disasm(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("disasm", "Print a kernel's instructions")->group(group);
  command->footer(
      "If the code object was compiled with -g, lines of source are printed above their instructions.\n"
      "Examples:\n"
      "  kernel-gen disasm package kg_exp_f32 --target gfx90a\n"
      "  kernel-gen disasm some.hsaco my_kernel --json");
  auto options = std::make_shared<DisasmOptions>();
  command
      ->add_option("file", options->file,
                   "Package file, build folder, or any file or folder with code for GPUs")
      ->required();
  command->add_option("name", options->kernel, "The kernel")->required();
  command->add_option("--target,-t", options->target, "The target, if the package has code for several")
      ->type_name("TARGETS");
  command
      ->add_option(
          "--from", options->from,
          "The module, if several of a program or library have the kernel, as 'kernel-gen ls' names it")
      ->type_name("MODULE");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] { return run_disasm(*options, session.disk, stdout); };
  });
}

}  // namespace

void add_package_commands(CLI::App& app, Session& session) {
  add_ls(app, session);
  add_inspect(app, session);
  add_report(app, session);
  add_verify(app, session);
  add_diff(app, session);
  add_conform(app, session);
  add_disasm(app, session);
}

}  // namespace kernelgen::tool
