#pragma once
#include <optional>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Reads the entries of one manifest, with the defaults of its top level. Refers to the manifest's root node
/// and to the lines of its strings.
class EntryReader {
 public:
  /// Reads and checks "defaults" and "budget".
  EntryReader(const Node& root, const StringLines& lines);

  /// Gives nothing, with faults added, where an entry is so wrong that it cannot be told what it means.
  std::optional<OperationEntry> operation(const Node& node) const;
  /// Appends the entry, once for each word of its "each".
  void symbols(const Node& node, std::vector<SymbolEntry>& list) const;

 private:
  std::optional<Node> find(const Node& entry, const std::string& key) const;
  std::vector<Operand> operands(const Node& entry, const std::string& key, std::size_t most,
                                const std::vector<TypeVariable>& types) const;
  Body body(const Node& owner, const std::vector<TypeVariable>& types, const std::string& word) const;
  void read_map(const Node& node, const Node& expr, OperationEntry& entry) const;
  std::vector<Form> forms(const Node& entry, const OperationEntry& operation) const;

  const StringLines& lines_;
  std::optional<Node> defaults_;
  Budget budget_;
  std::uint32_t block_;
  std::string occupancy_;
  bool has_own_header_;
  bool is_of_binary_;  ///< its kernels have no bodies, and names and arguments that a compiler made
};

}  // namespace kernelgen::tool
