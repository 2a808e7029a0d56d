#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "device/kernel_table.hpp"
#include "kernelgen/ops.hpp"

namespace kernelgen {

/// The shipped operations, by their name in the package.
enum class Builtin : std::uint8_t {
#define KERNELGEN_OPERATION(name) name,
#include "operations.inc"
#undef KERNELGEN_OPERATION
};

/// An operation of a device's packages: finds the kernel for given dtypes and a form. Cheap to copy; valid while the package is.
class Operation {
 public:
  explicit Operation(const FoundOperation& found)
      : package_(found.package),
        record_(found.record),
        target_(found.target),
        first_kernel_(found.first_kernel) {}

  /// Costs a lookup per device and thread, then an array index. Throws Error(not_found) if the packages were
  /// built without the operation.
  static Operation builtin(const Device& device, Builtin op);
  /// nullopt if the packages were built without the operation.
  static std::optional<Operation> find(const Device& device, Builtin op);
  /// Throws Error(not_found) with the nearest name.
  static Operation named(const Device& device, std::string_view name);

  std::string_view name() const { return package_->text(record_->name); }
  std::string_view text(std::uint32_t string) const { return package_->text(string); }
  /// KERNELGEN_OPERATION_…
  std::uint32_t kind() const { return record_->kind; }
  /// KERNELGEN_STATE_… of a reduction.
  std::uint32_t state() const { return record_->state & ~KERNELGEN_STATE_COUNTS_ONE; }
  /// Whether the kernels of a reduction take 1 instead of the number of elements.
  bool counts_one() const { return (record_->state & KERNELGEN_STATE_COUNTS_ONE) != 0; }
  /// Whether the kernels of an element-wise operation take its two inputs in the reverse order.
  bool is_swapped() const { return record_->state != 0; }
  int inputs() const { return static_cast<int>(record_->input_count); }
  int scalars() const { return static_cast<int>(record_->scalar_count); }
  /// Inputs, then the output, then scalars.
  std::span<const kernelgen_operand_record> operands() const { return package_->operands(*record_); }
  int variables() const { return static_cast<int>(record_->variable_count); }
  std::span<const kernelgen_variable_record> type_variables() const { return package_->variables(*record_); }

  /// The target of the code that the device executes.
  std::string_view target() const { return package_->text(package_->targets()[target_].name); }
  /// Identifies the operation among those of a device.
  const kernelgen_operation_record& record() const { return *record_; }
  /// The arguments of a form's kernels: those for its first dtypes, from which others differ in element types only. Throws
  /// Error(bad_package) for a form without kernels.
  std::span<const kernelgen_argument_record> arguments(int form) const;

  /// Index of a form in the package, if the operation has one of that name.
  std::optional<int> find_form(std::string_view name) const;
  /// Index of a form in the package. Throws Error(not_found).
  int form(std::string_view name) const;
  /// The device's kernel for these dtypes, one per type variable; a variable whose kernels are keyed by width
  /// uses the dtype's width. Throws Error(invalid_argument) that lists the given and the available dtypes,
  /// and Error(bad_package) if the number of type variables differs from the number of dtypes.
  std::uint32_t kernel(std::span<const DType> types, int form) const;

 private:
  [[noreturn]] void refuse_count(std::size_t types) const;
  [[noreturn]] void refuse_types(std::span<const DType> types) const;

  const Package* package_;
  const kernelgen_operation_record* record_;
  std::uint32_t target_, first_kernel_;
};

}  // namespace kernelgen
