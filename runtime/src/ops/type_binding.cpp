#include "ops/type_binding.hpp"

#include "common/format.hpp"

namespace kernelgen {

void check_counts(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars) {
  if (inputs.size() != static_cast<std::size_t>(operation.inputs()) ||
      scalars.size() != static_cast<std::size_t>(operation.scalars()))
    invalid(formatted("{}: {} tensors and {} numbers given; it takes {} and {}", operation.name(),
                      inputs.size(), scalars.size(), operation.inputs(), operation.scalars()));
}

void TypeBinding::bind(const kernelgen_operand_record& operand, DType given) {
  if (!(operand.type & KERNELGEN_TYPE_VARIABLE)) {
    if (operand.type != static_cast<std::uint32_t>(given))
      invalid(formatted("{}: operand {} is {}; it has to be {}", operation_.name(),
                        operation_.text(operand.name), name_of(given),
                        name_of(static_cast<DType>(operand.type))));
    return;
  }
  auto& bound = types_[operand.type & ~KERNELGEN_TYPE_VARIABLE];
  if (bound && *bound != given)
    invalid(formatted("{}: operand {} is {}, the one before it {}; they must have one dtype",
                      operation_.name(), operation_.text(operand.name), name_of(given), name_of(*bound)));
  bound = given;
}

DType TypeBinding::type_of(std::uint32_t operand_type) const {
  if (!(operand_type & KERNELGEN_TYPE_VARIABLE)) return static_cast<DType>(operand_type);
  if (const auto& bound = types_[operand_type & ~KERNELGEN_TYPE_VARIABLE]) return *bound;
  invalid(formatted("{}: the inputs do not decide the result's dtype; name one (to_dtype does)",
                    operation_.name()));
}

std::optional<DType> TypeBinding::named(std::string_view name) const {
  const auto variables = operation_.type_variables();
  for (std::size_t v = 0; v < variables.size(); ++v)
    if (operation_.text(variables[v].name) == name) return types_[v];
  // Raw elements, "b64", of a workspace are stored as integers of their width.
  constexpr std::pair<std::string_view, DType> raw[] = {
      {"b8", DType::u8}, {"b16", DType::i16}, {"b32", DType::i32}, {"b64", DType::i64}};
  for (const auto& [spelled, type] : raw)
    if (name == spelled) return type;
  return parse_dtype(name);
}

std::uint32_t TypeBinding::kernel(int form) const {
  std::array<DType, KERNELGEN_MAX_TYPE_VARIABLES> bound{};
  const auto count = static_cast<std::size_t>(operation_.variables());
  for (std::size_t v = 0; v < count; ++v) bound[v] = types_[v].value_or(DType::f32);
  return operation_.kernel(std::span(bound).first(count), form);
}

}  // namespace kernelgen
