#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernelgen/package_format.h"
#include "manifest/manifest.hpp"

namespace kernelgen::tool {

/// Every combination of the variables' values; the last variable varies fastest.
std::vector<std::vector<ElementCode>> combinations(std::span<const TypeVariable> types);

/// One argument in the kernel's argument block.
struct Argument {
  std::string name;
  std::string type;  ///< "const f32*", "u64", "Strided<2>"
  std::uint32_t offset;
  std::uint32_t size;
  bool is_pointer;
  bool is_written;

  bool operator==(const Argument&) const = default;
};

/// One kernel: a symbol of its module's source. Its id is its index in KernelSet::kernels.
struct Kernel {
  std::string name;
  std::uint32_t module;
  std::optional<std::uint32_t> operation;  ///< nullopt for a kernel with an explicit name
  std::uint32_t form = 0;                  ///< index into the operation's forms
  std::vector<std::string> types;          ///< values of the type variables, by name
  std::vector<Argument> arguments;
  std::uint32_t kernarg_bytes = 0;  ///< bytes of the argument block, up to the end of the last argument
  std::uint32_t block;              ///< largest number of threads per block
  std::string occupancy = {};       ///< as OperationEntry::occupancy
  std::string body;
  std::uint32_t body_line;  ///< as Body::line
  Budget budget;
};

/// An operation as kernelgen_operation_record describes it.
struct Operation {
  std::string name;
  std::string doc;
  std::uint32_t module;
  std::string expr;         ///< empty: no map
  std::uint32_t expr_line;  ///< of the manifest, from 1
  ExpressionCode expr_code;
  std::optional<Reduction> reduce;
  RowSteps row;
  std::optional<IndexStatement> index;
  std::optional<Expression> epilogue;  ///< of a matmul
  std::optional<LaunchRule> rule;
  std::vector<TypeVariable> variables;
  std::vector<Operand> operands;  ///< inputs, then the output, then scalars
  std::uint32_t input_count;
  std::uint32_t scalar_count;
  std::vector<std::string> forms;
  /// For each of combinations(variables), the kernel id of each form, or KERNELGEN_NO_KERNEL. Kernels may be another operation's.
  std::vector<std::uint32_t> variants;
  bool is_swapped = false;  ///< as OperationEntry::is_swapped

  bool is_map() const { return !expr.empty(); }
  /// KERNELGEN_OPERATION_…
  std::uint32_t kind() const;
  /// kernelgen_operation_record::state
  std::uint32_t state() const { return reduce ? reduce->state : is_swapped; }
  std::span<const Operand> inputs() const { return std::span(operands).first(input_count); }
  const Operand& output() const { return operands[input_count]; }
  std::span<const Operand> scalars() const { return std::span(operands).last(scalar_count); }
  /// Element code of an operand, or KERNELGEN_TYPE_VARIABLE | index of the type variable.
  std::uint32_t type_code(const Operand& operand) const;
};

/// One manifest's kernels: one source file, one code object per target.
struct Module {
  std::string name;
  std::string doc;
  std::string header;
  std::string manifest;  ///< file name without folders: generated files must not depend on absolute paths
  std::string manifest_path;  ///< as the user named it, for messages
  std::uint64_t hash;         ///< of the manifest
  std::uint32_t first_kernel;
  std::uint32_t kernel_count;
  bool has_functions = false;  ///< of the library, in C++ and C
  std::string binary = {};     ///< as Manifest::binary
};

/// All kernels of the manifests. A kernel's id is its position: by module in the order of the manifests, operation, combination of
/// types, and form.
struct KernelSet {
  std::vector<Module> modules;
  std::vector<Operation> operations;
  std::vector<Kernel> kernels;

  std::span<const Kernel> kernels_of(const Module& module) const {
    return std::span(kernels).subspan(module.first_kernel, module.kernel_count);
  }
  std::vector<std::string> kernel_names() const;
  /// XXH3-64 over the manifests' hashes.
  std::uint64_t hash() const;
};

/// Maximum number of kernels in a set.
inline constexpr std::size_t max_kernels = 65536;

/// Throws BadInput for two modules, operations or kernels of one name, for a kernel whose name is not a C identifier
/// (a binary's kernels may have reserved ones), and for more than max_kernels.
KernelSet expand(std::span<const Manifest> manifests);

}  // namespace kernelgen::tool
