#include "manifest/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kernelgen::tool {

namespace {

std::string place(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

/// The library's message without its own number and place: "syntax error while parsing value - …".
std::string reason(std::string_view message) {
  if (const auto at = message.find("] "); at != std::string_view::npos) message.remove_prefix(at + 2);
  if (message.starts_with("parse error"))
    if (const auto at = message.find(": "); at != std::string_view::npos) message.remove_prefix(at + 2);
  return std::string(message);
}

std::string escape(std::string_view key) {
  std::string escaped;
  for (const char c : key) {
    if (c == '~')
      escaped += "~0";
    else if (c == '/')
      escaped += "~1";
    else
      escaped += c;
  }
  return escaped;
}

}  // namespace

std::optional<Json> parse_json(std::string_view file, std::string_view text, Faults& faults) {
  // The parser keeps one of two equal keys silently, which would hide half of what the user wrote.
  std::vector<std::set<std::string>> open_objects;
  std::set<std::string> twice;
  const auto watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == Json::parse_event_t::object_end) open_objects.pop_back();
    if (event == Json::parse_event_t::key && !open_objects.back().insert(parsed.get<std::string>()).second)
      twice.insert(parsed.get<std::string>());
    return true;
  };
  try {
    Json json = Json::parse(text, watch);
    for (const std::string& key : twice)
      faults.add(file, "", fmt::format("key '{}' is given twice in one object", key));
    if (twice.empty()) return json;
  } catch (const Json::parse_error& error) {
    faults.add(file, place(text, error.byte == 0 ? 0 : error.byte - 1), "not JSON: " + reason(error.what()));
  } catch (const Json::out_of_range& error) {
    faults.add(file, "", "not JSON: " + reason(error.what()));  // a number no double can hold
  }
  return std::nullopt;
}

void Node::fault(std::string what) const { faults_->add(file_, pointer_, std::move(what)); }

void Node::fault_unknown(std::string what, std::string_view wrong, std::span<const std::string> names) const {
  faults_->add_unknown(file_, pointer_, std::move(what), wrong, names);
}

void Node::fault_type(std::string_view wanted) const {
  fault(fmt::format("must be {}, not {}", wanted, value_->type_name()));
}

bool Node::expect_object(std::span<const std::string> known_keys) const {
  if (!value_->is_object()) {
    fault_type("an object");
    return false;
  }
  for (const auto& [key, value] : value_->items())
    if (std::find(known_keys.begin(), known_keys.end(), key) == known_keys.end())
      child(value, key).fault_unknown(fmt::format("unknown key '{}'", key), key, known_keys);
  return true;
}

std::optional<std::string> Node::text() const {
  if (!value_->is_string()) {
    fault_type("a string");
    return std::nullopt;
  }
  return value_->get<std::string>();
}

std::optional<std::uint32_t> Node::number(std::uint32_t lowest, std::uint32_t highest) const {
  if (value_->is_number_unsigned()) {
    const auto n = value_->get<std::uint64_t>();
    if (n >= lowest && n <= highest) return static_cast<std::uint32_t>(n);
  }
  fault(fmt::format("must be a whole number from {} to {}, not {}", lowest, highest, value_->dump()));
  return std::nullopt;
}

std::vector<Node> Node::items() const {
  std::vector<Node> nodes;
  if (!value_->is_array()) {
    fault_type("an array");
    return nodes;
  }
  for (std::size_t i = 0; i < value_->size(); ++i) nodes.push_back(child((*value_)[i], std::to_string(i)));
  return nodes;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  std::vector<std::pair<std::string, Node>> nodes;
  if (!value_->is_object()) {
    fault_type("an object");
    return nodes;
  }
  for (const auto& [key, value] : value_->items()) nodes.emplace_back(key, child(value, key));
  return nodes;
}

std::optional<Node> Node::find(const std::string& key) const {
  if (!value_->is_object()) return std::nullopt;
  const auto it = value_->find(key);
  if (it == value_->end()) return std::nullopt;
  return child(*it, key);
}

std::optional<Node> Node::need(const std::string& key) const {
  auto node = find(key);
  if (!node) fault(fmt::format("key '{}' is missing", key));
  return node;
}

std::optional<std::string> Node::need_text(const std::string& key) const {
  const auto node = need(key);
  return node ? node->text() : std::nullopt;
}

std::string Node::text_or(const std::string& key, std::string otherwise) const {
  const auto node = find(key);
  return node ? node->text().value_or(std::move(otherwise)) : std::move(otherwise);
}

Node Node::child(const Json& value, std::string_view key) const {
  Node node(value, file_, *faults_);
  node.pointer_ = pointer_ + '/' + escape(key);
  return node;
}

}  // namespace kernelgen::tool
