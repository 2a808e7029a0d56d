#include "cli_session.hpp"

#include <CLI/CLI.hpp>

#include "cli_values.hpp"
#include "commands/build.hpp"

namespace kernelgen::tool {

void add_manifests(CLI::App& command, Session& session) {
  command
      .add_option("--manifests", session.paths.manifests, "Folder of manifests; repeat it for more folders")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->default_str("the shipped manifests/core");
  command.add_option("--kernels", session.paths.kernels, "Folder that the manifests name headers in")
      ->type_name("DIR")
      ->default_str("the shipped kernels");
}

void add_targets_file(CLI::App& command, Session& session) {
  command.add_option("--targets-file", session.paths.targets, "The table of targets")
      ->type_name("FILE")
      ->default_str("the shipped manifests/targets.json");
}

void add_paths(CLI::App& command, Session& session) {
  add_manifests(command, session);
  add_targets_file(command, session);
}

void add_toolchain(CLI::App& command, Session& session) {
  command
      .add_option("--rocm-path", session.toolchain.rocm_path,
                  "ROCm installation whose clang and device bitcode build AMD targets (else ROCM_PATH, else "
                  "Debian's clang)")
      ->type_name("DIR");
  command
      .add_option_function<std::string>(
          "--toolchain", [&session](const std::string& name) { session.toolchain.hipcc = name == "hipcc"; },
          "The compiler driver for AMD targets")
      ->check(one_of({"clang", "hipcc"}))
      ->default_str("clang");
}

void add_package(CLI::App& command, BuildOptions& options) {
  command
      .add_option("--target,-t", options.targets,
                  "Targets and groups, see 'kernel-gen targets'; 'native': the GPUs of this machine")
      ->delimiter(',')
      ->type_name("TARGETS")
      ->allow_extra_args(false)
      ->default_str("default");
  command
      .add_option(
          "--only", options.only,
          "Build only some kernels: op=NAMES or dtype=NAMES, with commas between names; globs are allowed")
      ->type_name("KEY=NAMES")
      ->allow_extra_args(false);
  command.add_option("--out,-o", options.out, "Folder to write; an error leaves it unchanged")
      ->type_name("DIR")
      ->capture_default_str();
  command
      .add_option("--launcher", options.launcher,
                  "Command to run each compiler with: ccache, sccache, distcc, icecc")
      ->type_name("WORDS")
      ->default_str("KERNELGEN_LAUNCHER");
  command
      .add_option_function<std::string>(
          "--compress",
          [&options](const std::string& text) {
            const auto packing = Packing::parse(text);
            if (!packing)
              throw CLI::ValidationError(
                  "--compress",
                  fmt::format("'{}' is not none, zstd, solid or either with a level: zstd:1 to zstd:22",
                              text));
            options.packing = *packing;
          },
          "Compression of code: 'none' (best when the package is compressed as a whole later), 'zstd' with a "
          "level from 1 (fast) to 22 (small), or 'solid', which compresses all code of a target at once: a "
          "tenth smaller, but the first launch decodes all of it")
      ->type_name("CODEC")
      ->default_str("zstd:19");
}

}  // namespace kernelgen::tool
