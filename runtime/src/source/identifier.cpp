#include "source/identifier.hpp"

#include <algorithm>
#include <iterator>

namespace kernelgen {

namespace {

// C11 and C++20, sorted.
constexpr std::string_view keywords[] = {
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_Bool",
    "_Complex",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "not",
    "not_eq",
    "nullptr",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "public",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "struct",
    "switch",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "union",
    "unsigned",
    "using",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
};

// Not <cctype>: what a letter is must not depend on the locale.
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

std::string symbol_objection(std::string_view name) {
  const bool well_formed =
      !name.empty() && is_letter(name[0]) &&
      std::all_of(name.begin(), name.end(), [](char c) { return is_letter(c) || is_digit(c); });
  return well_formed ? "" : "is not a C identifier (letters, digits and '_', no digit first)";
}

std::string identifier_objection(std::string_view name) {
  if (std::string objection = symbol_objection(name); !objection.empty()) return objection;
  if (std::binary_search(std::begin(keywords), std::end(keywords), name)) return "is a keyword of C or C++";
  return reserved_objection(name);
}

std::string reserved_objection(std::string_view name) {
  const bool is_compilers = name.find("__") != std::string_view::npos ||
                            (name.size() > 1 && name[0] == '_' && name[1] >= 'A' && name[1] <= 'Z');
  if (is_compilers)
    return "is reserved for the compiler, as all names with '__', or '_' and a capital in front";
  if (name.starts_with("KG_"))
    return "is reserved for macros of the kernels, as all names with 'KG_' in front";
  return {};
}

}  // namespace kernelgen
