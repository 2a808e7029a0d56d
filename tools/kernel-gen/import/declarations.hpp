#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "manifest/node.hpp"

namespace kernelgen::tool {

/// Bytes of a file.
struct SourceRange {
  std::string file;
  std::size_t begin = 0, end = 0;
};

/// A __global__ function: one that can be launched, or the template of some.
struct KernelDeclaration {
  std::string name;       ///< without namespaces
  std::string qualified;  ///< "a::k<float, 128>": how C++ names it after "::"
  std::string type;  ///< "void (float *)" where a function of the host may have its name as well; else ""
  std::string file;
  std::uint32_t line = 0, column = 0;
  std::uint32_t block = 0;  ///< of its __launch_bounds__; 0: it has none
  std::vector<std::string> parameters;
  bool is_template = false;  ///< not instantiated
  bool has_c_name = false;   ///< extern "C"
  std::string objection;     ///< why it cannot be imported
};

/// Something at namespace scope, or a member function, that kernels do not need.
struct HostDeclaration {
  std::string name = {};  ///< of a function
  SourceRange whole;
  std::optional<SourceRange> body;  ///< of a function
  bool is_function = false;         ///< else a type or a variable, which device code may need
  bool is_member = false;
  bool is_state = false;  ///< a variable that is no constant
};

/// extern __shared__ T name[]
struct DynamicShared {
  std::string space;  ///< namespaces around it
  std::string name;
  std::string type;  ///< of an element

  bool operator==(const DynamicShared&) const = default;
};

struct Declarations {
  std::vector<KernelDeclaration> kernels;
  std::vector<HostDeclaration> host;
  std::vector<SourceRange> device;  ///< functions of GPUs
  std::vector<DynamicShared> shared;
};

/// Adds what an outermost declaration of clang's syntax tree holds (visit_syntax_tree).
void read_declarations(const Json& declaration, Declarations& all);

}  // namespace kernelgen::tool
