#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "manifest/node.hpp"
#include "manifest/types.hpp"

namespace kernelgen::tool {

struct OperationEntry;
struct TypeVariable;

/// An element type of an owner's kernels: that of a type variable of the operation that launches them, or a fixed one.
struct OwnerType {
  std::optional<std::size_t> variable;
  ElementCode code = 0;  ///< without a variable
};

/// The operation whose kernels another launches ("kernels_of"), or one of its forms, for some element types.
struct KernelOwner {
  /// For each type variable, the element types that launch the owner's kernels; empty: all.
  std::vector<std::vector<ElementCode>> types;
  std::string
      operation;  ///< the owner; empty: the operation itself, whose kernels of `its_types` are launched
  std::vector<OwnerType> its_types;  ///< element types of the owner's kernels; empty: the same
  std::string pointer;               ///< JSON pointer of the owner's name

  bool is_for(std::span<const ElementCode> values) const;
  /// The element types of the kernels that are launched for `values`.
  std::vector<ElementCode> types_for(std::span<const ElementCode> values) const;
};

/// Reads "kernels_of": an operation's name, or an object {"u32": "i32", "I": "copy", "i32, u32": "copy(b32)", "all, u32": "S, i32"}
/// of types or sets of them, one for each type variable, and the owner: types of the same operation, by name or type variable,
/// or an operation, with its types if they differ.
std::vector<KernelOwner> read_kernel_owners(const Node& node, std::span<const TypeVariable> types);
/// Reads "kernels_of" and "swapped" of an operation whose operands and expr were read.
void read_kernel_owners(const Node& operation, OperationEntry& entry);

/// "u32, i16"
std::string spell_types(std::span<const ElementCode> values);

}  // namespace kernelgen::tool
