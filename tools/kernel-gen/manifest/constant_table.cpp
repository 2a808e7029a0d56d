#include "manifest/constant_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

namespace kernelgen::tool {
namespace {

/// Walks over a text that is known to be JSON.
class JsonText {
 public:
  struct Span {
    std::size_t begin, end;
  };
  struct Member {
    std::string_view key;  ///< as it is written
    Span key_span, value;
  };

  explicit JsonText(std::string_view text) : text_(text) {}

  Span root() const {
    const std::size_t begin = after_space(0);
    return {begin, value_end(begin)};
  }
  std::vector<Member> members(const Span& object) const {
    std::vector<Member> found;
    for (std::size_t at = after_space(object.begin + 1); text_[at] != '}'; at = next(at)) {
      const std::size_t key_end = value_end(at);
      const Span key{at, key_end};
      at = after_space(after_space(key_end) + 1);  // after the colon
      const Span value{at, value_end(at)};
      found.push_back({text_.substr(key.begin + 1, key.end - key.begin - 2), key, value});
      at = value.end;
    }
    return found;
  }
  std::vector<Span> items(const Span& array) const {
    std::vector<Span> found;
    for (std::size_t at = after_space(array.begin + 1); text_[at] != ']'; at = next(at)) {
      found.push_back({at, value_end(at)});
      at = found.back().end;
    }
    return found;
  }
  char first(const Span& value) const { return text_[value.begin]; }

 private:
  std::size_t after_space(std::size_t at) const { return text_.find_first_not_of(" \t\r\n", at); }
  /// From the end of a value to the next one, or to the closing bracket.
  std::size_t next(std::size_t at) const {
    at = after_space(at);
    return text_[at] == ',' ? after_space(at + 1) : at;
  }
  std::size_t string_end(std::size_t at) const {
    for (++at; text_[at] != '"'; ++at)
      if (text_[at] == '\\') ++at;
    return at + 1;
  }
  std::size_t value_end(std::size_t at) const {
    if (text_[at] == '"') return string_end(at);
    if (text_[at] != '{' && text_[at] != '[')
      return std::min(text_.find_first_of(",]} \t\r\n", at), text_.size());
    int depth = 0;
    while (true) {
      if (text_[at] == '"') {
        at = string_end(at);
        continue;
      }
      if (text_[at] == '{' || text_[at] == '[') ++depth;
      if ((text_[at] == '}' || text_[at] == ']') && --depth == 0) return at + 1;
      ++at;
    }
  }

  std::string_view text_;
};

std::optional<JsonText::Span> find(const JsonText& json, std::string_view pointer) {
  JsonText::Span at = json.root();
  while (!pointer.empty()) {
    pointer.remove_prefix(1);
    const std::string_view step = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(step.size());
    if (json.first(at) == '[') {
      const auto items = json.items(at);
      std::size_t index = items.size();
      std::from_chars(step.data(), step.data() + step.size(), index);
      if (index >= items.size()) return std::nullopt;
      at = items[index];
    } else {
      if (json.first(at) != '{') return std::nullopt;
      const auto members = json.members(at);
      const auto found = std::ranges::find(members, step, &JsonText::Member::key);
      if (found == members.end()) return std::nullopt;
      at = found->value;
    }
  }
  return at;
}

}  // namespace

std::vector<TunableConstant> tunable_constants(const Manifest& manifest, const OperationEntry& operation) {
  std::vector<TunableConstant> found;
  const Json::json_pointer pointer(operation.pointer + "/body/constants");
  const Json json = Json::parse(manifest.text);
  if (!json.contains(pointer)) return found;
  for (const auto& [name, table] : json.at(pointer).items())
    if (table.is_object() && table.contains("try"))
      found.push_back({name, table.at("try").get<std::vector<std::int64_t>>()});
  return found;
}

std::string constant_key(std::string_view target) {
  constexpr std::string_view ptx = "compute_";
  if (target.starts_with("cpu")) return "cpu";
  if (target.starts_with(ptx)) return fmt::format("sm_{}", target.substr(ptx.size()));
  return std::string(target);
}

void check_constant_names(std::span<const Manifest> manifests, const TargetTable& table, Faults& faults) {
  std::set<std::string> unique;
  for (const Target& target : table.targets) unique.insert(constant_key(target.name));
  const std::vector<std::string> known(unique.begin(), unique.end());
  for (const Manifest& manifest : manifests)
    for (const OperationEntry& operation : manifest.operations)
      if (operation.rule)
        for (const LaunchRule::Constant& constant : operation.rule->constants())
          for (const auto& [target, value] : constant.by_target)
            if (!unique.contains(target))
              faults.add_unknown(
                  manifest.file,
                  fmt::format("{}/body/constants/{}/{}", operation.pointer, constant.name, target),
                  fmt::format("no target is called '{}'; there are {}", target, fmt::join(known, ", ")),
                  target, known);
}

std::string with_constant(std::string_view text, std::string_view pointer, std::string_view key,
                          std::int64_t value) {
  const JsonText json(text);
  const auto table = find(json, pointer);
  if (!table || json.first(*table) != '{')
    throw BadInput(Fault{"", std::string(pointer), "its keys have to be written without escapes", {}});
  const auto members = json.members(*table);
  std::string changed(text);
  const auto found = std::ranges::find(members, key, &JsonText::Member::key);
  if (found != members.end())
    return changed.replace(found->value.begin, found->value.end - found->value.begin, fmt::to_string(value));
  // Where the last one stands, as it stands: on its line, or on one of its own.
  const JsonText::Member& last = members.back();
  const std::size_t before = members.size() > 1 ? members[members.size() - 2].value.end : table->begin + 1;
  std::string_view gap = text.substr(before, last.key_span.begin - before);
  if (const auto comma = gap.find(','); comma != gap.npos) gap.remove_prefix(comma + 1);
  if (members.size() == 1 && gap.find('\n') == gap.npos) gap = " ";
  return changed.insert(last.value.end, fmt::format(",{}\"{}\": {}", gap, key, value));
}

}  // namespace kernelgen::tool
