#include "build/package_types.hpp"

#include <fmt/format.h>

#include "kernelgen/dtype.hpp"

namespace kernelgen::tool {

std::vector<ElementCode> accepted_types(const Package& package, const kernelgen_variable_record& variable) {
  std::vector<ElementCode> codes(variable.radix);
  for (const ElementCode code : element_codes())
    if (const std::uint8_t digit = package.digits()[variable.first_digit + code]; digit != KERNELGEN_NO_DIGIT)
      codes[digit] = code;
  return codes;
}

std::string type_name(const Package& package, const kernelgen_operation_record& operation,
                      const kernelgen_operand_record& operand) {
  if ((operand.type & KERNELGEN_TYPE_VARIABLE) == 0) return std::string(element_name(operand.type));
  return std::string(
      package.text(package.variables(operation)[operand.type & ~KERNELGEN_TYPE_VARIABLE].name));
}

std::string signature_of(const Package& package, const kernelgen_operation_record& operation) {
  return signature_of(
      package.operands(operation), operation.input_count, [&](const kernelgen_operand_record& operand) {
        return fmt::format("{}: {}", package.text(operand.name), type_name(package, operation, operand));
      });
}

}  // namespace kernelgen::tool
