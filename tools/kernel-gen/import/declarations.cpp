#include "import/declarations.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace kernelgen::tool {

namespace {

std::string text(const Json& node, const char* key) {
  const auto value = node.find(key);
  return value != node.end() && value->is_string() ? value->get<std::string>() : "";
}

/// A location where macros expand.
const Json* expanded(const Json& location) {
  const auto expansion = location.find("expansionLoc");
  const Json& found = expansion == location.end() ? location : *expansion;
  return found.contains("offset") ? &found : nullptr;
}

std::optional<SourceRange> range_of(const Json& node) {
  const auto range = node.find("range");
  if (range == node.end() || !range->contains("begin") || !range->contains("end")) return std::nullopt;
  const Json *const begin = expanded((*range)["begin"]), *const end = expanded((*range)["end"]);
  if (!begin || !end || text(*begin, "file") != text(*end, "file")) return std::nullopt;
  return SourceRange{text(*begin, "file"), begin->value("offset", std::size_t{0}),
                     end->value("offset", std::size_t{0}) + end->value("tokLen", std::size_t{0})};
}

const Json& inner_of(const Json& node) {
  static const Json none = Json::array();
  const auto inner = node.find("inner");
  return inner == node.end() ? none : *inner;
}

const Json* child(const Json& node, std::string_view kind) {
  for (const Json& each : inner_of(node))
    if (each.is_object() && text(each, "kind") == kind) return &each;
  return nullptr;
}

std::uint32_t number_in(const Json& node) {
  if (const std::string value = text(node, "value"); !value.empty())
    return static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
  for (const Json& each : inner_of(node))
    if (const std::uint32_t number = each.is_object() ? number_in(each) : 0) return number;
  return 0;
}

std::string demangled(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  return name ? name.get() : mangled;
}

void erase_all(std::string& text, std::string_view word) {
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at))
    text.erase(at, word.size());
}

/// "f<float, 4>" of "void f<float, 4>(float const*, int)", a function as names of instances have it.
std::string_view function_name(std::string_view function) {
  int depth = 0;
  std::size_t begin = 0, end = function.size();
  for (std::size_t i = 0; i < function.size(); ++i) {
    if (function[i] == '(' && depth == 0) end = std::min(end, i);
    depth += function[i] == '<' || function[i] == '(';
    depth -= function[i] == '>' || function[i] == ')';
    if (function[i] == ' ' && depth == 0 && i < end) begin = i + 1;
  }
  return function.substr(begin, end - begin);
}

/// "a::k<float, &op_add>" of a function's demangled name, "void a::k<float, &(op_add(float, float))>(float*)".
std::string spelled_instance(std::string name) {
  erase_all(name, "(anonymous namespace)::");
  if (name.starts_with("void ")) name.erase(0, 5);
  int depth = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    depth += name[i] == '<' || name[i] == '(';
    depth -= name[i] == '>' || name[i] == ')';
    if (name[i] == '>' && depth == 0) {
      name.resize(i + 1);
      break;
    }
  }
  for (auto at = name.find("&("); at != std::string::npos; at = name.find("&(", at + 1)) {
    std::size_t end = at + 2;
    for (int open = 1; end < name.size() && open != 0; ++end)
      open += name[end] == '(' ? 1 : name[end] == ')' ? -1 : 0;
    const std::string function = name.substr(at + 2, end - at - 3);
    if (function.find('(') != std::string::npos)
      name.replace(at, end - at, fmt::format("&{}", function_name(function)));
  }
  return name;
}

bool is_function(std::string_view kind) {
  return kind == "FunctionDecl" || kind == "CXXMethodDecl" || kind == "CXXConstructorDecl" ||
         kind == "CXXDestructorDecl" || kind == "CXXConversionDecl";
}

class Reader {
 public:
  explicit Reader(Declarations& all) : all_(all) {}

  void visit(const Json& node, const std::string& space, bool is_member) {
    if (!node.is_object() || node.value("isImplicit", false)) return;
    const std::string kind = text(node, "kind");
    if (kind == "FunctionTemplateDecl") return function_template(node, space, is_member);
    if (is_function(kind)) return function(node, range_of(node), space, is_member);
    if (kind == "NamespaceDecl" || kind == "LinkageSpecDecl" || kind == "CXXRecordDecl" ||
        kind == "ClassTemplateDecl" || kind == "ClassTemplateSpecializationDecl" ||
        kind == "ClassTemplatePartialSpecializationDecl") {
      const std::string name = text(node, "name");
      const bool is_named = kind == "NamespaceDecl" && !name.empty();
      const bool is_type = kind != "NamespaceDecl" && kind != "LinkageSpecDecl";
      for (const Json& each : inner_of(node))
        visit(each, is_named ? space + name + "::" : space, is_member || is_type);
      if (is_type && !is_member && !has_device_code(node)) add_host(node);
      return;
    }
    if (kind == "VarDecl") return variable(node, space, is_member);
    if (!is_member && (kind == "TypedefDecl" || kind == "TypeAliasDecl" || kind == "UsingDecl" ||
                       kind == "UsingDirectiveDecl" || kind == "EnumDecl" || kind == "StaticAssertDecl" ||
                       kind == "TypeAliasTemplateDecl"))
      add_host(node);
  }

 private:
  static bool is_device(const Json& node) {
    return child(node, "CUDADeviceAttr") || child(node, "CUDAGlobalAttr");
  }
  static bool has_device_code(const Json& node) {
    if (is_function(text(node, "kind")) && is_device(node) && !node.value("isImplicit", false)) return true;
    return std::ranges::any_of(inner_of(node), [](const Json& each) {
      return each.is_object() && text(each, "kind").ends_with("Decl") && has_device_code(each);
    });
  }

  HostDeclaration* add_host(const Json& node) {
    const auto range = range_of(node);
    if (!range) return nullptr;
    all_.host.push_back({"", *range, std::nullopt, false, false, false});
    return &all_.host.back();
  }

  void variable(const Json& node, const std::string& space, bool is_member) {
    dynamic_shared(node, space);
    if (child(node, "CUDADeviceAttr") || child(node, "CUDAConstantAttr") || child(node, "CUDASharedAttr") ||
        child(node, "HIPManagedAttr") || is_member)
      return;
    const auto type = node.find("type");
    const std::string spelled = type == node.end() ? "" : text(*type, "qualType");
    if (HostDeclaration* const host = add_host(node))
      host->is_state = !node.value("constexpr", false) &&
                       (!spelled.starts_with("const ") || spelled.find("std::") != std::string::npos);
  }

  void function_template(const Json& node, const std::string& space, bool is_member) {
    bool is_pattern = true;
    for (const Json& each : inner_of(node)) {
      if (!each.is_object() || !is_function(text(each, "kind"))) continue;
      if (is_pattern && !is_member && child(each, "CUDAGlobalAttr"))
        kernel(each, space, true);
      else
        function(each, is_pattern ? range_of(node) : std::nullopt, space, is_member);
      is_pattern = false;
    }
  }

  /// `whole` is nothing for what a template was instantiated to.
  void function(const Json& node, const std::optional<SourceRange>& whole, const std::string& space,
                bool is_member) {
    const Json* const body = child(node, "CompoundStmt");
    if (is_device(node) && whole) all_.device.push_back(*whole);
    if (child(node, "CUDAGlobalAttr")) {
      if (body) kernel(node, space, false);
      return;
    }
    if (is_device(node)) {
      if (body) dynamic_shared(*body, space);
      return;
    }
    if (!whole || node.value("constexpr", false) || text(node, "explicitlyDefaulted") == "default") return;
    if (is_member && !body) return;
    HostDeclaration host{text(node, "name"), *whole, std::nullopt, true, is_member, false};
    if (body) host.body = range_of(*body);
    all_.host.push_back(std::move(host));
  }

  void kernel(const Json& node, const std::string& space, bool is_template) {
    KernelDeclaration kernel;
    kernel.name = text(node, "name");
    kernel.is_template = is_template;
    const std::string mangled = text(node, "mangledName");
    kernel.has_c_name = mangled == kernel.name;
    const bool is_instance = !is_template && child(node, "TemplateArgument");
    kernel.qualified = is_instance ? spelled_instance(demangled(mangled)) : space + kernel.name;
    if (const auto type = node.find("type"); !is_instance && space.empty() && type != node.end())
      kernel.type = text(*type, "qualType");
    if (const auto location = node.find("loc"); location != node.end())
      if (const Json* const expansion = expanded(*location)) {
        kernel.file = text(*expansion, "file");
        kernel.line = expansion->value("line", 0u);
        kernel.column = expansion->value("col", 0u);
      }
    for (const Json& each : inner_of(node)) {
      const std::string kind = text(each, "kind");
      if (kind == "ParmVarDecl") kernel.parameters.push_back(text(each, "name"));
      if (kind == "CUDALaunchBoundsAttr") kernel.block = number_in(each);
      if (kind == "CompoundStmt") dynamic_shared(each, space);
    }
    if (node.value("variadic", false))
      kernel.objection = "takes '...', which no launch can pass; name each argument";
    if (kernel.qualified.find_first_of("{'") != std::string::npos)
      kernel.objection = "is instantiated with a lambda, which has no name; use a function object's type";
    const auto same = std::ranges::find_if(all_.kernels, [&](const KernelDeclaration& other) {
      return other.qualified == kernel.qualified && other.line == kernel.line && other.file == kernel.file &&
             other.is_template == kernel.is_template;
    });
    if (same == all_.kernels.end()) all_.kernels.push_back(std::move(kernel));
  }

  void dynamic_shared(const Json& node, const std::string& space) {
    if (text(node, "kind") == "VarDecl" && text(node, "storageClass") == "extern" &&
        child(node, "CUDASharedAttr")) {
      std::string type = text(*node.find("type"), "qualType");
      type.resize(std::min(type.find('['), type.size()));
      const DynamicShared found{space, text(node, "name"), type};
      const bool is_known = std::ranges::any_of(all_.shared, [&](const DynamicShared& other) {
        return other.space == found.space && other.name == found.name;
      });
      if (!is_known && node["type"].value("desugaredQualType", type).find("dependent") == std::string::npos)
        all_.shared.push_back(found);
    }
    for (const Json& each : inner_of(node))
      if (each.is_object()) dynamic_shared(each, space);
  }

  Declarations& all_;
};

}  // namespace

void read_declarations(const Json& declaration, Declarations& all) {
  Reader(all).visit(declaration, "", false);
}

}  // namespace kernelgen::tool
