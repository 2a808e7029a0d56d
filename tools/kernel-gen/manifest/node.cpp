#include "manifest/node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>

namespace kernelgen::tool {

namespace {

std::string location(std::string_view text, std::size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte, text.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0: the first line
  return fmt::format("line {}, column {}", line, before.size() - line_start + 1);
}

/// The library's message without its own number and location: "syntax error while parsing value - …".
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

/// Characters of a text, with the lines counted that were read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::uint32_t& line) : at_(at), line_(&line) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    *line_ += *at_ == '\n';
    ++at_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::uint32_t* line_;
};

/// What is refused although it is JSON.
struct Excess {
  std::string what;
};

/// Sees a file's values one after another, before they are kept: Json's own callback for that takes time by the
/// square of a list's length.
class Watch {
 public:
  Watch(const std::uint32_t& line, StringLines* lines) : line_(line), lines_(lines) {}

  /// The parser keeps one of two equal keys silently, which would hide half of what the user wrote.
  const std::set<std::string>& twice() const { return twice_; }

  bool null() { return see_value(); }
  bool boolean(bool) { return see_value(); }
  bool number_integer(Json::number_integer_t) { return see_value(); }
  bool number_unsigned(Json::number_unsigned_t) { return see_value(); }
  bool number_float(Json::number_float_t, const std::string&) { return see_value(); }
  bool binary(Json::binary_t&) { return see_value(); }
  bool string(const std::string& text) {
    refuse_nul(text);
    see_value();
    if (!lines_) return true;
    std::string pointer;
    for (const Open& level : open_) pointer += '/' + escape(level.key);
    lines_->emplace(std::move(pointer), line_);
    return true;
  }
  bool key(const std::string& key) {
    refuse_nul(key);
    Open& object = open_.back();
    if (!object.keys.insert(key).second) twice_.insert(key);
    if (object.keys.size() > most_keys)
      throw Excess{fmt::format("an object has more than {} keys", most_keys)};
    object.key = key;
    return true;
  }
  bool start_object(std::size_t) { return open(false); }
  bool start_array(std::size_t) { return open(true); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  /// Stops watching; parsing the text for its values reports the same error.
  bool parse_error(std::size_t, const std::string&, const Json::exception&) { return false; }

 private:
  static constexpr std::size_t most_levels = 64;
  static constexpr std::size_t most_keys = 4096;

  struct Open {
    bool is_array;
    std::size_t items = 0;
    std::string key;
    std::set<std::string> keys;
  };

  static void refuse_nul(const std::string& text) {
    if (text.find('\0') != std::string::npos) throw Excess{"a string holds NUL (\\u0000)"};
  }

  bool see_value() {
    if (!open_.empty() && open_.back().is_array) open_.back().key = std::to_string(open_.back().items++);
    return true;
  }
  bool open(bool is_array) {
    see_value();
    if (open_.size() == most_levels)
      throw Excess{fmt::format("is nested deeper than {} levels", most_levels)};
    open_.push_back({is_array, 0, {}, {}});
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  const std::uint32_t& line_;
  StringLines* lines_;
  std::vector<Open> open_;
  std::set<std::string> twice_;
};

}  // namespace

std::optional<Json> parse_json(std::string_view file, std::string_view text, Faults& faults,
                               StringLines* lines) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    faults.add(file, "", "not JSON: the file is empty");
    return std::nullopt;
  }
  // The parser takes NUL for the end of the file.
  if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos) {
    faults.add(file, location(text, nul), "not JSON: there is a NUL byte");
    return std::nullopt;
  }
  std::uint32_t line = 1;
  Watch watch(line, lines);
  try {
    Json::sax_parse(CountingIterator(text.data(), line), CountingIterator(text.data() + text.size(), line),
                    &watch);
    Json json = Json::parse(text);
    for (const std::string& key : watch.twice())
      faults.add(file, "", fmt::format("key '{}' is given twice in one object", key));
    if (watch.twice().empty()) return json;
  } catch (const Json::parse_error& error) {
    faults.add(file, location(text, error.byte == 0 ? 0 : error.byte - 1),
               "not JSON: " + reason(error.what()));
  } catch (const Json::out_of_range& error) {
    faults.add(file, "", "not JSON: " + reason(error.what()));  // a number no double can hold
  } catch (const Excess& excess) {
    faults.add(file, fmt::format("line {}", line), excess.what);
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

std::optional<bool> Node::truth() const {
  if (!value_->is_boolean()) {
    fault_type("true or false");
    return std::nullopt;
  }
  return value_->get<bool>();
}

std::optional<std::uint32_t> Node::number(std::uint32_t lowest, std::uint32_t highest) const {
  if (value_->is_number_unsigned()) {
    const auto n = value_->get<std::uint64_t>();
    if (n >= lowest && n <= highest) return static_cast<std::uint32_t>(n);
  }
  fault(fmt::format("must be a whole number from {} to {}, not {}", lowest, highest,
                    value_->is_structured() ? value_->type_name() : value_->dump()));
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

void Node::fault_count(std::size_t most) const {
  if (value_->is_structured() && value_->size() > most)
    fault(fmt::format("has {} entries; at most {} are possible", value_->size(), most));
}

std::vector<Node> Node::items(std::size_t most) const {
  fault_count(most);
  std::vector<Node> nodes = items();
  if (nodes.size() > most) nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(most), nodes.end());
  return nodes;
}

std::vector<std::pair<std::string, Node>> Node::members(std::size_t most) const {
  fault_count(most);
  auto nodes = members();
  if (nodes.size() > most) nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(most), nodes.end());
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
