#pragma once
#include <optional>
#include <string>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Reads the operations and symbols of one manifest, with the defaults of its top level. The root node and the lines of its
/// strings must outlive it.
class EntryReader {
 public:
  /// Reads and checks "defaults" and "budget".
  EntryReader(const Node& root, const StringLines& lines);

  /// Returns nullopt, with faults added, if the entry is not an object.
  std::optional<OperationEntry> operation(const Node& node) const;
  /// Appends the entry, once for each word of its "each".
  void symbols(const Node& node, std::vector<SymbolEntry>& list) const;

 private:
  std::optional<Node> find(const Node& entry, const std::string& key) const;
  std::vector<Operand> operands(const Node& entry, const std::string& key, std::size_t most,
                                const std::vector<TypeVariable>& types) const;
  Body body(const Node& owner, const std::vector<TypeVariable>& types, const std::string& word,
            const std::vector<Parameter>& parameters) const;
  void read_map(const Node& node, const Node& expr, OperationEntry& entry) const;
  std::vector<Form> forms(const Node& entry, const OperationEntry& operation) const;

  const StringLines& lines_;
  std::optional<Node> defaults_;
  Budget budget_;
  std::uint32_t block_;
  std::string occupancy_;
  bool has_own_header_;
  bool is_of_binary_;  ///< its kernels have no bodies, and a compiler chose their names and arguments
};

}  // namespace kernelgen::tool
