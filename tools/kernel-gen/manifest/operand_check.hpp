#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "manifest/manifest.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

bool holds(std::span<const std::string> names, std::string_view name);
std::vector<std::string> names_of(const std::vector<TypeVariable>& types);
std::vector<std::string> names_of(const std::vector<Operand>& operands);
std::vector<std::string> joined(std::vector<std::string> names, std::span<const std::string> more);

/// Whether generated sources use the name for the type of an input or scalar of a map: X0, S1.
bool is_type_parameter(std::string_view name);

/// Adds a fault for each operand that is given twice.
void check_operand_names(const Node& node, const OperationEntry& entry);
/// Adds a fault for each type variable that is the type of no input or output, so that no call determines it.
void check_variables_used(const Node& node, const OperationEntry& entry);

/// Adds faults for an output or a workspace of a rule whose type is no dtype, or a type variable that no input has.
void check_tensor(const Node& node, const LaunchRule::Tensor& tensor, const OperationEntry& entry);

}  // namespace kernelgen::tool
