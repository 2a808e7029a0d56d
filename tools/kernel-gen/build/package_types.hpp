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

}  // namespace kernelgen::tool
