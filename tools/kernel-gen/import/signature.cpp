#include "import/signature.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "source/identifier.hpp"

namespace kernelgen::tool {
namespace {

struct TypeRow {
  const char* spelled;
  const char* pointee;  ///< element type of a pointer
  const char* value;    ///< of an argument by value; null: none
};

/// C++'s types and what they are as arguments. The pointee of a byte pointer keeps its width if no dtype is meant.
constexpr TypeRow types[] = {
    {"float", "f32", "f32"},         {"double", "f64", "f64"},
    {"_Float16", "f16", "f16"},      {"__bf16", "bf16", "bf16"},
    {"int", "i32", "i32"},           {"unsigned int", "u32", "u32"},
    {"short", "i16", "i16"},         {"unsigned short", "b16", "i16"},
    {"long", "i64", "i64"},          {"long long", "i64", "i64"},
    {"unsigned long", "u64", "u64"}, {"unsigned long long", "u64", "u64"},
    {"unsigned char", "u8", "u8"},   {"char", "b8", "u8"},
    {"signed char", "b8", "u8"},     {"bool", "b8", "u8"},
    {"void", "b8", nullptr},
};

const TypeRow* find_type(std::string_view spelled) {
  const auto row = std::ranges::find(types, spelled, &TypeRow::spelled);
  return row == std::end(types) ? nullptr : &*row;
}

std::string trimmed(std::string text) {
  text.erase(0, text.find_first_not_of(' '));
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

/// Removes a qualifier after a type's name or its last '*'. Returns whether it was there.
bool take_last(std::string& text, std::string_view word) {
  const std::size_t before = text.size() - std::min(text.size(), word.size());
  if (before == 0 || text.substr(before) != word ||
      std::string_view(" *").find(text[before - 1]) == std::string_view::npos)
    return false;
  text = trimmed(text.substr(0, before));
  return true;
}

/// Takes "const" off a type that is no pointer, where it may stand on either side.
bool take_const(std::string& text) {
  constexpr std::string_view front = "const ";
  if (take_last(text, "const")) return true;
  if (text.ends_with('*') || !text.starts_with(front)) return false;
  text = trimmed(text.substr(front.size()));
  return true;
}

class TreeReader {
 public:
  TreeReader(const std::string& file, const std::vector<std::string>& chosen, Faults& faults)
      : file_(file), chosen_(chosen), faults_(faults) {}

  std::vector<ImportedKernel> read(const Json& tree) {
    visit(tree, {}, false);
    for (std::size_t i = 0; i < kernels_.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (kernels_[i].name == kernels_[j].name)
          fault(kernels_[i].line, kernels_[i].name, "is overloaded; give each its own name");
    return std::move(kernels_);
  }

 private:
  void fault(std::uint32_t line, const std::string& kernel, const std::string& what) {
    faults_.add(file_, fmt::format("line {}", line), fmt::format("kernel '{}' {}", kernel, what));
  }

  static std::string text(const Json& node, const char* key) {
    const auto value = node.find(key);
    return value != node.end() && value->is_string() ? value->get<std::string>() : "";
  }

  /// Lines are written where they are not those of the place written last.
  void note_line(const Json& place) {
    if (!place.is_object()) return;
    for (const auto& [key, value] : place.items()) {
      if (key == "line" && value.is_number_unsigned()) line_ = value.get<std::uint32_t>();
      if (value.is_object()) note_line(value);
    }
  }

  void visit(const Json& node, const std::string& space, bool in_template) {
    if (!node.is_object()) return;
    const std::string kind = text(node, "kind"), name = text(node, "name");
    if (const auto place = node.find("loc"); place != node.end()) note_line(*place);
    const std::uint32_t line = line_;
    if (const auto range = node.find("range"); range != node.end()) note_line(*range);
    if (kind == "TypedefDecl" || kind == "TypeAliasDecl") aliases_[name] = spelled(node);
    const auto inner = node.find("inner");
    if (inner == node.end()) return;
    if (kind == "FunctionDecl" && is_kernel(*inner))
      return read_kernel(node, *inner, line, space, in_template);
    const bool is_space = kind == "NamespaceDecl" || kind == "CXXRecordDecl";
    for (const Json& child : *inner)
      visit(child, is_space ? space + name + "::" : space, in_template || kind == "FunctionTemplateDecl");
  }

  static bool is_kernel(const Json& inner) {
    return std::ranges::any_of(inner,
                               [](const Json& child) { return text(child, "kind") == "CUDAGlobalAttr"; });
  }

  void read_kernel(const Json& node, const Json& inner, std::uint32_t line, const std::string& space,
                   bool in_template) {
    ImportedKernel kernel{text(node, "name"), line, 0, {}};
    note_children(inner);
    if (!chosen_.empty() && std::ranges::find(chosen_, kernel.name) == chosen_.end()) return;
    // A declaration of what is defined as well.
    if (!std::ranges::any_of(inner, [](const Json& child) { return text(child, "kind") == "CompoundStmt"; }))
      return;
    if (in_template)
      return fault(
          line, kernel.name,
          "is a template; write a kernel that calls a device function with the types that are wanted");
    if (node.value("variadic", false))
      return fault(line, kernel.name, "takes '...', which no launch can pass; name each argument");
    if (std::ranges::any_of(inner,
                            [](const Json& child) { return text(child, "kind") == "TemplateArgument"; }))
      return fault(line, kernel.name,
                   "is a specialization of a template; write a kernel that calls a device function with the "
                   "types that "
                   "are wanted");
    if (!space.empty())
      return fault(line, kernel.name,
                   fmt::format("is in {}; kernels have names of C", space.substr(0, space.size() - 2)));
    if (!std::ranges::any_of(inner, [](const Json& child) { return text(child, "kind") == "ParmVarDecl"; }))
      return fault(line, kernel.name, "takes nothing; what would it write?");
    for (const Json& child : inner) {
      if (text(child, "kind") == "ParmVarDecl") add_parameter(child, line, kernel);
      if (text(child, "kind") == "CUDALaunchBoundsAttr") kernel.block = number_in(child).value_or(0);
    }
    kernels_.push_back(std::move(kernel));
  }

  void note_children(const Json& inner) {
    for (const Json& child : inner) {
      if (const auto place = child.find("loc"); place != child.end()) note_line(*place);
      if (const auto range = child.find("range"); range != child.end()) note_line(*range);
      if (const auto more = child.find("inner"); more != child.end()) note_children(*more);
    }
  }

  static std::optional<std::uint32_t> number_in(const Json& node) {
    if (const std::string value = text(node, "value"); !value.empty())
      return static_cast<std::uint32_t>(std::atol(value.c_str()));
    if (const auto inner = node.find("inner"); inner != node.end())
      for (const Json& child : *inner)
        if (const auto number = child.is_object() ? number_in(child) : std::nullopt) return number;
    return std::nullopt;
  }

  /// A type without the names that typedefs gave it, as far as they are outermost.
  static std::string spelled(const Json& node) {
    const auto type = node.find("type");
    if (type == node.end()) return "";
    const std::string plain = text(*type, "desugaredQualType");
    return plain.empty() ? text(*type, "qualType") : plain;
  }

  /// The name of a type with typedefs resolved, without const.
  std::string resolve(std::string type, bool& is_const) const {
    for (int depth = 0; depth < 64; ++depth) {
      is_const |= take_const(type);
      const auto alias = aliases_.find(type);
      if (alias == aliases_.end()) break;
      type = alias->second;
    }
    return type;
  }

  void add_parameter(const Json& node, std::uint32_t line, ImportedKernel& kernel) {
    ImportedParameter parameter{text(node, "name"), "", ""};
    const std::string shown = text(*node.find("type"), "qualType");
    if (parameter.name.empty() || !identifier_objection(parameter.name).empty())
      parameter.name = fmt::format("argument{}", kernel.parameters.size());
    bool is_const = false;
    std::string type = spelled(node);
    while (take_last(type, "__restrict") || take_last(type, "const")) continue;
    type = resolve(type, is_const);
    if (type.ends_with('*')) {
      is_const = false;
      type = resolve(trimmed(type.substr(0, type.size() - 1)), is_const);
      const TypeRow* const row = find_type(type);
      const char* const element = row ? row->pointee : type.ends_with('*') ? "b64" : "b8";
      parameter.type = fmt::format("{}{}*", is_const ? "const " : "", element);
      parameter.pass = fmt::format("kernelgen_import::Pointer{{{}}}", parameter.name);
    } else if (const TypeRow* const row = find_type(type); row && row->value) {
      parameter.type = row->value;
      const bool is_narrow = type == "_Float16" || type == "__bf16";
      parameter.pass = is_narrow ? fmt::format("kg::bit_cast<{}>({})", type, parameter.name) : parameter.name;
    } else {
      return fault(
          line, kernel.name,
          fmt::format(
              "takes '{}' as {}, which no argument is; numbers and pointers are, so pass a struct's fields, "
              "or a pointer to it",
              parameter.name, shown));
    }
    kernel.parameters.push_back(std::move(parameter));
  }

  const std::string& file_;
  const std::vector<std::string>& chosen_;
  Faults& faults_;
  std::uint32_t line_ = 0;
  std::map<std::string, std::string> aliases_;
  std::vector<ImportedKernel> kernels_;
};

}  // namespace

std::vector<ImportedKernel> read_kernels(const Json& tree, const std::string& file,
                                         const std::vector<std::string>& chosen, Faults& faults) {
  return TreeReader(file, chosen, faults).read(tree);
}

}  // namespace kernelgen::tool
