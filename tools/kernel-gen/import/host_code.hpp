#pragma once
#include <span>
#include <vector>

#include "import/declarations.hpp"
#include "import/diagnostics.hpp"
#include "import/source_tree.hpp"

namespace kernelgen::tool {

/// Blanks the bodies of host functions, and variables that only they can use; all of a function that has the name of a kernel,
/// which would be ambiguous; and the calls of macros that write nothing but host functions. `folder` holds the tree's files.
void blank_host_code(SourceTree& tree, const std::filesystem::path& folder, const Declarations& declared);

/// Errors that are in host declarations alone, and do not matter.
struct HostErrors {
  std::vector<Diagnostic> all;
  std::vector<std::string>
      types;  ///< that headers which are nowhere declare: empty structs stand in for them
};

/// Takes the errors in host declarations out of `errors`, and blanks these declarations, but where only a type's name is
/// missing. Device code that needs them cannot be compiled then, and will say so.
HostErrors blank_broken(SourceTree& tree, const std::filesystem::path& folder,
                        std::span<const HostDeclaration> host, std::vector<Diagnostic>& errors);

}  // namespace kernelgen::tool
