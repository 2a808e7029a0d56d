#pragma once
#include <string>
#include <vector>

#include "build/packing.hpp"
#include "code_object/code_object.hpp"
#include "manifest/kernel.hpp"
#include "manifest/target.hpp"

namespace kernelgen::tool {

/// A module's code for one target: the bytes, and what was read out of them.
struct BuiltObject {
  std::string bytes;
  CodeObject code;
};

struct BuiltTarget {
  const Target* target;
  std::vector<BuiltObject> objects;  ///< one a module, in the set's order
};

/// The bytes of kernelgen.kgpkg (see kernelgen/package_format.h). Depends on the arguments and libzstd alone.
std::string write_package(const KernelSet& set, const std::vector<BuiltTarget>& targets,
                          const std::string& provenance, const Packing& packing = {});

/// kernelgen_package.S: the package in a program's .rodata, between kernelgen_package_begin and _end. It
/// names the file without a folder; the assembler finds it through its include path.
std::string write_package_assembly();

}  // namespace kernelgen::tool
