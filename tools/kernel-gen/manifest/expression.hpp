#pragma once
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "manifest/types.hpp"

namespace kernelgen::tool {

/// Element types that a text spells in another way, by name.
using Spelling = std::map<std::string, std::string, std::less<>>;

/// A text with placeholders "{T}" for type variables: a kernel's name or a body. Braces around anything but a
/// plain name are text.
class Template {
 public:
  explicit Template(std::string_view text);

  /// Names between braces, in order.
  std::span<const std::string> placeholders() const { return placeholders_; }
  /// The text around the placeholders, with "T" for each, so that the checks of plain text apply to it.
  std::string plain() const;
  /// The text with the name of each variable's value, or its spelling.
  std::string fill(const Binding& binding, const Spelling& spelling = {}) const;

 private:
  std::vector<std::string> literals_;  // one more than placeholders
  std::vector<std::string> placeholders_;
};

}  // namespace kernelgen::tool
