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

/// An element type of the kernels that another launches: that of one of its type variables, or always the same.
struct OwnerType {
  std::optional<std::size_t> variable;
  ElementCode code = 0;
};

/// Whose kernels are launched for some element types of an operation, or of one of its forms.
struct KernelOwner {
  std::vector<std::vector<ElementCode>>
      types;                         ///< for each type variable those that it is for; empty: for all
  std::string operation;             ///< empty: the same
  std::vector<OwnerType> its_types;  ///< of the kernels; empty: the same
  std::string pointer;               ///< JSON pointer of the name

  bool is_for(std::span<const ElementCode> values) const;
  /// The types of the kernels that are launched for these.
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
