/// The commands that make packages, or files, from packages.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli_session.hpp"
#include "commands/export.hpp"
#include "commands/extract.hpp"
#include "commands/merge.hpp"
#include "commands/prune.hpp"
#include "commands/repack.hpp"
#include "commands/split.hpp"

namespace kernelgen::tool {

namespace {

constexpr const char* group = "From packages";

void add_package(CLI::App& command, std::filesystem::path& package) {
  command.add_option("package", package, "Package file or build folder")->required();
}

void add_out(CLI::App& command, std::filesystem::path& out) {
  command.add_option("--out,-o", out, "A file *.kgpkg, or a folder for the files that 'build' writes")
      ->type_name("PATH")
      ->required();
}

void add_out_folder(CLI::App& command, std::filesystem::path& out) {
  command.add_option("--out,-o", out, "Folder to write; an error leaves it unchanged")
      ->type_name("DIR")
      ->required();
}

CLI::Option* add_keep(CLI::App& command, std::vector<std::string>& keep) {
  return command.add_option("--keep,-k", keep, "Targets, globs and groups to keep, see 'kernel-gen targets'")
      ->delimiter(',')
      ->type_name("TARGETS")
      ->allow_extra_args(false);
}

constexpr const char* compress_help = "Compress offload bundles; ROCm reads them from 6.1 on";

void add_prune(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("prune", "Write a package, program or library with some of its targets")
                      ->group(group);
  command->footer(
      "Of a package the result is identical to a build for these targets alone; with --operations its record "
      "keeps the hash of all sources. Of a program or library for HIP the code for other GPUs is cut out; a "
      "file that could break is left as it is, with the reason.\n"
      "Examples:\n"
      "  kernel-gen prune package --keep gfx90a,gfx942 --out mi200.kgpkg\n"
      "  kernel-gen prune package --keep 'gfx11*' --keep cpu --out slim\n"
      "  kernel-gen prune package --operations 'exp,add,*_norm' --solid --out small.kgpkg\n"
      "  kernel-gen prune libggml-hip.so --keep gfx1100 --out slim/libggml-hip.so\n"
      "  kernel-gen prune librccl.so.1 --compress --in-place");
  auto options = std::make_shared<PruneOptions>();
  command
      ->add_option("package", options->package,
                   "Package file, build folder, program, library or offload bundle")
      ->required();
  add_keep(*command, options->keep);
  command
      ->add_option(
          "--operations", options->operations,
          "Operations of a package to keep, and kernels by name: names, globs, or @FILE with such words")
      ->delimiter(',')
      ->type_name("NAMES")
      ->allow_extra_args(false);
  command
      ->add_option("--out,-o", options->out,
                   "A file; of a package also a folder for the files that 'build' writes")
      ->type_name("PATH");
  command->add_flag("--solid", options->solid,
                    "Compress all code of a package's target at once: a tenth smaller, but the first launch "
                    "decodes all of it");
  command->add_flag("--compress", options->compress, compress_help);
  command->add_flag("--in-place", options->in_place, "Replace the program, library or bundle");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->paths = session.paths;
      return run_prune(*options, session.disk, stdout);
    };
  });
}

void add_repack(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("repack", "Shrink every program and library of a folder to some GPUs")->group(group);
  command->footer(
      "Files for one GPU alone, such as rocBLAS's kernels, are left out if it is not kept. What could break "
      "is copied as it is and "
      "named.\n"
      "Examples:\n"
      "  kernel-gen repack /opt/rocm/lib --keep gfx1100 --out slim\n"
      "  kernel-gen repack layer --keep 'gfx11*' --compress --in-place");
  auto options = std::make_shared<RepackOptions>();
  command->add_option("folder", options->folder, "Folder, such as /opt/rocm/lib")->required();
  add_keep(*command, options->keep)->required();
  command->add_option("--out,-o", options->out, "Folder to write; it must not exist")->type_name("DIR");
  command->add_flag("--compress", options->compress, compress_help);
  command->add_flag("--in-place", options->in_place, "Replace the files, and remove those that are left out");
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->paths = session.paths;
      return run_repack(*options, session.disk, stdout);
    };
  });
}

void add_merge(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("merge", "Write one package from several")->group(group);
  command->footer(
      "The packages hold the same kernels for different targets, built on different machines, or different "
      "modules for the same targets. What several packages hold must be identical in all of them.\n"
      "Examples:\n"
      "  kernel-gen merge amd.kgpkg nvidia.kgpkg --out package\n"
      "  kernel-gen merge package my-kernels --out both.kgpkg");
  auto options = std::make_shared<MergeOptions>();
  command->add_option("package", options->packages, "Package files or build folders")->required();
  add_out(*command, options->out);
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->paths = session.paths;
      return run_merge(*options, session.disk, stdout);
    };
  });
}

void add_split(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("split", "Write a package for each target of another")->group(group);
  command->footer("Example: kernel-gen split package --out by-target   # by-target/gfx90a.kgpkg, ...");
  auto options = std::make_shared<SplitOptions>();
  add_package(*command, options->package);
  command->add_option("--out,-o", options->out, "Folder to write; an error leaves it unchanged")
      ->type_name("DIR")
      ->required();
  command->callback([&session, options] {
    session.command = [&session, options] {
      options->paths = session.paths;
      return run_split(*options, session.disk, stdout);
    };
  });
}

void add_extract(CLI::App& app, Session& session) {
  auto* command =
      app.add_subcommand("extract", "Write the code objects of a package, program or library to files")
          ->group(group);
  command->footer(
      "The files are TARGET/MODULE.hsaco, .so, .cubin or .ptx.\n"
      "Examples:\n"
      "  kernel-gen extract package --out code\n"
      "  kernel-gen extract package --target gfx90a --module unary --out code\n"
      "  kernel-gen extract libggml-hip.so --target gfx1100 --out code");
  auto options = std::make_shared<ExtractOptions>();
  command
      ->add_option("package", options->package,
                   "Package file, build folder, or any file or folder with code for GPUs")
      ->required();
  command->add_option("--target,-t", options->target, "Only code for this target")->type_name("TARGETS");
  command->add_option("--module,-m", options->module, "Only the code of this module")->type_name("NAME");
  add_out_folder(*command, options->out);
  command->callback([&session, options] {
    session.command = [&session, options] { return run_extract(*options, session.disk, stdout); };
  });
}

void add_export(CLI::App& app, Session& session) {
  auto* command = app.add_subcommand("export", "Write a package's code for other loaders")->group(group);
  command->footer(
      "Writes one folder per target and index.json, which lists each kernel's file, arguments and resources; "
      "or rocm-kpack archives, one per target, with a module's code as MODULE#0; or, from a package with "
      "candle's names, a Rust crate that replaces candle-kernels: modules with code for each target, and the "
      "launchers. candle's feature cuda takes the PTX of compute_80.\n"
      "Examples:\n"
      "  kernel-gen export package --hsaco code\n"
      "  kernel-gen export package --kpack .kpack\n"
      "  kernel-gen export package --ptx code\n"
      "  kernel-gen build --manifests manifests/candle --target compute_80,sm_90 --out candle\n"
      "  kernel-gen export candle --candle candle-kernels --candle-version 0.11");
  auto options = std::make_shared<ExportOptions>();
  add_package(*command, options->package);
  auto* hsaco = command->add_option("--hsaco", options->hsaco, "Code objects for AMD GPUs, into this folder");
  auto* kpack =
      command->add_option("--kpack", options->kpack, "Archives of rocm-kpack for AMD GPUs, into this folder");
  auto* fatbin = command->add_option("--fatbin", options->fatbin,
                                     "An object of the host that HIP programs link (kernels.o) and its "
                                     "header (kernels.hpp), into this folder; needs clang");
  auto* cubin =
      command->add_option("--cubin", options->cubin, "Code objects for NVIDIA GPUs, into this folder");
  auto* ptx =
      command->add_option("--ptx", options->ptx, "Text for NVIDIA's driver to compile, into this folder");
  auto* candle = command->add_option("--candle", options->candle,
                                     "A crate that replaces candle-kernels, into this folder");
  command
      ->add_option("--candle-version", options->candle_version,
                   "The candle that the crate is for: 0.9, 0.10 or 0.11, or a version of them")
      ->type_name("VERSION")
      ->capture_default_str()
      ->needs(candle);
  for (auto* option : {hsaco, kpack, fatbin, cubin, ptx, candle}) {
    option->type_name("DIR");
    for (auto* other : {hsaco, kpack, fatbin, cubin, ptx, candle})
      if (other != option) option->excludes(other);
  }
  command->callback([&session, options] {
    session.command = [&session, options] {
      if (options->fatbin.empty()) return run_export(*options, session.disk, stdout);
      return session.with_processes([&](ProcessRunner& runner) {
        return run_export_fatbin(*options, session.disk, runner, session.environment, stdout);
      });
    };
  });
}

}  // namespace

void add_repack_commands(CLI::App& app, Session& session) {
  add_prune(app, session);
  add_repack(app, session);
  add_merge(app, session);
  add_split(app, session);
  add_extract(app, session);
  add_export(app, session);
}

}  // namespace kernelgen::tool
