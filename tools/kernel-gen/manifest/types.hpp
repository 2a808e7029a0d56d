#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kernelgen::tool {

/// An element type by its code (see kernelgen/dtype.hpp): the dtypes from 0, b8 to b64 from 64.
using ElementCode = std::uint32_t;

/// Codes and names of all element types, in the order of the codes.
std::span<const ElementCode> element_codes();
std::span<const std::string> element_names();
std::optional<ElementCode> parse_element(std::string_view name);
/// Whether elements of that code come in blocks, which kernels take by pointers only.
bool is_quantized_code(ElementCode code);

/// The named sets a manifest may use for a type variable: F, I, all, ids, quantized, quantizable, width.
std::span<const std::string> type_set_names();
/// The set's members in code order, or nothing.
std::optional<std::vector<ElementCode>> find_type_set(std::string_view name);

/// Size and alignment in the kernel argument block.
struct TypeLayout {
  std::uint32_t size;
  std::uint32_t align;
};

/// Layout of u64, or of an element type that is not quantized, by name, or nothing.
std::optional<TypeLayout> scalar_type_layout(std::string_view name);
/// Names of all types an argument may have, other than type variables: those above and the structs.
std::span<const std::string> base_type_names();
/// "Bytes<12,4>": a struct of 12 bytes, aligned to 4, whose members are unknown (kernels/imported/arguments.hpp).
std::string opaque_type_name(const TypeLayout& layout);
/// The layout of such a name, or nothing.
std::optional<TypeLayout> opaque_type_layout(std::string_view name);
/// Layout of a base type or an opaque one by name, or nothing.
std::optional<TypeLayout> base_type_layout(std::string_view name);

/// Type variables and the value of each.
struct Binding {
  std::span<const std::string> variables;
  std::span<const ElementCode> values;

  /// The name of the variable's value if `name` is a type variable, else `name` itself.
  std::string_view resolve(std::string_view name) const;
};

/// "[const] BASE[*]".
struct ArgumentType {
  std::string base;  ///< a name of base_type_names() or a type variable
  bool is_const = false;
  bool is_pointer = false;

  /// C++ spelling, as it is in manifests too: "const f32*", "u64", "Strided<2>".
  std::string spell(const Binding& binding) const;
  TypeLayout layout(const Binding& binding) const;
  /// Data the kernel writes.
  bool is_written() const { return is_pointer && !is_const; }
};

/// Checks the grammar only. The caller, who knows the type variables, checks the base.
std::optional<ArgumentType> parse_argument_type(std::string_view text);

}  // namespace kernelgen::tool
