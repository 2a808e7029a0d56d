#pragma once
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/fault.hpp"

namespace kernelgen::tool {

/// Objects keep the order of the file: type variables and forms are positional in kernel names.
using Json = nlohmann::ordered_json;

/// The line, from 1, of each string of a file, by JSON pointer.
using StringLines = std::unordered_map<std::string, std::uint32_t>;

/// Parses JSON. Adds a fault with line and column, or one for each key given twice, and returns nullopt then. NUL, in the file or
/// escaped in a string, nesting of more than 64 levels and objects of more than 4096 keys are faults too: no file of the tool needs
/// them, and readers may rely on their absence. Fills `lines` if it is given.
std::optional<Json> parse_json(std::string_view file, std::string_view text, Faults& faults,
                               StringLines* lines = nullptr);

/// A value of a JSON file with its position, so that faults name file and JSON pointer. The value, the file's name and the list of
/// faults must outlive it.
class Node {
 public:
  Node(const Json& value, std::string_view file, Faults& faults)
      : value_(&value), file_(file), faults_(&faults) {}

  const std::string& pointer() const { return pointer_; }
  std::string_view file() const { return file_; }
  const Json& value() const { return *value_; }

  void fault(std::string what) const;
  /// As fault(), with the name among `names` nearest to `wrong`.
  void fault_unknown(std::string what, std::string_view wrong, std::span<const std::string> names) const;

  /// Each of these adds a fault if the value is of another type, and returns false, nullopt or an empty list then.
  bool expect_object(std::span<const std::string> known_keys) const;
  std::optional<std::string> text() const;
  std::optional<bool> truth() const;
  std::optional<std::uint32_t> number(std::uint32_t lowest, std::uint32_t highest) const;
  std::vector<Node> items() const;
  std::vector<std::pair<std::string, Node>> members() const;
  /// The first `most` of them; adds a fault if there are more.
  std::vector<Node> items(std::size_t most) const;
  std::vector<std::pair<std::string, Node>> members(std::size_t most) const;

  /// The member of that name if there is one.
  std::optional<Node> find(const std::string& key) const;
  /// As find(); adds a fault if the member is missing.
  std::optional<Node> need(const std::string& key) const;

  /// find() with text().
  std::string text_or(const std::string& key, std::string otherwise) const;

 private:
  Node child(const Json& value, std::string_view key) const;
  void fault_count(std::size_t most) const;
  void fault_type(std::string_view wanted) const;

  const Json* value_;
  std::string_view file_;
  std::string pointer_;
  Faults* faults_;
};

}  // namespace kernelgen::tool
