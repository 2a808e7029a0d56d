#include "cli_session.hpp"

#include <CLI/CLI.hpp>

namespace kernelgen::tool {

void add_manifests(CLI::App& command, Session& session) {
  command
      .add_option("--manifests", session.places.manifests, "Folder of manifests; repeat it for more folders")
      ->type_name("DIR")
      ->allow_extra_args(false)
      ->default_str("the shipped manifests/core");
  command.add_option("--kernels", session.places.kernels, "Folder that the manifests name headers in")
      ->type_name("DIR")
      ->default_str("the shipped kernels");
}

void add_targets_file(CLI::App& command, Session& session) {
  command.add_option("--targets-file", session.places.targets, "The table of targets")
      ->type_name("FILE")
      ->default_str("the shipped manifests/targets.json");
}

void add_places(CLI::App& command, Session& session) {
  add_manifests(command, session);
  add_targets_file(command, session);
}

}  // namespace kernelgen::tool
