#include "manifest/target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

namespace kernelgen::tool {

namespace {

const std::vector<std::string> file_keys = {"$schema", "targets"};
const std::vector<std::string> kind_names = {"cpu", "hip", "cuda"};
const std::vector<std::string> feature_names = {"sramecc", "xnack"};
const std::vector<std::string> code_names = {"cubin", "ptx"};

/// Keys a row of each kind must have; what a kind does not need it must not have either.
const std::vector<std::string>& keys_of(TargetKind kind) {
  static const std::vector<std::string> cpu = {"name", "kind", "march", "groups"};
  static const std::vector<std::string> hip = {"name",       "kind",     "machine", "isa",
                                               "wave_sizes", "features", "generic", "code_object_version",
                                               "clang",      "groups"};
  static const std::vector<std::string> cuda = {"name", "kind", "isa", "arch", "code", "groups"};
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

/// "0x03f": as LLVM's documentation spells it. 0 with a fault where it is none.
std::uint32_t read_machine(const Node& node) {
  const std::string text = node.text().value_or("0x000");
  std::uint32_t number = 0;
  const char* end = text.data() + text.size();
  const bool prefixed = text.starts_with("0x");
  const auto parsed = std::from_chars(text.data() + (prefixed ? 2 : 0), end, number, 16);
  if (prefixed && parsed.ec == std::errc() && parsed.ptr == end && number >= 1 && number <= 0xff)
    return number;
  node.fault("must be EF_AMDGPU_MACH of the GPU in hexadecimal, such as \"0x03f\"");
  return 0;
}

void read_hip(const Node& row, Target& target) {
  if (const auto node = row.find("machine")) target.machine = read_machine(*node);
  if (const auto node = row.find("clang")) target.clang = node->number(15, 99).value_or(0);
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
}

/// "80", "90a": digits, and a letter for what only that architecture has.
bool is_arch(std::string_view arch) {
  if (!arch.empty() && (arch.back() == 'a' || arch.back() == 'f')) arch.remove_suffix(1);
  return arch.size() >= 2 && arch.size() <= 3 &&
         std::all_of(arch.begin(), arch.end(), [](char c) { return c >= '0' && c <= '9'; });
}

void read_cuda(const Node& row, Target& target) {
  if (const auto node = row.find("arch")) {
    target.arch = node->text().value_or("80");
    if (!is_arch(target.arch))
      node->fault("must be an architecture as nvcc names them, such as \"80\" or \"90a\"");
  }
  const auto node = row.find("code");
  const std::string code = row.text_or("code", code_names.front());
  if (std::find(code_names.begin(), code_names.end(), code) == code_names.end())
    node->fault_unknown(fmt::format("unknown code '{}'", code), code, code_names);
  target.is_ptx = code == "ptx";
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
  std::map<std::uint32_t, std::string> machines;
  for (const Target& target : table.targets) {
    if (!seen.insert(target.name).second) rows.fault(fmt::format("target '{}' is listed twice", target.name));
    if (target.generic && !table.find(*target.generic))
      rows.fault_unknown(
          fmt::format("target '{}' refers to an unknown target '{}'", target.name, *target.generic),
          *target.generic, names);
    if (target.machine == 0) continue;
    const auto [other, is_new] = machines.emplace(target.machine, target.name);
    if (!is_new && other->second != target.name)
      rows.fault(fmt::format("targets '{}' and '{}' both have machine {:#05x}", other->second, target.name,
                             target.machine));
  }
}

void collect_groups(const Node& rows, TargetTable& table) {
  for (const Target& target : table.targets)
    for (const std::string& name : target.groups) {
      const auto known = std::find_if(table.groups.begin(), table.groups.end(),
                                      [&](const TargetGroup& group) { return group.name == name; });
      TargetGroup& group = known == table.groups.end() ? table.groups.emplace_back() : *known;
      group.name = name;
      group.members.push_back(target.name);
    }
  for (const TargetGroup& group : table.groups)
    if (table.find(group.name)) rows.fault(fmt::format("group '{}' has the name of a target", group.name));
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

std::optional<Target> read_target(const Node& row) {
  const auto kind = read_kind(row);
  if (!kind || !row.expect_object(keys_of(*kind))) return std::nullopt;
  for (const std::string& key : keys_of(*kind)) row.need(key);
  Target target;
  target.kind = *kind;
  target.row = row.value().dump();
  target.name = row.text_or("name", "");
  if (const auto node = row.find("isa")) target.isa = node->number(1, 99999).value_or(0);
  target.march = row.text_or("march", "");
  if (const auto node = row.find("groups")) target.groups = read_names(*node);
  if (*kind == TargetKind::hip)
    read_hip(row, target);
  else
    target.wave_sizes = {*kind == TargetKind::cpu ? 1u : 32u};
  if (*kind == TargetKind::cuda) read_cuda(row, target);
  return target;
}

std::string_view name_of(TargetKind kind) { return kind_names[static_cast<std::size_t>(kind)]; }

const Target* TargetTable::find(std::string_view name) const {
  const auto it =
      std::find_if(targets.begin(), targets.end(), [&](const Target& t) { return t.name == name; });
  return it == targets.end() ? nullptr : &*it;
}

namespace {

/// "sm_80 and sm_90" for cubins, "compute_80" for PTX.
std::string cuda_names(const TargetTable& table, bool is_ptx) {
  std::vector<std::string> names;
  for (const Target& target : table.targets)
    if (target.kind == TargetKind::cuda && target.is_ptx == is_ptx) names.push_back(target.name);
  return fmt::format("{}", fmt::join(names, " and "));
}

/// Why a name is none that can be built, where more can be said of it than that; else empty.
std::string explain_unknown(const TargetTable& table, const std::string& name) {
  const std::size_t colon = name.find(':');
  const Target* const base = colon == std::string::npos ? nullptr : table.find(name.substr(0, colon));
  if (base && base->kind == TargetKind::hip) {
    std::string_view settings = std::string_view(name).substr(colon + 1);
    while (!settings.empty()) {
      std::string_view setting = settings.substr(0, settings.find(':'));
      settings.remove_prefix(std::min(settings.size(), setting.size() + 1));
      const bool has_sign = setting.ends_with('+') || setting.ends_with('-');
      const std::string feature(setting.substr(0, setting.size() - (has_sign ? 1 : 0)));
      if (std::ranges::find(base->features, feature) == base->features.end())
        return fmt::format("target '{}': {} has no feature '{}'; write '{}'", name, base->name, feature,
                           base->name);
    }
    return fmt::format(
        "target '{}': there is no build for one setting of a feature; code for '{}' runs with each: write "
        "'{}'",
        name, base->name, base->name);
  }
  const std::string cubins = cuda_names(table, false), ptx = cuda_names(table, true);
  if ((!name.starts_with("sm_") && !name.starts_with("compute_")) || cubins.empty() || ptx.empty()) return "";
  return fmt::format(
      "unknown target '{}': NVIDIA GPUs have machine code as {}, and PTX as {}, which the driver compiles "
      "for GPUs of "
      "that architecture and later ones",
      name, cubins, ptx);
}

}  // namespace

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
      } else if (const std::string reason = explain_unknown(*this, name); !reason.empty()) {
        faults.add("", "", reason);
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
        collect_groups(*rows, table);
      }
    }
  }
  faults.throw_if_any();
  return table;
}

}  // namespace kernelgen::tool
