#include "manifest/target.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <set>

#include "manifest/node.hpp"

namespace kernelgen::tool {

namespace {

const std::vector<std::string> file_keys = {"$schema", "targets", "groups"};
const std::vector<std::string> kind_names = {"cpu", "hip", "cuda"};
const std::vector<std::string> feature_names = {"sramecc", "xnack"};

/// Keys a row of each kind must have; what a kind does not need it must not have either.
const std::vector<std::string>& keys_of(TargetKind kind) {
  static const std::vector<std::string> cpu = {"name", "kind", "march", "clang"};
  static const std::vector<std::string> hip = {
      "name", "kind", "isa", "wave_sizes", "features", "generic", "code_object_version", "clang", "twins"};
  static const std::vector<std::string> cuda = {"name", "kind", "isa"};
  return kind == TargetKind::cpu ? cpu : kind == TargetKind::hip ? hip : cuda;
}

std::vector<std::string> read_names(const Node& node) {
  std::vector<std::string> names;
  for (const Node& item : node.items())
    if (auto name = item.text()) names.push_back(*std::move(name));
  return names;
}

std::optional<TargetKind> read_kind(const Node& row) {
  const auto node = row.need("kind");
  const auto text = node ? node->text() : std::nullopt;
  if (!text) return std::nullopt;
  const auto it = std::find(kind_names.begin(), kind_names.end(), *text);
  if (it != kind_names.end()) return static_cast<TargetKind>(it - kind_names.begin());
  node->fault_unknown(fmt::format("unknown kind '{}'", *text), *text, kind_names);
  return std::nullopt;
}

void read_hip(const Node& row, Target& target) {
  if (!target.name.starts_with("gfx"))
    row.fault(fmt::format("hip target '{}' must start with 'gfx'", target.name));
  if (const auto node = row.find("wave_sizes")) {
    for (const Node& size : node->items())
      if (const auto n = size.number(32, 64)) target.wave_sizes.push_back(*n);
    if (target.wave_sizes.empty()) node->fault("must hold 32, 64 or both, the one to compile for first");
  }
  if (const auto node = row.find("features")) {
    target.features = read_names(*node);
    for (const std::string& feature : target.features)
      if (std::find(feature_names.begin(), feature_names.end(), feature) == feature_names.end())
        node->fault_unknown(fmt::format("unknown feature '{}'", feature), feature, feature_names);
  }
  if (const auto node = row.find("generic"); node && !node->value().is_null()) target.generic = node->text();
  if (const auto node = row.find("code_object_version"))
    target.code_object_version = node->number(4, 6).value_or(0);
  if (const auto node = row.find("twins")) target.twins = read_names(*node);
}

std::optional<Target> read_target(const Node& row) {
  const auto kind = read_kind(row);
  if (!kind || !row.expect_object(keys_of(*kind))) return std::nullopt;
  for (const std::string& key : keys_of(*kind)) row.need(key);
  Target target;
  target.kind = *kind;
  target.name = row.text_or("name", "");
  if (const auto node = row.find("isa")) target.isa = node->number(1, 99999).value_or(0);
  if (const auto node = row.find("clang")) target.clang = node->number(1, 99).value_or(0);
  target.march = row.text_or("march", "");
  if (*kind == TargetKind::hip)
    read_hip(row, target);
  else
    target.wave_sizes = {*kind == TargetKind::cpu ? 1u : 32u};
  return target;
}

std::vector<std::string> names_of(const std::vector<Target>& targets) {
  std::vector<std::string> names;
  for (const Target& target : targets) names.push_back(target.name);
  return names;
}

/// What can be told only once all rows are there.
void check_references(const Node& rows, const TargetTable& table) {
  const std::vector<std::string> names = names_of(table.targets);
  std::set<std::string> seen;
  for (const Target& target : table.targets) {
    if (!seen.insert(target.name).second) rows.fault(fmt::format("target '{}' is listed twice", target.name));
    std::vector<std::string> others = target.twins;
    if (target.generic) others.push_back(*target.generic);
    for (const std::string& other : others)
      if (!table.find(other))
        rows.fault_unknown(fmt::format("target '{}' refers to an unknown target '{}'", target.name, other),
                           other, names);
  }
}

void read_groups(const Node& root, TargetTable& table) {
  const auto groups = root.need("groups");
  if (!groups) return;
  const std::vector<std::string> names = names_of(table.targets);
  for (const auto& [name, node] : groups->members()) {
    if (table.find(name)) node.fault(fmt::format("group '{}' has the name of a target", name));
    table.groups.push_back({name, read_names(node)});
    for (const std::string& member : table.groups.back().members)
      if (!table.find(member)) node.fault_unknown(fmt::format("unknown target '{}'", member), member, names);
  }
}

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string_view name_of(TargetKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

const Target* TargetTable::find(std::string_view name) const {
  const auto it =
      std::find_if(targets.begin(), targets.end(), [&](const Target& t) { return t.name == name; });
  return it == targets.end() ? nullptr : &*it;
}

std::vector<const Target*> TargetTable::expand(std::span<const std::string> names) const {
  Faults faults;
  std::set<std::string, std::less<>> wanted;
  for (const std::string& list : names) {
    for (const std::string& name : split(list)) {
      const auto group =
          std::find_if(groups.begin(), groups.end(), [&](const TargetGroup& g) { return g.name == name; });
      if (group != groups.end()) {
        wanted.insert(group->members.begin(), group->members.end());
      } else if (find(name)) {
        wanted.insert(name);
      } else {
        std::vector<std::string> known = names_of(targets);
        for (const TargetGroup& g : groups) known.push_back(g.name);
        faults.add_unknown("", "", fmt::format("unknown target '{}'; 'kernel-gen targets' lists all", name),
                           name, known);
      }
    }
  }
  faults.throw_if_any();
  std::vector<const Target*> chosen;
  for (const Target& target : targets)
    if (wanted.contains(target.name)) chosen.push_back(&target);
  return chosen;
}

TargetTable read_targets(const Disk& disk, const std::filesystem::path& file) {
  Faults faults;
  TargetTable table;
  const std::string name = file.string();
  if (!disk.exists(file)) throw BadInput(Fault{name, "", "there is no such file of targets", std::nullopt});
  const std::string bytes = disk.read(file);
  table.hash = XXH3_64bits(bytes.data(), bytes.size());
  if (const auto json = parse_json(name, bytes, faults)) {
    const Node root(*json, name, faults);
    if (root.expect_object(file_keys)) {
      if (const auto rows = root.need("targets")) {
        for (const Node& row : rows->items())
          if (auto target = read_target(row)) table.targets.push_back(*std::move(target));
        check_references(*rows, table);
      }
      read_groups(root, table);
    }
  }
  faults.throw_if_any();
  return table;
}

}  // namespace kernelgen::tool
