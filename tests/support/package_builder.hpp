#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "kernelgen/package_format.h"

namespace kernelgen::test {

struct Argument {
  std::string_view name;
  std::string_view type;
  std::uint32_t size;
  bool is_pointer = false;
  bool is_written = false;
};

/// A type variable and the element codes it takes.
struct TypeVariable {
  std::string_view name;
  std::span<const std::uint32_t> codes;
};

/// Writes packages for tests, byte by byte from the format's description and not with the tool's writer: one
/// checks the other. Add targets and modules with their kernels first, code and operations next.
class PackageBuilder {
 public:
  std::uint32_t add_target(std::string_view name, std::uint32_t kind, std::uint32_t wave_size);
  std::uint32_t add_module(std::string_view name);
  /// A kernel of the module added last. Arguments lie one after the other at their natural alignment; of its resources
  /// only shared memory is recorded.
  std::uint32_t add_kernel(std::string_view name, std::span<const Argument> arguments,
                           std::uint32_t lds_bytes = 0);
  /// Gives the blob's index.
  std::uint32_t add_code(std::uint32_t target, std::uint32_t module, std::span<const std::byte> code);
  /// The same, compressed, with another blob for its prefix.
  std::uint32_t add_compressed(std::uint32_t target, std::uint32_t module, std::span<const std::byte> code,
                               std::uint32_t reference = KERNELGEN_NO_BLOB);
  /// An operation whose operands, the inputs and output "y", have the first type variable, or the dtype of code 0; element-wise where it has
  /// inputs and its first form is "contiguous". `kernels`: the forms of each combination of the variables' codes, the
  /// last variable running fastest.
  void add_operation(std::string_view name, std::span<const std::string_view> inputs,
                     std::span<const std::string_view> forms, std::span<const TypeVariable> variables,
                     std::span<const std::uint32_t> kernels);

  std::vector<std::byte> finish() const;

 private:
  std::uint32_t add_string(std::string_view text);

  struct Code {
    std::uint32_t target;
    std::uint32_t module;
    std::vector<std::byte> bytes;
    std::uint32_t codec;
    std::uint32_t reference;
    std::vector<std::byte> stored;
  };

  std::vector<char> strings_;
  std::vector<kernelgen_target_record> targets_;
  std::vector<kernelgen_module_record> modules_;
  std::vector<kernelgen_kernel_record> kernels_;
  std::vector<kernelgen_resource_record> resources_;  ///< of each kernel, on all targets
  std::vector<kernelgen_argument_record> arguments_;
  std::vector<kernelgen_operation_record> operations_;
  std::vector<kernelgen_operand_record> operands_;
  std::vector<kernelgen_variable_record> variables_;
  std::vector<std::uint8_t> digits_;
  std::vector<std::uint32_t> forms_;
  std::vector<std::uint32_t> variants_;
  std::vector<Code> codes_;
};

/// A package with its tables compressed, which a builder stores as they are.
std::vector<std::byte> with_compressed_tables(const std::vector<std::byte>& package);

/// A package with what `change` makes of its tables' bytes; they are stored as they are.
std::vector<std::byte> with_changed_tables(
    const std::vector<std::byte>& package,
    const std::function<void(std::byte* tables, const kernelgen_package_header& header)>& change);

/// Writes the checksum of changed bytes into the header, so that the checks after it are reached.
void reseal(std::span<std::byte> package);

std::span<const std::byte> bytes_of(std::string_view text);

}  // namespace kernelgen::test
