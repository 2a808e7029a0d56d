/// The commands that start from manifests.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "base/fault.hpp"
#include "cli_session.hpp"
#include "cli_values.hpp"
#include "commands/build.hpp"
#include "commands/cache.hpp"
#include "commands/doctor.hpp"
#include "commands/doctor_binary.hpp"
#include "commands/emit.hpp"
#include "commands/import.hpp"
#include "commands/import_binary.hpp"
#include "commands/plan.hpp"
#include "commands/targets.hpp"

namespace kernelgen::tool {

namespace {

constexpr const char* group = "Kernels";

void add_emit(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("emit",
                         "Write HIP sources, and with --registry the registry, from manifests; or with "
                         "--wrappers typed functions for a package's kernels")
          ->group(group);
  command->footer(
      "Wrappers are NAME.hpp, a C++ class, and NAME.rs, a Rust struct, with a function for each kernel "
      "that belongs to no operation, such as those of 'kernel-gen import'. Python needs none: "
      "kernelgen.load(\"mine.kgpkg\").saxpy[grid, block](...).\n"
      "Examples:\n"
      "  kernel-gen emit --check\n"
      "  kernel-gen emit --registry --out registry\n"
      "  kernel-gen emit --wrappers package --name mine --out wrappers");
  auto options = std::make_shared<EmitOptions>();
  options->out = session.paths.generated;
  add_paths(*command, session);
  command->add_option("--out", options->out, "Folder to write")->type_name("DIR")->default_str("generated");
  auto* registry = command->add_flag(
      "--registry", options->registry,
      "Also write kernelgen_registry.h, kernelgen_registry.c and registry.json, as 'build' does");
  auto* wrappers =
      command
          ->add_option_function<std::string>(
              "--wrappers", [options](const std::string& package) { options->wrappers = package; },
              "Package file or build folder; write only wrappers of its kernels, for C++ and Rust")
          ->type_name("PACKAGE")
          ->excludes(registry);
  for (const char* of_manifests : {"--manifests", "--kernels", "--targets-file"})
    wrappers->excludes(command->get_option(of_manifests));
  command
      ->add_option("--name", options->name, "With --wrappers: the name of their files and of the namespace")
      ->type_name("NAME")
      ->default_str("that of the package's file or folder")
      ->needs(wrappers);
  command->add_flag("--check", options->check, "Write nothing; exit with 1 if a file would change");
  command->add_flag("--json", options->json, "Print the report as JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      if (options->out.empty())
        throw BadInput(Fault{"", "", "emit: --out is empty; name the folder to write", {}});
      options->manifests = session.paths.manifests;
      options->kernels = session.paths.kernels;
      options->targets = session.paths.targets;
      return run_emit(*options, session.disk, stdout);
    };
  });
}

void add_import(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("import",
                                     "Import the kernels of HIP or CUDA files as manifests, or those of a "
                                     "binary as a package")
                      ->group(group);
  command->footer(
      "The kernels keep their names and arguments, and are built, embedded, inspected and launched as all "
      "others. Instances of templates are those that the file launches or instantiates explicitly, and those "
      "of --instantiate. Host code is skipped. The device API of HIP and CUDA comes with kernel-gen, so no "
      "ROCm or CUDA is needed.\n"
      "Of a binary (a program, library or code object) the code itself is taken; its kernels are found by "
      "their mangled names.\n"
      "Examples:\n"
      "  kernel-gen import my.hip --out mine\n"
      "  kernel-gen import my.cu --kernel scale --kernel shift --out mine\n"
      "  kernel-gen import gemm.cu -I include -D TILE=32 --instantiate 'gemm<float, 128>' --out mine\n"
      "  kernel-gen build --manifests mine/manifests --kernels mine/kernels --target cpu,gfx90a\n"
      "  kernel-gen import --binary libggml-hip.so --kernels 'silu*' --target gfx1100 --out silu.kgpkg");
  auto options = std::make_shared<ImportOptions>();
  auto of_binary = std::make_shared<ImportBinaryOptions>();
  auto* files = command->add_option("files", options->sources, "HIP or CUDA files");
  auto* binary = command->add_option("--binary", of_binary->binary, "The program, library or code object")
                     ->type_name("FILE")
                     ->excludes(files);
  command->add_option("--include,-I", options->includes, "Folder of headers; repeat it for more")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->excludes(binary);
  command->add_option("--define,-D", options->defines, "Macro; repeat it for more")
      ->type_name("NAME[=VALUE]")
      ->allow_extra_args(false)
      ->excludes(binary);
  command->add_option("--kernel,-k", options->kernels, "Only this kernel; repeat it for more kernels")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->excludes(binary);
  command->add_option("--instantiate", options->instances, "Instance of a template; repeat it for more")
      ->type_name("'NAME<ARGUMENTS>'")
      ->allow_extra_args(false)
      ->excludes(binary);
  command
      ->add_option(
          "--kernels", of_binary->kernels,
          "Of a binary: kernels by their mangled or source names, without arguments; globs are allowed")
      ->type_name("NAMES")
      ->allow_extra_args(false)
      ->needs(binary);
  command->add_option("--target,-t", of_binary->targets, "Of a binary: code for these GPUs only")
      ->delimiter(',')
      ->type_name("TARGETS")
      ->allow_extra_args(false)
      ->needs(binary)
      ->default_str("all");
  command
      ->add_option("--from", of_binary->from,
                   "Of a binary: only these modules, as 'kernel-gen ls' names them")
      ->delimiter(',')
      ->type_name("MODULES")
      ->allow_extra_args(false)
      ->needs(binary)
      ->default_str("all");
  command->add_option("--module,-m", options->module, "The module's name")
      ->type_name("NAME")
      ->excludes(binary)
      ->default_str("the file's");
  command->add_flag("--leave-out", options->leaves_out,
                    "Leave out kernels that cannot be imported, and say which and why");
  command
      ->add_option("--out,-o", options->out,
                   "Folder in which manifests/ and kernels/ are created; its other files are kept. Of a "
                   "binary: the package, a "
                   "folder or *.kgpkg")
      ->type_name("PATH")
      ->capture_default_str();
  command->callback([&session, options, of_binary] {
    session.command = [&session, options, of_binary] {
      if (!of_binary->binary.empty()) {
        of_binary->paths = session.paths;
        of_binary->out = options->out;
        return run_import_binary(*of_binary, session.disk, stdout);
      }
      if (options->sources.empty())
        throw BadInput(Fault{"", "", "import: name a HIP or CUDA file, or a binary with --binary", {}});
      options->paths = session.paths;
      return session.with_processes([&](ProcessRunner& runner) {
        return run_import(*options, session.disk, runner, session.environment, stdout);
      });
    };
  });
}

void add_plan(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("plan", "Write the commands of a build as a file for ninja")->group(group);
  command->footer(
      "One clang command for each object, then kernel-gen packs them: the package that 'kernel-gen build' "
      "makes, "
      "byte for byte.\n"
      "Examples:\n"
      "  kernel-gen plan --ninja build.ninja --target cpu,gfx90a --out package\n"
      "  ninja");
  auto options = std::make_shared<PlanOptions>();
  add_paths(*command, session);
  add_toolchain(*command, session);
  command->add_option("--ninja", options->ninja, "The file to write")->type_name("FILE")->required();
  command->add_option("--objects", options->build.objects, "Folder for sources and objects")
      ->type_name("DIR")
      ->default_str("kernelgen-objects in the file's folder");
  add_package(*command, options->build);
  command->add_flag("--quiet,-q", options->build.quiet, "Print only errors");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->build.paths = session.paths;
      options->build.toolchain = session.toolchain;
      options->build.program = session.disk.resolve("/proc/self/exe");
      return session.with_processes([&](ProcessRunner& runner) {
        run_plan(*options, session.disk, runner, session.environment, stdout);
        return exit_ok;
      });
    };
  });
}

void add_build(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("build", "Compile kernels for targets into a package")->group(group);
  command->footer(
      "Examples:\n"
      "  kernel-gen build --target cpu,gfx90a,gfx942 --out package\n"
      "  kernel-gen build --target gfx1100 --only op=exp,add --only 'dtype=f*' -v\n"
      "  kernel-gen build --manifests my/manifests --kernels my/kernels --out package\n"
      "  kernel-gen build --explain --dry-run\n"
      "The folder then holds kernelgen.kgpkg, registry.json, kernelgen_registry.h, kernelgen_registry.c and "
      "kernelgen_package.S.");
  auto options = std::make_shared<BuildOptions>();
  add_paths(*command, session);
  add_toolchain(*command, session);
  add_package(*command, *options);
  command->add_option("--jobs,-j", options->jobs, "Number of compilers to run at the same time")
      ->check(whole_number(1, 1024))
      ->type_name("N")
      ->default_str("one for each CPU, or as the jobserver of make or ninja allows");
  auto* objects = command
                      ->add_option("--objects", options->objects,
                                   "Compile nothing; pack the objects in this folder, compiled by the "
                                   "commands of 'kernel-gen plan'")
                      ->type_name("DIR");
  command
      ->add_option("--depfile", options->depfile,
                   "Write the files that were read, as a rule for make and ninja")
      ->type_name("FILE")
      ->excludes(objects);
  command
      ->add_option("--sbom", options->sbom,
                   "Write the sources and compilers of the package, as SPDX 2.3 (JSON)")
      ->type_name("FILE")
      ->excludes(objects);
  command->add_flag("--explain", options->explain, "Print for each object why it is or is not compiled")
      ->excludes(objects);
  command->add_flag("--dry-run,-n", options->dry_run, "Print what would be compiled; write no package")
      ->excludes(objects);
  command->add_flag("--json", options->json,
                    "Print one JSON object: the package, and the result of each object");
  command->add_flag("--quiet,-q", options->quiet, "Print only errors");
  command->add_flag("--verbose,-v", options->verbose, "Print the compilers' command lines and output");
  command->add_flag_callback(
      "--no-cache", [options] { options->use_cache = false; },
      "Compile every object; do not read or write the cache");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->paths = session.paths;
      options->toolchain = session.toolchain;
      options->terminal = isatty(STDOUT_FILENO) != 0;
      options->program = "/proc/self/exe";
      return session.with_processes([&](ProcessRunner& runner) {
        run_build(*options, session.disk, runner, session.environment, stdout);
        return exit_ok;
      });
    };
  });
}

void add_cache(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("cache", "Show, prune or clear the cache of objects")->group(group);
  command->footer(
      "Examples:\n"
      "  kernel-gen cache\n"
      "  kernel-gen cache prune --size 1G\n"
      "  kernel-gen cache prune --age 30d\n"
      "Builds keep it to KERNELGEN_CACHE_SIZE (5G; 0: any size): the least recently used objects are removed "
      "first.");
  auto options = std::make_shared<CacheOptions>();
  command->add_option("action", options->action, "size, prune or clear")
      ->check(one_of({"size", "prune", "clear"}))
      ->default_str("size");
  command->add_option("--size", options->size, "prune: the size to keep, the most recently used objects")
      ->type_name("SIZE");
  command->add_option("--age", options->age, "prune: remove objects not used for this long")
      ->type_name("TIME");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      return run_cache(*options, session.disk, session.environment, stdout);
    };
  });
}

void add_targets(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("targets", "List the GPUs and CPUs that kernels can be built for")->group(group);
  command->footer("Example: kernel-gen targets --json");
  auto json = std::make_shared<bool>(false);
  add_targets_file(*command, session);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&session, json] {
    session.command = [&session, json] { return run_targets(session.paths, *json, session.disk, stdout); };
  });
}

void add_doctor(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("doctor",
                         "Check which targets can be built here, or on which GPUs a program or library runs")
          ->group(group);
  command->footer(
      "With a file: the exit code is 1 if it does not run on the GPU of --target or --device.\n"
      "Examples:\n"
      "  kernel-gen doctor\n"
      "  kernel-gen doctor libggml-hip.so\n"
      "  kernel-gen doctor libggml-hip.so --target gfx1151\n"
      "  kernel-gen doctor /usr/lib/x86_64-linux-gnu/rocblas --device hip:0");
  auto options = std::make_shared<DoctorBinaryOptions>();
  auto* file = command->add_option("file", options->file, "Any file or folder with code for GPUs");
  auto* target = command
                     ->add_option("--target,-t", options->target,
                                  "The GPU that the file is to run on: gfx1100, gfx90a:xnack+")
                     ->type_name("TARGET")
                     ->needs(file);
  command->add_option("--device", options->device, "The same, for an installed device")
      ->type_name("DEVICE")
      ->needs(file)
      ->excludes(target);
  add_targets_file(*command, session);
  add_toolchain(*command, session);
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->paths = session.paths;
      if (!options->file.empty()) return run_doctor_binary(*options, session.disk, stdout);
      return session.with_processes([&](ProcessRunner& runner) {
        return run_doctor({session.paths, session.toolchain, options->json}, session.disk, runner,
                          session.environment, stdout);
      });
    };
  });
}

}  // namespace

void add_build_commands(CLI::App& app, Session& session) {
  add_emit(app, session);
  add_import(app, session);
  add_build(app, session);
  add_plan(app, session);
  add_cache(app, session);
  add_targets(app, session);
  add_doctor(app, session);
}

}  // namespace kernelgen::tool
