#include "manifest/types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>

#include "kernelgen/dtype.hpp"
#include "manifest/statement_text.hpp"
#include "manifest/struct_type.hpp"

namespace kernelgen::tool {

namespace {

std::vector<ElementCode> make_element_codes() {
  std::vector<ElementCode> codes;
  for (ElementCode code = 0; code < KERNELGEN_ELEMENT_CODES; ++code)
    if (is_element_code(code)) codes.push_back(code);
  return codes;
}

std::vector<std::string> make_element_names() {
  std::vector<std::string> names;
  for (const ElementCode code : element_codes()) names.emplace_back(element_name(code));
  return names;
}

std::vector<std::string> make_base_type_names() {
  std::vector<std::string> names(element_names().begin(), element_names().end());
  names.emplace_back("u64");
  for (const StructType& type : struct_types()) names.push_back(type.name);
  return names;
}

}  // namespace

std::span<const ElementCode> element_codes() {
  static const std::vector<ElementCode> codes = make_element_codes();
  return codes;
}

std::span<const std::string> element_names() {
  static const std::vector<std::string> names = make_element_names();
  return names;
}

std::optional<ElementCode> parse_element(std::string_view name) {
  for (const ElementCode code : element_codes())
    if (element_name(code) == name) return code;
  return std::nullopt;
}

bool is_quantized_code(ElementCode code) {
  return code < dtype_count && is_quantized(static_cast<DType>(code));
}

std::span<const std::string> type_set_names() {
  static const std::vector<std::string> names = {"F", "I", "all", "ids", "quantized", "quantizable", "width"};
  return names;
}

std::optional<std::vector<ElementCode>> find_type_set(std::string_view name) {
  if (std::find(type_set_names().begin(), type_set_names().end(), name) == type_set_names().end())
    return std::nullopt;
  std::vector<ElementCode> codes;
  for (const ElementCode code : element_codes()) {
    const bool is_width = code >= dtype_count, is_blocks = is_quantized_code(code),
               is_plain = !is_width && !is_blocks;
    const bool is_real = is_plain && is_float(static_cast<DType>(code));
    const bool is_member = name == "width"         ? is_width
                           : name == "quantized"   ? is_blocks
                           : name == "quantizable" ? !is_width && is_quantizable(static_cast<DType>(code))
                           : name == "all"         ? is_plain
                           : name == "F"           ? is_real
                                         : is_plain && !is_real;  // I; every integer dtype can be an index
    if (is_member) codes.push_back(code);
  }
  return codes;
}

std::span<const std::string> base_type_names() {
  static const std::vector<std::string> names = make_base_type_names();
  return names;
}

std::optional<TypeLayout> scalar_type_layout(std::string_view name) {
  if (const auto code = parse_element(name)) {
    if (is_quantized_code(*code)) return std::nullopt;
    const auto bytes = static_cast<std::uint32_t>(element_size(*code));
    return TypeLayout{bytes, bytes};
  }
  if (name == "u64") return TypeLayout{8, 8};
  return std::nullopt;
}

std::optional<TypeLayout> base_type_layout(std::string_view name) {
  for (const StructType& type : struct_types())
    if (type.name == name) return type.layout;
  if (const auto layout = opaque_type_layout(name)) return layout;
  return scalar_type_layout(name);
}

std::string opaque_type_name(const TypeLayout& layout) {
  return fmt::format("Bytes<{},{}>", layout.size, layout.align);
}

std::optional<TypeLayout> opaque_type_layout(std::string_view name) {
  constexpr std::string_view start = "Bytes<";
  if (!name.starts_with(start)) return std::nullopt;
  TypeLayout layout{};
  const char* const end = name.data() + name.size();
  const auto size = std::from_chars(name.data() + start.size(), end, layout.size);
  if (size.ec != std::errc() || size.ptr == end) return std::nullopt;
  const auto align = std::from_chars(size.ptr + 1, end, layout.align);
  // Only one spelling is accepted.
  if (align.ec != std::errc() || opaque_type_name(layout) != name) return std::nullopt;
  const bool is_possible = layout.size != 0 && layout.size <= KERNELGEN_MAX_ARGUMENT_BYTES &&
                           std::has_single_bit(layout.align) && layout.size % layout.align == 0;
  return is_possible ? std::optional(layout) : std::nullopt;
}

std::string_view Binding::resolve(std::string_view name) const {
  const auto it = std::find(variables.begin(), variables.end(), name);
  return it == variables.end() ? name
                               : element_name(values[static_cast<std::size_t>(it - variables.begin())]);
}

std::string ArgumentType::spell(const Binding& binding) const {
  return fmt::format("{}{}{}", is_const ? "const " : "", binding.resolve(base), is_pointer ? "*" : "");
}

TypeLayout ArgumentType::layout(const Binding& binding) const {
  if (is_pointer) return {8, 8};
  return base_type_layout(binding.resolve(base)).value();
}

std::optional<ArgumentType> parse_argument_type(std::string_view text) {
  ArgumentType type;
  text = trimmed(text);
  if (text.starts_with("const ")) {
    type.is_const = true;
    text = trimmed(text.substr(6));
  }
  if (text.ends_with('*')) {
    type.is_pointer = true;
    text = trimmed(text.substr(0, text.size() - 1));
  }
  // A const value is refused: the kernel gets a copy of it anyway.
  if (text.empty() || text == "const" || text.find_first_of(" *&") != std::string_view::npos ||
      (type.is_const && !type.is_pointer))
    return std::nullopt;
  type.base = text;
  return type;
}

}  // namespace kernelgen::tool
