#pragma once
#include <string>
#include <vector>

#include "kernelgen/package.hpp"
#include "manifest/types.hpp"

namespace kernelgen::tool {

/// The element types that a type variable takes, in the order of their numbers.
std::vector<ElementCode> accepted_types(const Package& package, const kernelgen_variable_record& variable);

/// An operand's type as its manifest spells it: a dtype or a type variable's name.
std::string type_name(const Package& package, const kernelgen_operation_record& operation,
                      const kernelgen_operand_record& operand);

/// "(x: T, mul: T) -> T" of operands that `spell` writes as "x: T"; the output follows the inputs.
template <class Operands, class Spell>
std::string signature_of(const Operands& operands, std::size_t inputs, Spell spell) {
  std::string text = "(";
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i == inputs) continue;
    text += (text.size() > 1 ? ", " : "") + spell(operands[i]);
  }
  const std::string output = spell(operands[inputs]);
  return text + ") -> " + output.substr(output.find(": ") + 2);
}

std::string signature_of(const Package& package, const kernelgen_operation_record& operation);

}  // namespace kernelgen::tool
