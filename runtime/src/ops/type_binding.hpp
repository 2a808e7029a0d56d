#pragma once
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "ops/operation.hpp"
#include "ops/output.hpp"

namespace kernelgen {

/// Throws Error unless the tensors and numbers are as many as the operation takes.
void check_counts(const Operation& operation, Inputs inputs, std::span<const Scalar> scalars);

/// The dtypes that the type variables of an operation have in a call.
class TypeBinding {
 public:
  /// The operation outlives the object.
  explicit TypeBinding(const Operation& operation) : operation_(operation) {}

  /// Throws Error for another dtype than the operand's, or than its variable has already.
  void bind(const kernelgen_operand_record& operand, DType given);
  /// Of an operand. Throws Error if no input decides it.
  DType type_of(std::uint32_t operand_type) const;
  /// Of a dtype, raw elements or a type variable by name.
  std::optional<DType> named(std::string_view name) const;
  /// Throws as Operation::kernel.
  std::uint32_t kernel(int form) const;

 private:
  const Operation& operation_;
  std::array<std::optional<DType>, KERNELGEN_MAX_TYPE_VARIABLES> types_;
};

}  // namespace kernelgen
