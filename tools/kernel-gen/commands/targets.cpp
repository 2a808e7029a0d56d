#include "commands/targets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/fault.hpp"
#include "base/json_text.hpp"
#include "base/table.hpp"
#include "build/clangs.hpp"
#include "emit/json.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {
namespace {

std::string or_dash(std::string text) { return text.empty() ? "-" : text; }

Json targets_json(const TargetTable& table) {
  Json json = {{"targets", registry_json(KernelSet{}, table)["targets"]}, {"groups", Json::object()}};
  for (const TargetGroup& group : table.groups) json["groups"][group.name] = group.members;
  return json;
}

}  // namespace

int run_targets(const Paths& paths, bool json, const Disk& disk, std::FILE* out) {
  const TargetTable targets = read_targets(disk, paths.targets);
  if (json) {
    fmt::print(out, "{}", json_text(targets_json(targets)));
    return exit_ok;
  }
  Table table({"target", "kind", "wave", "features", "runs on code of", "code object", "checked with"});
  for (const Target& target : targets.targets) {
    const std::string compiler =
        target.kind == TargetKind::cuda
            ? "nvcc"
            : fmt::format("clang-{}", target.kind == TargetKind::hip ? target.clang : tested_clang);
    table.add({target.name, std::string(name_of(target.kind)),
               or_dash(fmt::format("{}", fmt::join(target.wave_sizes, "/"))),
               or_dash(fmt::format("{}", fmt::join(target.features, ","))), target.generic.value_or("-"),
               target.code_object_version == 0 ? "-" : fmt::format("v{}", target.code_object_version),
               compiler});
  }
  table.print(out);
  fmt::print(out, "\n");
  Table groups({"group", "targets"});
  for (const TargetGroup& group : targets.groups)
    groups.add({group.name, fmt::format("{}", fmt::join(group.members, ", "))});
  groups.print(out);
  return exit_ok;
}

}  // namespace kernelgen::tool
