#include "package/operation_rule.hpp"

#include "common/format.hpp"
#include "kernelgen/dtype.hpp"

namespace kernelgen {

OperationRule read_rule(const kernelgen_operation_record& operation,
                        std::span<const kernelgen_operand_record> operands,
                        const std::function<std::string_view(std::uint32_t)>& text) {
  std::vector<std::string> inputs, integers;
  std::vector<std::size_t> indices;
  for (const auto& input : operands.first(operation.input_count)) inputs.emplace_back(text(input.name));
  const auto scalars = operands.last(operation.scalar_count);
  for (std::size_t i = 0; i < scalars.size(); ++i) {
    if ((scalars[i].type & KERNELGEN_TYPE_VARIABLE) || is_float(static_cast<DType>(scalars[i].type)))
      continue;
    integers.emplace_back(text(scalars[i].name));
    indices.push_back(i);
  }
  LaunchRule rule = LaunchRule::parse(text(operation.rule), std::move(inputs), std::move(integers));
  if (rule.launches().size() > operation.form_count)
    throw DimFault{formatted("has {} launches of {} forms", rule.launches().size(), operation.form_count)};
  return {std::move(rule), std::move(indices)};
}

std::string rule_objection(const kernelgen_operation_record& operation, const PackageView& view) {
  if (operation.kind != KERNELGEN_OPERATION_BODY)
    return operation.rule == 0 ? "" : "is one of another kind of operation";
  if (operation.rule >= view.strings.size())
    return formatted("is at offset {} of the strings", operation.rule);
  if (operation.input_count == 0) return "has no input";
  try {
    const std::size_t operands = std::size_t{operation.input_count} + 1 + operation.scalar_count;
    read_rule(operation, view.operands.subspan(operation.first_operand, operands),
              [&](std::uint32_t string) { return view.text(string); });
    return {};
  } catch (const DimFault& fault) {
    return fault.why;
  }
}

}  // namespace kernelgen
