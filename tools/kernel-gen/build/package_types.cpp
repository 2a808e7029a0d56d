#include "build/package_types.hpp"

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

}  // namespace kernelgen::tool
