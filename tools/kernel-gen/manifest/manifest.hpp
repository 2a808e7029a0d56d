#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.hpp"
#include "base/fault.hpp"
#include "manifest/expression.hpp"
#include "manifest/kernel_owner.hpp"
#include "manifest/types.hpp"
#include "source/expression.hpp"
#include "source/launch_rule.hpp"

namespace kernelgen::tool {

/// The GPU resources that a kernel may use. The build checks every code object against them.
struct Budget {
  std::optional<std::uint32_t> vgprs;
  std::optional<std::uint32_t> lds;  ///< bytes
  std::uint32_t spills = 0;
  std::uint32_t scratch = 0;  ///< bytes
};

struct TypeVariable {
  std::string name;
  std::vector<ElementCode> values;
};

/// An input, output or scalar: "x: T".
struct Operand {
  std::string name;
  std::string type;  ///< an element type or a type variable
};

struct Parameter {
  std::string name;
  ArgumentType type;
};

/// The call that a kernel consists of, and its line in the manifest, from 1.
struct Body {
  Template text;
  /// Of the manifest, from 1; 0 if the text is generated from an expr, whose line is recorded separately.
  std::uint32_t line = 0;
};

/// An expression of a manifest.
struct Expression {
  std::string text;
  std::uint32_t line = 0;  ///< of the manifest, from 1
  ExpressionCode code;     ///< what is compiled for it
};

/// How elements are reduced: by a class template of the header or by expressions.
struct Reduction {
  std::string functor;      ///< empty: the expressions
  std::uint32_t line = 0;   ///< of the functor's name
  std::uint32_t state = 0;  ///< KERNELGEN_STATE_…, with its flag
  Expression identity, of, combine, finish;
};

/// A step of an operation on rows, "NAME = EXPRESSION": a number of the row, from other numbers or by a reduction; or new elements,
/// which replace the row's.
struct RowStep {
  enum class Kind : std::uint8_t { number, reduction, elements };
  Kind kind = Kind::number;
  std::string name;
  std::string second;           ///< name of the second number of sum_exp or moments; else empty
  std::string elements;         ///< name of the row's elements in the expression
  std::string reduction;        ///< "sum", "mean", …
  bool is_of_elements = false;  ///< the reduction's expression reads nothing but the elements
  Expression expression;
};

/// The steps of an operation on rows.
struct RowSteps {
  std::vector<RowStep> steps;
  /// For rows that do not fit registers, which each step reads again, and parts of rows: a reduction of the elements, numbers, and
  /// the last step. If empty, such rows take `steps` and are not split.
  std::vector<RowStep> long_steps;
  std::vector<std::string> shared;  ///< inputs that are one row, the same for all
  /// The operation whose kernels of form `partial` are launched; empty: its own.
  std::vector<KernelOwner> first_pass;

  bool empty() const { return steps.empty(); }
  bool is_shared(const std::string& input) const;
};

/// "y[i, j] = …" or "y[…] += …": elements by coordinates. A gather has a loop for each dim of y, a scatter the loops that it
/// names.
struct IndexStatement {
  std::vector<std::string> loops;
  std::vector<Expression> position;  ///< of a scatter: the indices of y
  Expression value;
  std::map<std::string, int> ranks;  ///< of the inputs that it reads
  bool adds = false;
};

/// A variant of an operation with its own argument list: one kernel for each combination of types.
struct Form {
  std::string name;
  std::vector<Parameter> parameters;
  Body body;
  std::uint32_t block;
  std::string occupancy = {};  ///< as OperationEntry::occupancy
  /// Operations whose kernels of a form of this name are launched instead; looked up before those of the operation. A form
  /// without parameters has no other kernels.
  std::vector<KernelOwner> owners = {};
};

struct OperationEntry {
  std::string name;
  std::string doc;
  std::string pointer;  ///< JSON pointer of the entry
  std::vector<TypeVariable> types;
  std::vector<Operand> inputs;
  Operand output;
  std::vector<Operand> scalars;
  std::string expr;             ///< empty: the operation has only its own forms
  std::uint32_t expr_line = 0;  ///< of the manifest, from 1
  ExpressionCode expr_code;     ///< what is compiled for it
  std::optional<Reduction> reduce;
  RowSteps row;
  std::optional<IndexStatement> index;
  std::optional<Expression> epilogue;  ///< of a matmul
  std::optional<LaunchRule>
      rule;                 ///< of a body, an index and a scan; its launches are those of the first forms
  std::vector<Form> forms;  ///< those of the manifest, without those that an expr, a reduction or a row makes
  /// Of the kernels that all forms launch, if not their own. The first one that is_for the types counts.
  std::vector<KernelOwner> owners;
  bool is_swapped = false;  ///< the owner's kernels take the two inputs in the reverse order
  std::uint32_t block;
  std::string occupancy;  ///< as read_occupancy() accepts it; empty: the compiler decides
  Budget budget;
};

/// Kernels with explicit names, which belong to no operation.
struct SymbolEntry {
  Template name;
  Spelling spelling;  ///< of element types in the name
  std::string pointer;
  std::vector<TypeVariable> types;
  std::vector<Parameter> parameters;
  Body body;
  std::uint32_t block;
  std::string occupancy;  ///< as OperationEntry::occupancy
  Budget budget;
};

/// One manifest file, checked.
struct Manifest {
  std::string file;        ///< as the user named it
  std::string text;        ///< the file's bytes
  std::uint64_t hash = 0;  ///< XXH3-64 of them
  std::string module;
  std::string doc;
  std::string header;          ///< relative to the kernels folder; empty for kernels of a binary
  std::string binary;          ///< the file whose code objects hold the kernels; empty: they are compiled
  bool has_functions = false;  ///< of the library, in C++ and C, for each operation
  std::vector<OperationEntry> operations;
  std::vector<SymbolEntry> symbols;
};

/// The folder "kernels" next to a folder "manifests", as `import` and `init` write them; empty if the folder of manifests has
/// another name. It is searched for headers after the folder of --kernels.
std::filesystem::path own_kernels(const std::filesystem::path& manifests);

/// Reads a manifest. `kernels`, unless empty, is the folder that must contain its header if own_kernels() does not. Adds what is
/// wrong to `faults`; the manifest may be used only when none was added. Throws DiskError.
Manifest read_manifest(const Disk& disk, const std::filesystem::path& file,
                       const std::filesystem::path& kernels, Faults& faults);

/// Reads a manifest whose header need not exist. Adds what is wrong to `faults`, as read_manifest does.
Manifest parse_manifest(std::string file, std::string text, Faults& faults);

/// Reads every *.json of the folders given, by their "order", then by name, folder after folder. Without `kernels`
/// headers need not exist. Throws BadInput with all faults of all of them, or when a folder does not exist or has no
/// manifest; DiskError.
std::vector<Manifest> read_manifests(const Disk& disk, const std::vector<std::filesystem::path>& folders,
                                     const std::filesystem::path& kernels);

}  // namespace kernelgen::tool
