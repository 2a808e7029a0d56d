#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fault.hpp"
#include "manifest/node.hpp"

namespace kernelgen::tool {

/// A parameter of a kernel of HIP, as a manifest takes it.
struct ImportedParameter {
  std::string name;
  std::string type;  ///< "const f32*", "u64"
  std::string pass;  ///< the expression that hands it on: the name, or a conversion of it
};

/// A __global__ function.
struct ImportedKernel {
  std::string name;
  std::uint32_t line = 0;
  std::uint32_t block = 0;  ///< of its __launch_bounds__; 0: it has none
  std::vector<ImportedParameter> parameters;
};

/// The kernels that clang's syntax tree (-ast-dump=json) of a file holds, in their order; those of headers too. Adds a
/// fault of `file` for each kernel that a manifest cannot describe and that `chosen` names, or is empty: templates,
/// variadic ones, overloads, kernels in namespaces, structs by value, types that no argument has.
std::vector<ImportedKernel> read_kernels(const Json& tree, const std::string& file,
                                         const std::vector<std::string>& chosen, Faults& faults);

}  // namespace kernelgen::tool
